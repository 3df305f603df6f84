import { createHash } from 'node:crypto';
import { Pool, types } from 'pg';
import type { CustomTypesConfig, PoolClient } from 'pg';
import { errorCodes } from './error-causes';
import * as Prisma from './sql';
import type { Owner } from './owners';
import { poolSettings } from './pool-settings';
import type { PoolOptions } from './pool-settings';

/** Typed raw SQL, as every `Queries` has it: tagged templates only, so that values are always parameters. */
export interface Statements {
  $queryRaw<Result>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<Result>;
  /** Resolves to the number of rows that were changed. */
  $executeRaw(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<number>;
}

/** Transactions of raw SQL alone, without Prisma between. */
export interface StatementPool {
  /**
   * Runs `work` in one transaction (READ COMMITTED, unless asked otherwise); an error rolls it back.
   * `isolationLevel`: every statement in it sees the same moment. Statements that `work` asks after its end,
   * as its other branches may where one of them failed, are refused.
   */
  transaction<Result>(
    work: (transaction: Statements) => Promise<Result>,
    options?: { isolationLevel?: 'RepeatableRead' },
  ): Promise<Result>;
  end(): Promise<void>;
}

export interface StatementOptions extends PoolOptions {
  /**
   * Postgres plans each text once for a connection, unless that is a pooler's: so texts must be few, and
   * their plans fit whatever is asked. Default true.
   */
  isPlannedOnce: boolean;
}

/**
 * Opens the database as one owner for raw SQL: a statement costs a fifth of what it does through Prisma.
 * Values are as Prisma has them where they are `bigint`, `Date` of a timestamp, lists of texts or parsed
 * JSON; `numeric` and what is in lists of `bigint` are texts, a `date` begins in local time. Nothing is
 * checked here, as in `createDatabase`. A transaction that takes longer than two statements may is given up.
 */
export function createStatementPool(url: string, owner: Owner, options: Partial<StatementOptions> = {}): StatementPool {
  const settings = poolSettings(url, owner, options);
  const pool = new Pool(settings);
  // An idle connection that breaks is replaced by the pool; whoever queries next is told if that fails too.
  pool.on('error', () => undefined);
  let isNamed = !options.pooled && options.isPlannedOnce !== false;
  return {
    end: () => pool.end(),
    async transaction(work, { isolationLevel } = {}) {
      const client = await pool.connect();
      const session = { client, isNamed, isOver: false };
      // What broke it is told to the statement at hand, or to the next one.
      const ignore = (): void => undefined;
      client.on('error', ignore);
      let timer: NodeJS.Timeout | undefined;
      let isLost = false;
      const begin = isolationLevel === undefined ? 'BEGIN' : 'BEGIN ISOLATION LEVEL REPEATABLE READ';
      try {
        const late = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new TransactionTimeoutError()), 2 * settings.query_timeout);
        });
        return await Promise.race([inTransaction(session, begin, work), late]);
      } catch (error) {
        session.isOver = true;
        const codes = errorCodes(error);
        if (codes.some((code) => unnamedCodes.has(code))) isNamed = false;
        isLost = error instanceof TransactionTimeoutError || codes.some((code) => lostCodes.has(code));
        if (!isLost) await client.query('ROLLBACK').catch(() => (isLost = true));
        throw error;
      } finally {
        clearTimeout(timer);
        client.off('error', ignore);
        // One that is lost is ended, and with it, on the server, the transaction that is open on it.
        client.release(isLost);
      }
    },
  };
}

/** The work of a transaction did not come to its end in time: nothing of it is kept, unless COMMIT ran. */
class TransactionTimeoutError extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('transaction timeout: it took longer than two statements may');
  }
}

/**
 * A connection knows a statement that Postgres does not (26000), or the other way round (42P05): it is one of
 * a pooler that gives each transaction another server's, and nobody said so. 0A000: a planned statement has
 * other columns since a migration, and a pooler may keep it for new connections, too.
 */
const unnamedCodes: ReadonlySet<string> = new Set(['26000', '42P05', '0A000']);

/**
 * What a connection says that will say the same of the next transaction: also that its server takes no writes
 * (25006, a primary that is a standby now).
 */
const lostCodes: ReadonlySet<string> = new Set([...unnamedCodes, '25006']);

/** A connection while one transaction has it. */
interface Session {
  client: PoolClient;
  isNamed: boolean;
  /** No more than its end is asked from now on. */
  isOver: boolean;
}

async function inTransaction<Result>(
  session: Session,
  begin: string,
  work: (transaction: Statements) => Promise<Result>,
): Promise<Result> {
  const { client } = session;
  await client.query(begin);
  const result = await work(statementsOn(session));
  session.isOver = true;
  await client.query('COMMIT');
  return result;
}

/** Whole numbers of 64 bits are exact. */
const asPrisma: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === types.builtins.INT8 && format !== 'binary'
      ? BigInt
      : (types.getTypeParser(oid, format) as (value: string) => unknown),
};

function statementsOn(session: Session): Statements {
  const { client, isNamed } = session;
  const run = (query: TemplateStringsArray | Prisma.Sql, values: unknown[]) => {
    // Others may have the connection by now.
    if (session.isOver) throw new Error('The transaction is over: it takes no more statements.');
    const { text, values: all } = query instanceof Prisma.Sql ? query : Prisma.sql(query, ...values);
    return client.query({ text, values: all, types: asPrisma, ...(isNamed ? { name: nameOf(text) } : {}) });
  };
  return {
    $queryRaw: async <Result>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) =>
      (await run(query, values)).rows as Result,
    $executeRaw: async (query, ...values) => (await run(query, values)).rowCount ?? 0,
  };
}

const names = new Map<string, string>();

/** The same for the same text; Postgres keeps 63 characters of it. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 32);
  names.set(text, name);
  return name;
}
