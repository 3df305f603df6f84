import { budgetAmount, type BudgetUnit, type ReachedBudget } from '@tollgate/contracts/metering';

/** In the place of a threshold: a request was refused, long before the end of the budget. */
export const ofRefusal = 0;

/** Whether people are told of a threshold since a request was refused, with some of the budget left. */
export function isOfRefusal(
  threshold: number,
  { limitNanoUsd, spentNanoUsd }: Pick<ReachedBudget, 'limitNanoUsd' | 'spentNanoUsd'>,
): boolean {
  return threshold === ofRefusal || (threshold === 100 && BigInt(spentNanoUsd) < BigInt(limitNanoUsd));
}

/** Of what a refused request might have cost, or used, and what was left. */
export function mayHaveCost(
  unit: BudgetUnit,
  { mayCostNanoUsd, leftNanoUsd }: NonNullable<ReachedBudget['refusal']>,
): string {
  const left = BigInt(leftNanoUsd) > 0n ? leftNanoUsd : '0';
  const verb = unit === 'tokens' ? 'used' : 'cost';
  return `it might have ${verb} ${budgetAmount(unit, mayCostNanoUsd)}, with ${budgetAmount(unit, left)} left`;
}
