import type { BudgetState, KeyBudget } from '@tollgate/contracts';
import { decimalFromNanoUsd, GatewayError, rateLimitError } from '@tollgate/contracts';

/**
 * Why, and until when: other requests hold the rest for about `waitS` seconds, or it is spent until the
 * window ends.
 */
type Cause =
  | { readonly reason: 'budget_reserved'; readonly waitS: number }
  | { readonly reason: 'budget_exhausted'; readonly nowMs: number };

/** A budget has not so much left: 429, with the time to wait where waiting helps. */
export function budgetRefusal({ name }: KeyBudget, { resetsAt }: BudgetState, cause: Cause): GatewayError {
  const budget = { name, resetsAt: resetsAt === null ? null : new Date(resetsAt).toISOString() };
  const facts = { limit: 'budget', reason: cause.reason, budget } as const;
  if (cause.reason === 'budget_reserved') return rateLimitError(cause.waitS, facts);
  if (resetsAt !== null) return rateLimitError(Math.max(1, Math.ceil((resetsAt - cause.nowMs) / 1_000)), facts);
  return new GatewayError(429, `The budget ${JSON.stringify(name)} is used up, and does not reset.`, null, null, facts);
}

/** One request may cost more than the whole budget: waiting would not help it. */
export function tooDear({ name, limitNanoUsd }: KeyBudget, nanoUsd: bigint): GatewayError {
  const most = decimalFromNanoUsd(nanoUsd);
  const limit = decimalFromNanoUsd(BigInt(limitNanoUsd));
  return new GatewayError(
    400,
    `The request may cost up to $${most}, which is more than the whole budget ${JSON.stringify(name)}, $${limit}: shorten it, or lower its limit of output tokens.`,
  ).because('budget_exceeded', { budget: name });
}

/** A budget is used up, and the model that serves then cannot serve this request, as `why` says. */
export function notWithin({ name }: KeyBudget, why: string): GatewayError {
  const facts = { limit: 'budget', reason: 'budget_exhausted', budget: { name, resetsAt: null } } as const;
  const words = `The budget ${JSON.stringify(name)} is used up, and the model that serves then cannot serve this: ${why}`;
  return new GatewayError(429, words, null, null, facts);
}

/** Nobody can tell what is left. */
export function budgetAway({ name }: KeyBudget): GatewayError {
  return new GatewayError(
    503,
    `The budget ${JSON.stringify(name)} cannot be checked at the moment, try again shortly.`,
    2,
  );
}

/** Of refusals by several budgets, the one that lasts the longest. A fault of ours goes before all. */
export function latestOf(refusals: readonly unknown[]): unknown {
  return refusals.reduce((latest, one) => (lasts(one) > lasts(latest) ? one : latest));
}

function lasts(refusal: unknown): number {
  if (!(refusal instanceof GatewayError)) return Infinity;
  return refusal.retryAfterS ?? Number.MAX_VALUE;
}

/** Whether a refusal says that a budget is used up, or never enough: not that others hold the rest for now. */
export function lastsLong(refusal: unknown): boolean {
  if (!(refusal instanceof GatewayError)) return false;
  return refusal.details?.reason === 'budget_exceeded' || refusal.limit?.reason === 'budget_exhausted';
}
