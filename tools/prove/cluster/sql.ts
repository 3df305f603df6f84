import { Client } from 'pg';
import type { QueryResultRow } from 'pg';

/** Runs one statement in a session of its own, and returns its rows. */
export async function rowsOf<Row extends QueryResultRow>(connectionString: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
