import { z } from 'zod/mini';

const errorBody = z.object({
  error: z.object({
    message: z.string(),
    type: z.optional(z.string()),
    code: z.optional(z.nullable(z.union([z.string(), z.number()]))),
    details: z.optional(z.object({ reason: z.optional(z.string()) })),
  }),
});

/**
 * An answer of the gateway that is no success. `status` 0: no answer came at all. `message` is the gateway's
 * own and is meant to be read.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
    readonly code: string | number | null = null,
    readonly retryAfterS: number | null = null,
    /** A word that programs act on; null: there is none. */
    readonly reason: string | null = null,
  ) {
    super(message);
  }

  /** The same, which says more. */
  with(sentence: string): ApiError {
    return this.saying(`${this.message} ${sentence}`);
  }

  /** The same in other words. */
  saying(message: string): ApiError {
    return new ApiError(this.status, message, this.code, this.retryAfterS, this.reason);
  }
}

/** What an answer that is no success says. */
export async function toApiError(response: Response): Promise<ApiError> {
  const body = errorBody.safeParse(await response.json().catch(() => null));
  const retryAfter = Number(response.headers.get('retry-after'));
  return new ApiError(
    response.status,
    body.success ? body.data.error.message : `The gateway answered with status ${response.status}.`,
    body.success ? (body.data.error.code ?? null) : null,
    Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : null,
    body.success ? (body.data.error.details?.reason ?? null) : null,
  );
}

/** What to tell a person of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.status === 429 && error.retryAfterS !== null)
    return `${error.message} Try again in ${error.retryAfterS} seconds.`;
  return error instanceof Error ? error.message : 'Something went wrong. Please try again.';
}
