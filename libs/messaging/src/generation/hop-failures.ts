import type { CancelReason, GenerationFailure } from '@tollgate/contracts/inference';

/** How the hop itself fails a generation. Messages are for the caller. */
export const hopFailures = {
  overloaded: {
    code: 'overloaded',
    status: 503,
    message: 'The gateway has no capacity for this request right now. Please try again in a moment.',
    retryAfterS: 1,
  },
  instanceLost: {
    code: 'instance_lost',
    status: 503,
    message: 'The part of the gateway that handled this request stopped answering. Please try again.',
    retryAfterS: 1,
  },
  gap: {
    code: 'gap',
    status: 503,
    message: 'A part of the answer was lost inside the gateway. Please try again.',
    retryAfterS: 1,
  },
  disconnected: {
    code: 'disconnected',
    status: 503,
    message: 'The gateway lost a connection inside itself. Please try again in a moment.',
    retryAfterS: 1,
  },
  cancelled: { code: 'cancelled', status: 499, message: 'The request was cancelled.', retryAfterS: null },
  slowReader: {
    code: 'slow_reader',
    status: 503,
    message: 'The answer was not read for too long, so the gateway stopped it.',
    retryAfterS: null,
  },
  internal: { code: 'internal', status: 500, message: 'The gateway failed on this request.', retryAfterS: null },
} as const satisfies Record<string, GenerationFailure>;

/** What edge hears of a call that was stopped. */
export function failureAfter(reason: CancelReason): GenerationFailure {
  if (reason === 'slow_reader') return hopFailures.slowReader;
  if (reason === 'failed') return hopFailures.internal;
  return reason === 'disconnected' ? hopFailures.disconnected : hopFailures.cancelled;
}
