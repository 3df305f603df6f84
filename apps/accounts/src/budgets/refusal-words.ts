import { budgetAmount, type BudgetUnit, type ReachedBudget } from '@tollgate/contracts/metering';

/** In the place of a threshold: a request was refused while something of the budget was left. */
export const ofRefusal = 0;

/** What a refused request might have cost, or used, and what was left. */
export function mightHaveCost(
  unit: BudgetUnit,
  { mayCostNanoUsd, leftNanoUsd }: NonNullable<ReachedBudget['refusal']>,
): string {
  const verb = unit === 'tokens' ? 'used' : 'cost';
  return `might have ${verb} ${budgetAmount(unit, mayCostNanoUsd)}, with ${budgetAmount(unit, leftNanoUsd)} left`;
}
