import type { CallerKey } from '@tollgate/contracts';
import { GatewayError } from '@tollgate/contracts';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * What a request wants of the response cache. `isRefresh`: no kept answer is wanted, and the new one is kept.
 * `ttlMs`: for how long.
 */
export interface CacheWish {
  readonly isRefresh: boolean;
  readonly ttlMs: number;
}

/** Seconds that an answer is kept for unless a key or a request says so, and at most. */
interface CacheTimes {
  readonly ttlS: number;
  readonly maxTtlS: number;
}

const modes = new Set(['on', 'off', 'refresh']);

/**
 * What a request wants, by its headers, else by its key; null: nothing, which is what most want.
 * @throws GatewayError 400 for a header that says something else.
 */
export function cacheWish(
  headers: IncomingHttpHeaders,
  { cacheTtlS }: Pick<CallerKey, 'cacheTtlS'>,
  times: CacheTimes,
): CacheWish | null {
  const mode = headers['x-tollgate-cache'];
  if (mode === undefined && cacheTtlS === null) return null;
  if (mode !== undefined && (typeof mode !== 'string' || !modes.has(mode)))
    throw new GatewayError(400, "The header 'x-tollgate-cache' must be on, off or refresh.");
  if (mode === 'off') return null;
  const ttlS = askedTtlS(headers) ?? cacheTtlS ?? times.ttlS;
  return { isRefresh: mode === 'refresh', ttlMs: Math.min(ttlS, times.maxTtlS) * 1_000 };
}

function askedTtlS(headers: IncomingHttpHeaders): number | null {
  const asked = headers['x-tollgate-cache-ttl'];
  if (asked === undefined) return null;
  if (typeof asked !== 'string' || !/^[1-9]\d{0,8}$/.test(asked))
    throw new GatewayError(400, "The header 'x-tollgate-cache-ttl' must be a whole number of seconds, of at least 1.");
  return Number(asked);
}
