import { z } from 'zod';
import { errorReasons, type ErrorReason } from './error-reasons';

/** The error types of the public API, by HTTP status. 400, 405, 409, 413, 415 and 426 share one type. */
const typeByStatus = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'timeout_error',
  409: 'invalid_request_error',
  413: 'invalid_request_error',
  415: 'invalid_request_error',
  426: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'internal_error',
  502: 'upstream_error',
  503: 'overloaded_error',
  504: 'timeout_error',
} as const;

export type GatewayErrorStatus = keyof typeof typeByStatus;
export type GatewayErrorType = (typeof typeByStatus)[GatewayErrorStatus];

/**
 * The limits that a request can run into: requests a minute, generations at once, tokens (a minute, or the
 * quota of a month), a budget of money.
 */
type LimitName = 'rpm' | 'concurrency' | 'tokens' | 'budget';

/** What a refusal for a limit tells beside its time. `reason` stands in `error.details` of the body. */
export interface LimitFacts {
  readonly limit: LimitName;
  readonly reason?: ErrorReason;
  /**
   * The budget that refused, by its name, and when its window ends (ISO 8601); null: never. `whose`: the end
   * user, or the tag, that has it alone. They stand in `error.details` too.
   */
  readonly budget?: { readonly name: string; readonly resetsAt: string | null; readonly whose?: string };
  /** The limit is 0: no time lets anything in, and nobody should wait for it. */
  readonly isNothing?: boolean;
}

/**
 * What programs act on, beside the words. `reason`: in OpenAI's words (`context_length_exceeded`,
 * `content_filter`, `unsupported_parameter`). `param`: the field that it is about. `error_code`,
 * `unsupported`: Anthropic's for a request that its clients send again in another form. `provider`, `status`:
 * who failed, by its id, and the HTTP status that it answered with, if it did.
 * `budget`, `budget_of`, `resets_at`: the name of the budget that refused it, the end user or tag that has it
 * alone (absent: nobody does), and when its window ends (ISO 8601); null: never.
 */
export const errorDetails = z.object({
  reason: z.string().optional().describe(toldReasons()),
  param: z.string().optional(),
  error_code: z.string().optional(),
  unsupported: z.array(z.string()).optional(),
  provider: z.string().optional(),
  status: z.number().int().optional(),
  budget: z.string().optional(),
  budget_of: z.string().optional(),
  resets_at: z.string().nullable().optional(),
});
export type ErrorDetails = z.infer<typeof errorDetails>;

/**
 * The body of every error response, on every endpoint and surface. `code` equals the HTTP status; `reason` is
 * `guardrail_blocked` where the operator's `guardrail` refused it; `details.reason` is a word that programs
 * can act on.
 */
export interface ErrorBody {
  error: {
    message: string;
    type: GatewayErrorType;
    code: GatewayErrorStatus;
    reason?: string;
    guardrail?: string;
    details?: ErrorDetails;
  };
}

/**
 * An error that a caller may see. `message` names no secret and no internal detail; `retryAfterS` becomes the
 * Retry-After header, null means none.
 */
export class GatewayError extends Error {
  readonly type: GatewayErrorType;
  /** Null: the message says it all. */
  details: ErrorDetails | null = null;

  constructor(
    readonly status: GatewayErrorStatus,
    message: string,
    readonly retryAfterS: number | null = null,
    /** The id of the guardrail that refused a request or an answer, null: none did. */
    readonly guardrail: string | null = null,
    /** The limit that refused a request, null: none did. */
    readonly limit: LimitFacts | null = null,
  ) {
    super(message);
    this.name = 'GatewayError';
    this.type = typeByStatus[status];
  }

  /** Says why, in a word that programs act on. */
  because(reason: ErrorReason, more: Omit<ErrorDetails, 'reason'> = {}): this {
    return this.withDetails({ reason, ...more });
  }

  /** Sets what programs act on. */
  withDetails(details: ErrorDetails | null): this {
    this.details = details;
    return this;
  }

  get body(): ErrorBody {
    const { message, type, status, guardrail, limit } = this;
    const refusedBy = guardrail === null ? {} : { reason: 'guardrail_blocked', guardrail };
    const details = this.details ?? limitDetails(limit);
    return { error: { message, type, code: status, ...refusedBy, ...(details && { details }) } };
  }
}

function limitDetails(limit: LimitFacts | null): ErrorDetails | null {
  if (limit?.reason === undefined) return null;
  const { reason, budget } = limit;
  if (!budget) return { reason };
  const { name, resetsAt, whose } = budget;
  return { reason, budget: name, ...(whose !== undefined && { budget_of: whose }), resets_at: resetsAt };
}

/**
 * The one form of a refusal by a guardrail. What it found is not told: the caller may show the error to
 * others.
 */
export function guardrailError(subject: 'request' | 'answer', guardrail: string): GatewayError {
  return new GatewayError(400, `The ${subject} was blocked by the guardrail ${guardrail}.`, null, guardrail);
}

/**
 * The one form of a refusal for a limit (requests per minute or token quota). `seconds` is a whole number of
 * at least 1.
 */
export function rateLimitError(seconds: number, limit: LimitFacts): GatewayError {
  return new GatewayError(429, `rate limit exceeded, retry after ${seconds} seconds`, seconds, null, limit);
}

/** True for a status that the public API knows. */
export function isGatewayErrorStatus(status: number): status is GatewayErrorStatus {
  return Object.hasOwn(typeByStatus, status);
}

/** All reasons for the document of the API. */
function toldReasons(): string {
  const lines = Object.entries(errorReasons).map(
    ([reason, { statuses, act }]) => `- \`${reason}\` (${statuses.join(', ')}): ${act}`,
  );
  return `What a program can do about it:\n\n${lines.join('\n')}\n\nAny other word is the provider's own code, as it told it.`;
}
