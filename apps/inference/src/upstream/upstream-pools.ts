import type { TimeLimits } from '@tollgate/contracts';
import { Pool } from 'undici';
import { lookupInternet } from './internet-only';
import type { ProviderEndpoint } from './provider-endpoint';
import type { RequestAuthorizer } from './request-authorizer';
import { requestBody } from './request-body';
import { DispatchedExchange, type UpstreamExchange, type UpstreamListener } from './upstream-exchange';

/**
 * One request to a provider: `path` is appended to the base URL; `totalMs` bounds the whole exchange,
 * whatever `timeouts` say of it.
 */
export interface UpstreamSend {
  endpoint: ProviderEndpoint;
  timeouts: Required<TimeLimits>;
  path: string;
  headers: Record<string, string>;
  body: readonly Uint8Array[];
  totalMs: number;
}

/** Sends requests to providers. What comes back is told to the listener, never thrown. */
export interface Upstream {
  send(send: UpstreamSend, listener: UpstreamListener): UpstreamExchange;
}

/** Idle connections are kept this long unless the provider says otherwise (Keep-Alive header). */
const keepAliveMs = 30_000;
/**
 * Longer than any connect limit: our own timers decide (see ExchangeTimers), and this only cleans up after
 * them.
 */
const connectCleanupMs = 61_000;

/**
 * Connections to providers: a pool for each provider and origin, kept alive. Redirects are never followed, so
 * a key stays with its origin.
 */
export class UpstreamPools implements Upstream {
  private readonly pools = new Map<string, Pool>();

  constructor(private readonly connectionsPerProvider: number) {}

  send(send: UpstreamSend, listener: UpstreamListener): UpstreamExchange {
    const { endpoint, headers, timeouts, totalMs } = send;
    const exchange = new DispatchedExchange(listener, timeouts, totalMs);
    if (endpoint.authorizer) this.sendAuthorized(endpoint.authorizer, send, exchange);
    else this.dispatch(send, headers, exchange);
    return exchange;
  }

  /** Closes the pools of providers that left the catalog or moved, once what runs on them has ended. */
  retain(endpoints: Iterable<ProviderEndpoint>): void {
    const kept = new Set(
      Array.from(endpoints, (endpoint) => [poolName(endpoint), poolName({ ...endpoint, isOwnKey: true })]).flat(),
    );
    for (const [name, pool] of this.pools) {
      if (kept.has(name)) continue;
      this.pools.delete(name);
      // A pool that fails to close has nothing left to lose.
      pool.close().catch(() => undefined);
    }
  }

  /** Closes every connection, whatever runs on it. */
  async close(): Promise<void> {
    const pools = [...this.pools.values()];
    this.pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  private dispatch(
    { endpoint, path, body }: UpstreamSend,
    headers: Record<string, string>,
    exchange: DispatchedExchange,
  ) {
    this.pool(endpoint).dispatch(
      { method: 'POST', path: endpoint.basePath + path, headers, body: requestBody(body) },
      exchange,
    );
    exchange.dispatched();
  }

  /** Tokens and signatures may have to be waited for; without them nothing is sent. */
  private sendAuthorized(authorizer: RequestAuthorizer, send: UpstreamSend, exchange: DispatchedExchange): void {
    const { endpoint, headers, body } = send;
    const go = (added: Record<string, string>): void => {
      if (!exchange.isOver) this.dispatch(send, { ...headers, ...added }, exchange);
    };
    const added = authorizer.authorize({ origin: endpoint.origin, path: endpoint.basePath + send.path, headers, body });
    if (!(added instanceof Promise)) return go(added);
    exchange.authorizing();
    added.then(go).catch((error: unknown) => exchange.notAuthorized(error));
  }

  private pool(endpoint: ProviderEndpoint): Pool {
    const name = poolName(endpoint);
    let pool = this.pools.get(name);
    if (!pool) {
      pool = this.createPool(endpoint);
      this.pools.set(name, pool);
    }
    return pool;
  }

  private createPool({ origin, internetOnly }: ProviderEndpoint): Pool {
    return new Pool(origin, {
      connections: this.connectionsPerProvider,
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: connectCleanupMs, ...(internetOnly && { lookup: lookupInternet }) },
    });
  }
}

/** What is asked with keys of accounts takes no connection from others. */
function poolName({ provider, origin, internetOnly, isOwnKey }: ProviderEndpoint): string {
  return `${provider.id} ${origin}${internetOnly ? ' internet' : ''}${isOwnKey ? ' own' : ''}`;
}
