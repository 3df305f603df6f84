import type { CancelReason, GenerationFailure } from '@tollgate/contracts';
import { GatewayError, guardrailError, isGatewayErrorStatus } from '@tollgate/contracts';

/**
 * What the caller is told of a failed generation. `reason` is why edge itself stopped it, null when it did
 * not; `provider` that of the last attempt, null when none was made.
 */
export function toCallerError(
  failure: GenerationFailure,
  reason: CancelReason | null,
  provider: string | null,
): GatewayError {
  if (reason === 'key_revoked')
    return new GatewayError(
      401,
      'This API key stopped working during the request: it was revoked, or its account suspended.',
    );
  if (failure.guardrail !== undefined) return guardrailError('answer', failure.guardrail);
  const details =
    failure.code === 'upstream' && provider !== null ? { ...failure.details, provider } : (failure.details ?? null);
  if (!isGatewayErrorStatus(failure.status))
    return new GatewayError(502, failure.message, failure.retryAfterS).withDetails(details);
  // A 503 without a time is no help to a client that backs off by it.
  const retryAfterS = failure.retryAfterS ?? (failure.status === 503 ? 1 : null);
  return new GatewayError(failure.status, failure.message, retryAfterS).withDetails(details);
}
