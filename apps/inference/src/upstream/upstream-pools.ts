import { Readable } from 'node:stream';
import type { TimeLimits } from '@tollgate/contracts/catalog';
import { Pool } from 'undici';
import { lookupInternet } from './internet-only';
import type { ProviderEndpoint } from './provider-endpoint';
import type { RequestAuthorizer } from './request-authorizer';
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

  /** `onSentAgain` hears of each request that goes out once more (see DispatchedExchange). */
  constructor(
    private readonly connectionsPerProvider: number,
    private readonly onSentAgain: (endpoint: ProviderEndpoint) => void = () => undefined,
  ) {}

  send(send: UpstreamSend, listener: UpstreamListener): UpstreamExchange {
    const { endpoint, headers, timeouts, totalMs } = send;
    const exchange = new DispatchedExchange(listener, timeouts, totalMs);
    if (endpoint.authorizer) this.sendAuthorized(endpoint.authorizer, send, exchange);
    else this.dispatch(send, headers, exchange);
    return exchange;
  }

  /** Closes the pools of providers that left the catalog or moved, once what runs on them has ended. */
  retain(endpoints: Iterable<ProviderEndpoint>): void {
    const kept = new Set(Array.from(endpoints, allPoolNames).flat());
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
    const go = (isNew: boolean): void =>
      void this.pool(endpoint, isNew).dispatch(
        { method: 'POST', path: endpoint.basePath + path, headers, body: requestBody(body) },
        exchange,
      );
    exchange.sendAgain = () => {
      this.onSentAgain(endpoint);
      go(true);
    };
    go(false);
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

  /** `isNew`: one of which each request has a connection of its own. */
  private pool(endpoint: ProviderEndpoint, isNew: boolean): Pool {
    const name = poolName(endpoint, isNew);
    let pool = this.pools.get(name);
    if (!pool) {
      pool = this.createPool(endpoint, isNew);
      this.pools.set(name, pool);
    }
    return pool;
  }

  private createPool({ origin, internetOnly }: ProviderEndpoint, isNew: boolean): Pool {
    return new Pool(origin, {
      connections: this.connectionsPerProvider,
      // Of 0 none is kept: https://undici.nodejs.org/#/docs/api/Client
      pipelining: isNew ? 0 : 1,
      keepAliveTimeout: keepAliveMs,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: connectCleanupMs, ...(internetOnly && { lookup: lookupInternet }) },
    });
  }
}

/** What is asked with keys of accounts takes no connection from others. */
function poolName({ provider, origin, internetOnly, isOwnKey }: ProviderEndpoint, isNew: boolean): string {
  return `${provider.id} ${origin}${internetOnly ? ' internet' : ''}${isOwnKey ? ' own' : ''}${isNew ? ' new' : ''}`;
}

function allPoolNames(endpoint: ProviderEndpoint): string[] {
  return [endpoint, { ...endpoint, isOwnKey: true }].flatMap((each) => [poolName(each, false), poolName(each, true)]);
}

/** From this size on, in bytes, a piece is sent from where it lies; smaller ones are copied together. */
const largePieceBytes = 65_536;

/**
 * A request body as undici takes it. A copy of what is large would be memory that V8 counts, and collects the
 * whole heap for after each 64 MB.
 */
export function requestBody(pieces: readonly Uint8Array[]): Uint8Array | Readable {
  const few = fewPieces(pieces);
  const [only = new Uint8Array(0)] = few;
  return few.length > 1 ? new PiecedBody(few) : only;
}

/**
 * All pieces at once, however full the socket is: a provider that answers before it has read all, and closes,
 * is heard while a write waits, and not where a next one fails. They are in memory anyway.
 */
class PiecedBody extends Readable {
  constructor(pieces: readonly Uint8Array[]) {
    super({ read: () => undefined });
    for (const piece of pieces) this.push(piece);
    this.push(null);
  }

  override pause(): this {
    return this;
  }
}

/** The same bytes, of which no two small pieces follow each other: each piece is a call of the system. */
function fewPieces(pieces: readonly Uint8Array[]): Uint8Array[] {
  const few: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  const join = (): void => {
    if (small.length > 0) few.push(Buffer.concat(small));
    small = [];
  };
  for (const piece of adjoined(pieces)) {
    if (piece.length < largePieceBytes) {
      small.push(piece);
      continue;
    }
    join();
    few.push(piece);
  }
  join();
  return few;
}

/** Pieces of one memory that follow each other there are one. */
function adjoined(pieces: readonly Uint8Array[]): Uint8Array[] {
  const all: Uint8Array[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    const follows = last?.buffer === piece.buffer && last.byteOffset + last.length === piece.byteOffset;
    if (last && follows) all[all.length - 1] = Buffer.from(last.buffer, last.byteOffset, last.length + piece.length);
    else if (piece.length > 0) all.push(piece);
  }
  return all;
}
