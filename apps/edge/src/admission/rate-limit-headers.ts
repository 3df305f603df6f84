import { rateLimitError } from '@tollgate/contracts';
import type { GatewayError, LimitFacts } from '@tollgate/contracts';
import type { QuotaRecord } from '@tollgate/contracts/metering';
import type { RateLimitState } from './rate-limit-store';
import { windowMs } from './rolling-log';
import type { TokenRateState } from './token-rates/token-rate-store';

/** What a key may use of tokens: in a month, and in a minute. */
interface TokenLimits {
  readonly quota: QuotaRecord | null;
  readonly tokens: TokenRateState | null;
}

/**
 * The headers that tell a caller its limits: OpenAI's `x-ratelimit-*` trio for requests and for tokens (times
 * as durations in whole seconds, rounded up), and IETF `RateLimit` and `RateLimit-Policy` for requests. What
 * is unlimited has no headers; `quota` null: not known, or unlimited; `tokens` null: no limit of tokens a
 * minute. The headers of tokens tell of the month's quota and the minute's limit the one with less left.
 * @see https://platform.openai.com/docs/guides/rate-limits
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/11/
 */
export function rateLimitHeaders(
  requests: RateLimitState,
  { quota, tokens }: TokenLimits,
  nowMs: number,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (requests.limit !== null) {
    const resetS = Math.ceil(requests.resetMs / 1_000);
    headers['x-ratelimit-limit-requests'] = String(requests.limit);
    headers['x-ratelimit-remaining-requests'] = String(requests.remaining);
    headers['x-ratelimit-reset-requests'] = `${resetS}s`;
    headers['ratelimit-policy'] = `"requests";q=${requests.limit};w=${windowMs / 1_000}`;
    headers['ratelimit'] = `"requests";r=${requests.remaining};t=${resetS}`;
  }
  const told = tighter(ofMonth(quota, nowMs), tokens);
  if (told) {
    headers['x-ratelimit-limit-tokens'] = String(told.limit);
    headers['x-ratelimit-remaining-tokens'] = String(told.remaining);
    headers['x-ratelimit-reset-tokens'] = `${Math.max(0, Math.ceil(told.resetMs / 1_000))}s`;
  }
  return headers;
}

function ofMonth(record: QuotaRecord | null, nowMs: number): TokenRateState | null {
  if (record?.quota == null || record.remaining === null) return null;
  return { limit: record.quota, remaining: record.remaining, resetMs: record.resetsAt - nowMs };
}

function tighter(one: TokenRateState | null, other: TokenRateState | null): TokenRateState | null {
  if (one === null || other === null) return one ?? other;
  return other.remaining <= one.remaining ? other : one;
}

/** Whole seconds to wait for the next request, at least 1: what Retry-After and the message of a 429 say. */
export function retryAfterS(state: Pick<RateLimitState, 'retryAfterMs'>): number {
  return Math.max(1, Math.ceil(state.retryAfterMs / 1_000));
}

/** The refusal by a limit a minute. Its time is that of any other where the limit is 0, and nobody waits. */
export function rateRefusal(
  { limit, retryAfterMs }: { limit: number | null; retryAfterMs: number },
  facts: LimitFacts,
): GatewayError {
  return rateLimitError(retryAfterS({ retryAfterMs }), limit === 0 ? { ...facts, isNothing: true } : facts);
}
