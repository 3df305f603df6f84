import { startPostgres } from '@tollgate/testing';
import type { PostgresServer, PreparedData } from '@tollgate/testing';
import { Client } from 'pg';
import { migrate } from './migrate';
import { readMigrations } from './migrations-folder';

/**
 * A database of the newest schema, as `migrate` makes it once for this clone: a copy takes a tenth of the
 * time. It has no roles beside the server's own.
 */
export function newestSchema(): PreparedData {
  return { name: 'newest-schema', madeFrom: JSON.stringify(readMigrations()), fill: migrate };
}

/**
 * Starts a Postgres of a test's own, whose database has the newest schema.
 * @throws Error as `startPostgres` and `migrate` do.
 */
export function startMigratedPostgres(): Promise<PostgresServer> {
  return startPostgres({ prepared: newestSchema() });
}

/** A database that one test has for itself, in a server that it shares with others. */
interface DatabaseCopy {
  url: string;
  /** Ends who still uses it. */
  drop: () => Promise<void>;
}

let copies = 0;
/** How long a session may take to end. */
const endMs = 60_000;

/**
 * Makes a copy of the database of a server of `startMigratedPostgres`, as it is now, in the same server: for
 * tests one after the other, each of which would have to start a server otherwise. Ends who still uses it.
 */
export async function copyDatabase(server: PostgresServer): Promise<DatabaseCopy> {
  const name = `copy_${++copies}`;
  const run = async (...statements: string[]): Promise<void> => {
    const client = new Client({ connectionString: addressOf(server, 'postgres') });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  // Whose client has left may still be there on a busy machine, and nothing is copied that somebody uses.
  const ended = `SELECT pg_terminate_backend(pid, ${endMs}) FROM pg_stat_activity WHERE datname = 'tollgate'`;
  await run(ended, `CREATE DATABASE ${name} TEMPLATE tollgate STRATEGY file_copy`);
  return { url: addressOf(server, name), drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) };
}

function addressOf({ url }: PostgresServer, database: string): string {
  return Object.assign(new URL(url), { pathname: database }).toString();
}
