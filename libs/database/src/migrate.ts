import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DiagnoseMigrationHistoryInput, MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm';
import { Client, escapeIdentifier } from 'pg';
import { isDatabaseUnavailable } from './database-unavailable';
import { readMigrations } from './migrations-folder';
import { giveRights } from './rights';
import { createSchemaEngine, EnginePostgresAdapter, withPanicMessage } from './schema-engine';

/** Any number that nothing else in this database locks. */
const migrationLock = 7_401_655_928;
const connectTimeoutMs = 3_000;
const retryMs = 1_000;
const lockRetryMs = 100;
/**
 * The session that holds the lock does nothing while the engine works, however short the server's own
 * patience with such sessions is.
 */
const longestMigrationMs = 86_400_000;

/** Rights are given behind whoever works with the tables. */
const rightsTimeoutMs = 60_000;

interface MigrateOptions {
  /**
   * Told why nothing happens yet, each time that another instance held the lock of the migrations for
   * `lockWaitMs` (milliseconds).
   */
  onWaiting?: (reason: Error) => void;
  lockWaitMs?: number;
  /**
   * How long the server may take to answer a statement that waits for no lock of the migrations,
   * milliseconds.
   */
  answerMs?: number;
}

/**
 * Brings a database to the newest schema with Prisma's own engine; makes the database when it is missing.
 * Several services may do so at once:
 * one works, the others wait, as does a role that may not change the schema. `url` is the server's, not a
 * pooler's. Returns the names of the migrations that were applied now.
 * @throws Error when the server cannot be reached (see isDatabaseUnavailable), or a migration fails.
 */
export async function migrate(
  url: string,
  { onWaiting = () => undefined, lockWaitMs = 10_000, answerMs = 10_000 }: MigrateOptions = {},
): Promise<string[]> {
  const queryTimeoutMs = lockWaitMs + answerMs;
  await createMissingDatabase(url, queryTimeoutMs);
  const migrations = readMigrations();
  for (;;) {
    const session = await connect(url, queryTimeoutMs);
    try {
      // Nobody waits for a lock where there is nothing to do.
      if (await areApplied(session, migrations)) return [];
      if (!(await mayMigrate(session))) {
        onWaiting(new Error('The database lacks migrations, which this role may not apply: run tollgate migrate'));
        await delay(retryMs);
        continue;
      }
      if (await takesLock(session, lockWaitMs)) {
        // The engine takes some 60 MB that a process never gives back: it is loaded only where there is work
        // for it.
        const applied = (await areApplied(session, migrations)) ? [] : await applyMigrations(url, migrations);
        await session.query('COMMIT');
        return applied;
      }
    } finally {
      await session.end();
    }
    onWaiting(new Error('Another instance holds the lock of the migrations'));
  }
}

/**
 * Takes the lock for as long as the session's transaction is open; false when another held it for `waitMs`. A
 * lock of the session would stay behind on the connection of a pooler, and keep everybody out. It is asked
 * for again and again, by a short transaction each time: whoever has the lock waits for those that look at
 * the database meanwhile to end, when an index is built beside those who write.
 */
async function takesLock(session: Client, waitMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    await session.query('BEGIN');
    const { rowCount } = await session.query('SELECT WHERE pg_try_advisory_xact_lock($1)', [migrationLock]);
    if (rowCount !== 0) return true;
    await session.query('ROLLBACK');
    if (performance.now() >= giveUpAt) return false;
    await delay(lockRetryMs);
  }
}

/**
 * Brings a database to the newest schema, and gives the roles of the services their rights (giveRights).
 * Returns the names of the migrations that were applied now. A server that is away is waited for,
 * `patienceMs` milliseconds.
 * @throws Error as `migrate` does.
 */
export async function migrateAsOwner(
  url: string,
  patienceMs = 0,
  onWaiting: (error: Error) => void = () => undefined,
): Promise<string[]> {
  const applied = await migrateWhenReachable(url, onWaiting, { patienceMs });
  const session = await connect(url, rightsTimeoutMs);
  try {
    await giveRights(session, readMigrations().migrationDirectories.at(-1)?.path ?? '');
  } finally {
    await session.end();
  }
  return applied;
}

/**
 * Whether the role of this session may make tables: those of services may not, where a role of its own brings
 * the migrations.
 */
async function mayMigrate(session: Client): Promise<boolean> {
  const { rows } = await session.query("SELECT WHERE has_schema_privilege(current_schema(), 'CREATE')");
  return rows.length > 0;
}

/**
 * Migrates as soon as the server can be reached: tried every second, `onWaiting` told of every failure.
 * @throws Error as `migrate` does, of a server that is away only after `patienceMs`, milliseconds.
 */
export async function migrateWhenReachable(
  url: string,
  onWaiting: (error: Error) => void,
  { patienceMs = Infinity, ...times }: Omit<MigrateOptions, 'onWaiting'> & { patienceMs?: number } = {},
): Promise<string[]> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    try {
      return await migrate(url, { ...times, onWaiting });
    } catch (error) {
      if (!(error instanceof Error) || error instanceof PoolerError || !isDatabaseUnavailable(error)) throw error;
      if (performance.now() >= giveUpAt) throw error;
      onWaiting(error);
      await delay(retryMs);
    }
  }
}

/** True when Prisma's record holds every migration, with the very text that is here. */
async function areApplied(session: Client, { migrationDirectories }: MigrationList): Promise<boolean> {
  // Asked first: a statement that fails would end the transaction, and with it the lock.
  const { rows: tables } = await session.query(
    "SELECT WHERE has_table_privilege(to_regclass('_prisma_migrations'), 'SELECT')",
  );
  if (tables.length === 0) return false;
  const { rows } = await session.query<{ checksum: string }>(
    'SELECT checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  const applied = new Set(rows.map(({ checksum }) => checksum));
  return migrationDirectories.every(
    ({ migrationFile: { content } }) => content.tag === 'ok' && applied.has(checksumOf(content.value)),
  );
}

/** As Prisma's engine computes it. */
function checksumOf(migration: string): string {
  return createHash('sha256').update(migration).digest('hex');
}

async function applyMigrations(url: string, migrationsList: MigrationList): Promise<string[]> {
  const adapter = new EnginePostgresAdapter({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: connectTimeoutMs,
  });
  const engine = await createSchemaEngine(adapter);
  try {
    const filters = { externalTables: [], externalEnums: [] };
    await withPanicMessage(() => forgetInterrupted(engine, { migrationsList, filters, optInToShadowDatabase: false }));
    const { appliedMigrationNames } = await withPanicMessage(() => engine.applyMigrations({ migrationsList, filters }));
    return appliedMigrationNames;
  } finally {
    engine.free();
    await adapter.close();
  }
}

/**
 * A migration that was cut off (a killed server) left nothing behind but its record, because it runs as one
 * transaction, or an index, which is built anew: it may run again.
 */
async function forgetInterrupted(engine: SchemaEngine, input: DiagnoseMigrationHistoryInput): Promise<void> {
  const { failedMigrationNames } = await engine.diagnoseMigrationHistory(input);
  for (const migrationName of failedMigrationNames) await engine.markMigrationRolledBack({ migrationName });
}

async function createMissingDatabase(url: string, queryTimeoutMs: number): Promise<void> {
  try {
    await (await connect(url, queryTimeoutMs)).end();
  } catch (error) {
    if (codeOf(error) !== 'INVALID_CATALOG_NAME') throw error;
    await createDatabaseNamedIn(url, queryTimeoutMs);
  }
}

async function createDatabaseNamedIn(url: string, queryTimeoutMs: number): Promise<void> {
  const maintenance = new URL(url);
  const name = decodeURIComponent(maintenance.pathname.slice(1));
  maintenance.pathname = '/postgres';
  const session = await connect(maintenance.toString(), queryTimeoutMs);
  try {
    await session.query(`CREATE DATABASE ${escapeIdentifier(name)}`);
  } catch (error) {
    // Another service was faster: told as "duplicate database", or, in a race, by a unique index of the
    // system's catalog.
    if (!['DUPLICATE_DATABASE', 'UNIQUE_VIOLATION'].includes(codeOf(error))) throw error;
  } finally {
    await session.end();
  }
}

async function connect(url: string, queryTimeoutMs: number): Promise<Client> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    idle_in_transaction_session_timeout: longestMigrationMs,
  });
  // A connection that is lost while idle must not end the process; the next query says so.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    if (isPoolersRefusal(error)) throw new PoolerError(error);
    throw error;
  }
  return client;
}

class PoolerError extends Error {
  constructor(cause: unknown) {
    super(
      'DATABASE_URL leads to a pooler, which migrations cannot use: set DATABASE_DIRECT_URL to the address of the server itself.',
      { cause },
    );
  }
}

/**
 * PgBouncer takes few parameters of a session, and no others:
 * https://www.pgbouncer.org/config.html#ignore_startup_parameters
 */
function isPoolersRefusal(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('unsupported startup parameter');
}

const codes: Record<string, string> = {
  '3D000': 'INVALID_CATALOG_NAME',
  '42P04': 'DUPLICATE_DATABASE',
  '23505': 'UNIQUE_VIOLATION',
  '55P03': 'LOCK_NOT_AVAILABLE',
};

/** The name of an SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return codes[code] ?? code;
}
