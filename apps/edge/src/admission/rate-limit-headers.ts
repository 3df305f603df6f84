import type { QuotaRecord } from '@tollgate/contracts';
import type { RateLimitState } from './rate-limit-store';
import { windowMs } from './rolling-log';

/**
 * The headers that tell a caller its limits: OpenAI's `x-ratelimit-*` trio for requests and for tokens (times
 * as durations in whole seconds, rounded up), and IETF `RateLimit` and `RateLimit-Policy` for requests. What
 * is unlimited has no headers; `quota` null: not known, or unlimited.
 * @see https://platform.openai.com/docs/guides/rate-limits
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/11/
 */
export function rateLimitHeaders(
  requests: RateLimitState,
  quota: QuotaRecord | null,
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
  if (quota?.quota != null && quota.remaining !== null) {
    headers['x-ratelimit-limit-tokens'] = String(quota.quota);
    headers['x-ratelimit-remaining-tokens'] = String(quota.remaining);
    headers['x-ratelimit-reset-tokens'] = `${Math.max(0, Math.ceil((quota.resetsAt - nowMs) / 1_000))}s`;
  }
  return headers;
}

/** Whole seconds to wait for the next request, at least 1: what Retry-After and the message of a 429 say. */
export function retryAfterS(state: RateLimitState): number {
  return Math.max(1, Math.ceil(state.retryAfterMs / 1_000));
}
