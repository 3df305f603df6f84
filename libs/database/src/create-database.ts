import { PrismaPg } from '@prisma/adapter-pg';
import type { Clients, OwnedTables, Owner } from './owners';
import { defaultOptions, poolSettings } from './pool-settings';
import type { PoolOptions } from './pool-settings';

/**
 * The queries of one owner: its tables, and typed raw SQL (tagged templates only: values are always
 * parameters).
 */
export type Queries<For extends Owner> = OwnedTables[For] & Pick<Clients[For], '$queryRaw' | '$executeRaw'>;

/**
 * Times in milliseconds: how long to wait for a free connection and the transaction to begin, and how long it
 * may take. `isolationLevel`: every statement in it sees the same moment.
 */
interface TransactionOptions {
  maxWait?: number;
  timeout?: number;
  isolationLevel?: 'RepeatableRead';
}

/** A service's way to the database: connects when first used, and again whenever the connection was lost. */
export type Database<For extends Owner> = Queries<For> & {
  /** Runs `work` in one transaction (READ COMMITTED, unless asked otherwise); an error rolls it back. */
  $transaction<Result>(
    work: (transaction: Queries<For>) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  $disconnect(): Promise<void>;
};

export type DatabaseOptions = Partial<PoolOptions>;

/** The generated client of one owner. */
type ClientClass<For extends Owner> = new (options: {
  adapter: PrismaPg;
  transactionOptions: { maxWait: number; timeout: number };
}) => Database<For>;

/**
 * Opens the database as one owner, with its generated client. Nothing is checked here: the first query tells
 * whether Postgres can be reached (see isDatabaseUnavailable).
 */
export function createDatabase<For extends Owner>(
  Client: ClientClass<For>,
  url: string,
  owner: For,
  options: DatabaseOptions = {},
): Database<For> {
  const { connectTimeoutMs, statementTimeoutMs } = { ...defaultOptions, ...options };
  const adapter = new PrismaPg(
    poolSettings(url, owner, options),
    // An idle connection that breaks is replaced by the pool; whoever queries next is told if that fails too.
    { onPoolError: () => undefined, onConnectionError: () => undefined },
  );
  return new Client({
    adapter,
    transactionOptions: { maxWait: connectTimeoutMs, timeout: statementTimeoutMs * 2 },
  });
}
