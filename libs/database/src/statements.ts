import { createHash } from 'node:crypto';
import { Pool, types } from 'pg';
import type { CustomTypesConfig, PoolClient } from 'pg';
import { Prisma } from './generated/client';
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
  /** Runs `work` in one transaction (READ COMMITTED); an error rolls it back. */
  transaction<Result>(work: (transaction: Statements) => Promise<Result>): Promise<Result>;
  end(): Promise<void>;
}

/**
 * Opens the database as one owner for raw SQL: a statement costs a fifth of what it does through Prisma, and
 * Postgres plans it once for a connection, unless that is a pooler's. So their texts must be few. Values are
 * as Prisma has them: `bigint`, `Date`, parsed JSON. Nothing is checked here, as in `createDatabase`.
 */
export function createStatementPool(url: string, owner: Owner, options: Partial<PoolOptions> = {}): StatementPool {
  const pool = new Pool(poolSettings(url, owner, options));
  // An idle connection that breaks is replaced by the pool; whoever queries next is told if that fails too.
  pool.on('error', () => undefined);
  return {
    end: () => pool.end(),
    async transaction(work) {
      const client = await pool.connect();
      // What broke it is told to the statement at hand, or to the next one.
      const ignore = (): void => undefined;
      client.on('error', ignore);
      let broken = false;
      try {
        await client.query('BEGIN');
        const result = await work(statementsOn(client, options.pooled ?? false));
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => (broken = true));
        throw error;
      } finally {
        client.off('error', ignore);
        client.release(broken);
      }
    },
  };
}

/** Whole numbers of 64 bits are exact. */
const asPrisma: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === types.builtins.INT8 && format !== 'binary'
      ? BigInt
      : (types.getTypeParser(oid, format) as (value: string) => unknown),
};

function statementsOn(client: PoolClient, pooled: boolean): Statements {
  const run = (query: TemplateStringsArray | Prisma.Sql, values: unknown[]) => {
    const { text, values: all } = query instanceof Prisma.Sql ? query : Prisma.sql(query, ...values);
    return client.query({ text, values: all, types: asPrisma, ...(pooled ? {} : { name: nameOf(text) }) });
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
