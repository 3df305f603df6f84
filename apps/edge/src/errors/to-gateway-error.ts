import { HttpException } from '@nestjs/common';
import { ControlError, GatewayError, isGatewayErrorStatus, guardrailError } from '@tollgate/contracts';
import type { CancelReason, GenerationFailure } from '@tollgate/contracts/inference';
import type { Logger } from '@tollgate/observability';

/** Seconds after which a caller may try again when a service behind edge does not answer. */
const retryS = 2;

/**
 * What a caller may see of anything that was thrown. Null: a fault of ours, to be logged and told as 500
 * without detail.
 */
export function toGatewayError(thrown: unknown): GatewayError | null {
  if (thrown instanceof GatewayError) return thrown;
  if (thrown instanceof ControlError) return fromControlError(thrown);
  const status = httpStatus(thrown);
  if (status === null || status >= 500) return null;
  if (isGatewayErrorStatus(status))
    return new GatewayError(status, texts[status] ?? 'The request cannot be understood.');
  return new GatewayError(400, 'The request cannot be understood.');
}

/** The same, with the 500 that stands for every fault of ours, which is logged as `what` happened. */
export function errorToTell(
  thrown: unknown,
  logger: Pick<Logger, 'error'>,
  requestId: string | undefined,
  what: string,
): GatewayError {
  const error = toGatewayError(thrown);
  if (error) return error;
  logger.error({ err: thrown, requestId }, what);
  return new GatewayError(500, 'Something went wrong on our side; the request id finds it in our logs.');
}

/** A refusal by another service, as who asked may see it. Null: a fault. */
function fromControlError({ code, message }: ControlError): GatewayError | null {
  switch (code) {
    case 'invalid':
      return new GatewayError(400, message);
    case 'conflict':
    case 'outdated':
      return new GatewayError(409, message);
    case 'forbidden':
      return new GatewayError(403, message);
    case 'not_found':
      return new GatewayError(404, message);
    case 'unavailable':
      return new GatewayError(503, 'A part of the gateway does not answer at the moment, try again shortly.', retryS);
    case 'internal':
      return null;
  }
}

/** The status that Nest or Fastify gave to what it threw. */
function httpStatus(thrown: unknown): number | null {
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (thrown instanceof Error && 'statusCode' in thrown && typeof thrown.statusCode === 'number')
    return thrown.statusCode;
  return null;
}

const texts: Partial<Record<number, string>> = {
  400: 'The request is malformed: check its address, headers and body.',
  404: 'There is nothing at this address: see /docs for what there is.',
  413: 'The request body is too large.',
  415: 'The request body must be sent with Content-Type: application/json.',
};

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
