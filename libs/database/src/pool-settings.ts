import { Client } from 'pg';
import type { ClientBase, ClientConfig, PoolConfig } from 'pg';
import { errorCodes } from './error-causes';
import type { Owner } from './owners';
import { regainRights } from './rights';

export interface PoolOptions {
  /** Connections at most. Default 10. */
  connections: number;
  /** A query that takes longer fails, so that callers hear quickly when Postgres hangs. Default 5,000. */
  statementTimeoutMs: number;
  /** Default 2,000. */
  connectTimeoutMs: number;
  /**
   * The address is that of a pooler (PgBouncer in transaction mode). It refuses sessions with settings of
   * their own, and what a statement sets is the next client's: statements are given up here after the same
   * time, and ended by the server, or compiled, only as its role or the pooler says. Default false.
   */
  pooled: boolean;
}

export const defaultOptions: PoolOptions = {
  connections: 10,
  statementTimeoutMs: 5_000,
  connectTimeoutMs: 2_000,
  pooled: false,
};

/** How a pool of one owner's connections is made. `query_timeout`: after it a statement is given up here. */
export function poolSettings(
  url: string,
  owner: Owner,
  options: Partial<PoolOptions>,
): PoolConfig & { query_timeout: number } {
  const { connections, statementTimeoutMs, connectTimeoutMs, pooled } = { ...defaultOptions, ...options };
  return {
    connectionString: url,
    application_name: `tollgate-${owner}`,
    max: connections,
    Client: WholeClient,
    connectionTimeoutMillis: connectTimeoutMs,
    // The server's own timeout does not help when the server or the network is what hangs.
    query_timeout: statementTimeoutMs + 1_000,
    keepAlive: true,
    ...(pooled
      ? {}
      : {
          statement_timeout: statementTimeoutMs,
          idle_in_transaction_session_timeout: statementTimeoutMs * 2,
          // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it
          onConnect: compileNothing,
        }),
  };
}

/**
 * To compile a plan may take many seconds, in which no timeout ends it. It is said as a statement: proxies
 * refuse sessions that begin with options (https://github.com/psycopg/psycopg2/issues/1577).
 */
async function compileNothing(client: ClientBase): Promise<void> {
  await client.query('SET jit = off');
}

/** What the driver says of a statement that it gave up. */
const givenUp = 'Query read timeout';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const insufficientPrivilege = '42501';

/**
 * A connection that asks for its rights again where one is missing (see regainRights), and that ends with the
 * first statement that was given up. The driver keeps it: that statement may still run, the ROLLBACK behind
 * it is given up unsent, and whoever gets the connection next would commit the half of a transaction that is
 * still open on it.
 * Statements that are asked at once, as Prisma does for each table that comes with a row, are handed to the
 * driver one after the other: to keep several is deprecated there, and the time of each began with the first.
 * @see https://github.com/brianc/node-postgres/blob/master/packages/pg/lib/client.js `query`
 */
class WholeClient extends Client {
  private readonly url: string | undefined;
  /** The end of the statement that was asked last; null: none runs or waits. */
  private asked: Promise<void> | null = null;

  constructor(config?: string | ClientConfig) {
    super(config);
    this.url = typeof config === 'string' ? config : config?.connectionString;
    // oxlint-disable-next-line typescript/unbound-method -- it is called with the `this` of its call
    this.query = new Proxy(this.query, {
      apply: (query, self, values: unknown[]): unknown => {
        const heard = values.map((value) => this.heard(value));
        const ask = (): unknown => Reflect.apply(query, self, heard);
        // A pool, which asks with a function, does so where nobody else uses the connection.
        return values.some((value) => typeof value === 'function') ? ask() : this.inTurn(ask);
      },
    });
  }

  private inTurn(ask: () => unknown): unknown {
    const result = this.asked ? this.asked.then(ask) : ask();
    if (!(result instanceof Promise)) return result;
    const over = (): void => {
      if (this.asked === asked) this.asked = null;
    };
    const failed = (error: unknown): void => {
      over();
      this.seeFailure(error);
    };
    const asked = result.then(over, failed);
    this.asked = asked;
    return result;
  }

  /** Pools ask with a function that is called with what came of it. */
  private heard(value: unknown): unknown {
    if (typeof value !== 'function') return value;
    return (error: unknown, ...rest: unknown[]): unknown => {
      if (error instanceof Error) this.seeFailure(error);
      return Reflect.apply(value, undefined, [error, ...rest]);
    };
  }

  private seeFailure(error: unknown): void {
    if (error instanceof Error && error.message === givenUp) this.end().catch(() => undefined);
    if (this.url !== undefined && errorCodes(error).includes(insufficientPrivilege)) void regainRights(this.url);
  }
}
