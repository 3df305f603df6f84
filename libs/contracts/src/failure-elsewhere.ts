import { GatewayError, type ErrorDetails, type GatewayErrorStatus } from './gateway-error';

/**
 * What was thrown on a thread, as it can be told to another: a refusal that a caller may see, or a fault of
 * ours, with its stack.
 */
export type FailureElsewhere =
  | {
      readonly refusal: {
        readonly status: GatewayErrorStatus;
        readonly message: string;
        readonly guardrail: string | null;
        readonly details: ErrorDetails | null;
      };
    }
  | { readonly fault: string };

export function toFailureElsewhere(error: unknown): FailureElsewhere {
  if (!(error instanceof GatewayError))
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  const { status, message, guardrail, details } = error;
  return { refusal: { status, message, guardrail, details } };
}

/** The GatewayError that it was; an Error for a fault of ours. */
export function fromFailureElsewhere(failure: FailureElsewhere): Error {
  if ('fault' in failure) return new Error(failure.fault);
  const { status, message, guardrail, details } = failure.refusal;
  return new GatewayError(status, message, null, guardrail).withDetails(details);
}
