import { GatewayError, rateLimitError } from '@tollgate/contracts';
import { budgetAmount } from '@tollgate/contracts/metering';
import type { BudgetState, KeyBudget } from '@tollgate/contracts/metering';
import type { DueBudget } from './budget-lease';

/**
 * Why, and until when: other requests hold the rest for about `waitS` seconds, or it is spent until the
 * window ends.
 */
type Cause =
  | { readonly reason: 'budget_reserved'; readonly waitS: number }
  | { readonly reason: 'budget_exhausted'; readonly nowMs: number };

/** A budget has not so much left: 429, with the time to wait where waiting helps. */
export function budgetRefusal(due: DueBudget, { resetsAt }: Pick<BudgetState, 'resetsAt'>, cause: Cause): GatewayError {
  const { name, whose } = due;
  const until = resetsAt === null ? null : new Date(resetsAt).toISOString();
  const budget = { name, resetsAt: until, ...(whose !== undefined && { whose }) };
  const facts = { limit: 'budget', reason: cause.reason, budget } as const;
  if (cause.reason === 'budget_reserved') return rateLimitError(cause.waitS, facts);
  if (resetsAt !== null) return rateLimitError(Math.max(1, Math.ceil((resetsAt - cause.nowMs) / 1_000)), facts);
  return new GatewayError(429, `The budget ${inWords(due)} is used up, and does not reset.`, null, null, facts);
}

/** One request may cost more than the whole budget: waiting would not help it. */
export function tooDear(due: DueBudget, amount: bigint): GatewayError {
  const { name, unit, limitNanoUsd } = due;
  const most = `${unit === 'usd' ? 'cost' : 'use'} up to ${budgetAmount(unit, amount)}`;
  const limit = budgetAmount(unit, limitNanoUsd);
  return new GatewayError(
    400,
    `The request may ${most}, which is more than the whole budget ${inWords(due)}, ${limit}: shorten it, or lower its limit of output tokens.`,
  ).because('budget_exceeded', { budget: name });
}

/** A soft budget that has too little left for a request, and how it would refuse that, were it a hard one. */
export type ExceededBudget = KeyBudget & { readonly refusal: GatewayError };

/** Null: others hold the rest for now, or nobody can tell: it is not used up, nor never enough. */
export function exceededBy(budget: KeyBudget, refusal: unknown): ExceededBudget | null {
  if (!(refusal instanceof GatewayError)) return null;
  const isLasting = refusal.details?.reason === 'budget_exceeded' || refusal.limit?.reason === 'budget_exhausted';
  return isLasting ? { ...budget, refusal } : null;
}

/**
 * A budget is used up, and the model that serves then cannot serve this request, as `why` says. It resets as
 * any other; a request that is larger than all of it never fits.
 */
export function notWithin({ name, refusal }: Pick<ExceededBudget, 'name' | 'refusal'>, why: string): GatewayError {
  const resetsAt = refusal.limit?.budget?.resetsAt ?? null;
  const facts = { limit: 'budget', reason: 'budget_exhausted', budget: { name, resetsAt } } as const;
  const words = `The budget ${JSON.stringify(name)} is used up, and the model that serves then cannot serve this: ${why}`;
  return new GatewayError(429, words, refusal.retryAfterS, null, facts);
}

/** Nobody can tell what is left. */
export function budgetAway(due: DueBudget): GatewayError {
  return new GatewayError(503, `The budget ${inWords(due)} cannot be checked at the moment, try again shortly.`, 2);
}

/** What a refusal calls a budget. */
function inWords({ name, whose }: DueBudget): string {
  return whose === undefined ? JSON.stringify(name) : `${JSON.stringify(name)} of ${JSON.stringify(whose)}`;
}

/** Of refusals by several budgets, the one that lasts the longest. A fault of ours goes before all. */
export function latestOf(refusals: readonly unknown[]): unknown {
  return refusals.reduce((latest, one) => (lasts(one) > lasts(latest) ? one : latest));
}

function lasts(refusal: unknown): number {
  if (!(refusal instanceof GatewayError)) return Infinity;
  return refusal.retryAfterS ?? Number.MAX_VALUE;
}
