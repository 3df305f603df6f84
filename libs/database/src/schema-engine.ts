import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runInThisContext } from 'node:vm';
import type * as PostgresAdapter from '@prisma/adapter-pg';
import type * as AdapterUtilities from '@prisma/driver-adapter-utils';
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';

type Timer = (callback: () => void, delayMs: number) => NodeJS.Timeout;
/**
 * The parts of wasm-bindgen's generated module that are used here; its other exports are what the WebAssembly
 * imports.
 */
type EngineModule = Record<string, unknown> & {
  SchemaEngine: typeof SchemaEngine;
  __wbg_set_wasm(exports: object): void;
};
/**
 * The generated module keeps one instance's state in itself, so a process has one, also when a test runner
 * loads this file often.
 */
const loadedEngine = Symbol.for('tollgate.schema-engine');
interface Realm {
  process: NodeJS.Process;
  Error: ErrorConstructor;
  /** The engine looks this name up to report a panic. */
  PRISMA_WASM_PANIC_REGISTRY: { set_message(message: string): void };
  [loadedEngine]?: Promise<EngineModule>;
  WebAssembly: {
    instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
  };
}

/**
 * Node's main realm and its own `require`, also where a test runner has put others in their place: the engine
 * is an ES module (which Node >= 20.19 can require), and it recognises promises and maps only if they are of
 * its own realm, so its adapter is loaded the same way.
 */
const realm = runInThisContext('globalThis') as Realm;
const nodeRequire = realm.process.getBuiltinModule('node:module').createRequire(__filename);
const { bindMigrationAwareSqlAdapterFactory, DriverAdapterError } = nodeRequire(
  '@prisma/driver-adapter-utils',
) as typeof AdapterUtilities;
const { PrismaPg } = nodeRequire('@prisma/adapter-pg') as typeof PostgresAdapter;

type Connection = Awaited<ReturnType<PostgresAdapter.PrismaPg['connect']>>;

/** How the engine reaches Postgres. */
export class EnginePostgresAdapter extends PrismaPg {
  private readonly connections: Connection[] = [];

  /**
   * Sends a migration as the one script it is: Postgres runs it as one transaction. (The plain adapter cuts
   * it at every semicolon.) One that builds an index beside those who write is a statement by itself, which
   * no transaction may be around. Either may take longer than the role may for a statement.
   */
  override async connect(): Promise<Connection> {
    const connection = await super.connect();
    connection.executeScript = async (script) => {
      const pool = connection.underlyingDriver();
      const index = /^\s*CREATE (?:UNIQUE )?INDEX CONCURRENTLY\s+(?:IF NOT EXISTS\s+)?("[^"]+"|\w+)/im.exec(
        script,
      )?.[1];
      const sent =
        index === undefined
          ? pool.query(`SET LOCAL statement_timeout = 0;\n${script}`)
          : buildAlone(pool, index, script);
      await sent.catch(tellEngine);
    };
    // Whoever calls the engine holds a lock already, in a transaction. The engine's own is the session's, and
    // would stay on a pooler's connection.
    const executeRaw = connection.executeRaw.bind(connection);
    connection.executeRaw = async (query) => (query.sql.includes('pg_advisory_lock(') ? 0 : executeRaw(query));
    this.connections.push(connection);
    return connection;
  }

  /** Ends the engine's sessions, which it does not do itself: they hold its advisory lock. */
  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.dispose()));
  }
}

/**
 * Runs the statement that builds an index outside of any transaction, for as long as it takes. What was cut
 * off before leaves its index behind, valid or not, and would be refused for that name ever after.
 * @see https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY
 */
async function buildAlone(pool: pg.Pool, index: string, statement: string): Promise<void> {
  const session = await pool.connect();
  try {
    await session.query('SET statement_timeout = 0');
    await session.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
    await session.query(statement);
    await session.query('RESET statement_timeout');
    session.release();
  } catch (error) {
    session.release(true);
    throw error;
  }
}

/** The engine reports an error of the server only in the adapters' own form. */
function tellEngine(error: unknown): never {
  if (!(error instanceof realm.Error) || !('severity' in error)) throw error;
  const { message, code, severity, detail, column, hint } = error as pg.DatabaseError;
  throw new DriverAdapterError({
    kind: 'postgres',
    code: code ?? 'unknown',
    severity: severity ?? 'ERROR',
    message,
    detail,
    column,
    hint,
  });
}

/**
 * Prisma's own schema engine as WebAssembly, on a database reached by `adapter`. `schema` are the files of
 * the Prisma schema, needed to diff only.
 * @throws Error with the engine's panic message should it panic while it starts.
 */
export async function createSchemaEngine(
  adapter: SqlMigrationAwareDriverAdapterFactory,
  schema?: [path: string, content: string][],
): Promise<SchemaEngine> {
  const module = await (realm[loadedEngine] ??= instantiate());
  return withPanicMessage(() =>
    module.SchemaEngine.new({ datamodels: schema }, () => undefined, bindMigrationAwareSqlAdapterFactory(adapter)),
  );
}

/**
 * Runs a call of the engine. One that panics never settles by itself: it is rejected here, with what the
 * engine said.
 */
export function withPanicMessage<Result>(call: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    realm.PRISMA_WASM_PANIC_REGISTRY = {
      set_message: (message) => reject(new Error(`Prisma's schema engine panicked: ${message}`)),
    };
    call().then(resolve, reject);
  });
}

async function instantiate(): Promise<EngineModule> {
  const glue = nodeRequire('@prisma/schema-engine-wasm/schema_engine_bg') as EngineModule;
  const folder = dirname(nodeRequire.resolve('@prisma/schema-engine-wasm'));
  const bytes = readFileSync(join(folder, 'schema_engine_bg.wasm'));
  const imports = { './schema_engine_bg.js': { ...glue, ...withoutHold(glue) } };
  const { instance } = await realm.WebAssembly.instantiate(bytes, imports);
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return glue;
}

/**
 * The engine never clears the 10 s timeout of its advisory lock: its timers must not keep the process alive.
 */
function withoutHold(glue: EngineModule): Record<string, Timer> {
  const timers = Object.entries(glue).filter(([name]) => name.startsWith('__wbg_setTimeout_')) as [string, Timer][];
  return Object.fromEntries(
    timers.map(([name, setTimer]) => [name, (callback, delayMs) => setTimer(callback, delayMs).unref()]),
  );
}
