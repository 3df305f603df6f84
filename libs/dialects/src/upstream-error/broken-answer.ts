import type { UpstreamError } from '../provider-dialect';

/** An answer that breaks its dialect. `what` completes "<provider> ...". */
export function brokenAnswer(providerName: string, code: string, what: string): UpstreamError {
  return { fault: 'retryable', code, message: `${providerName} ${what}`, retryAfterS: null };
}
