import type { Attempt } from '@tollgate/contracts';

/**
 * A request as its own people see it: what a provider said of the operator's account, and may charge it for
 * without their paying, is not theirs to know.
 */
export function withoutOperatorsWords<Request extends { attempts: Attempt[] }>(request: Request): Request {
  return { ...request, attempts: request.attempts.map(({ detail: _, unbilled: __, ...attempt }) => attempt) };
}
