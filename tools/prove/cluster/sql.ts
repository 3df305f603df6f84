import { Client } from 'pg';
import type { QueryResultRow } from 'pg';

/** Runs one statement in a session of its own, and returns its rows. */
export async function rowsOf<Row extends QueryResultRow>(connectionString: string, sql: string): Promise<Row[]> {
  return inSession(connectionString, async (client) => (await client.query<Row>(sql)).rows);
}

/**
 * Plays `work` with a session that it has from its beginning to its end, whoever else gets none meanwhile.
 */
export async function inSession<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
