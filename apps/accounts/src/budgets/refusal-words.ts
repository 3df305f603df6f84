import { budgetAmount, type BudgetUnit, type ReachedBudget } from '@tollgate/contracts/metering';

/** What a refused request might have cost, or used, and what was left. */
export function mightHaveCost(
  unit: BudgetUnit,
  { mayCostNanoUsd, leftNanoUsd }: NonNullable<ReachedBudget['refusal']>,
): string {
  const verb = unit === 'tokens' ? 'used' : 'cost';
  return `might have ${verb} ${budgetAmount(unit, mayCostNanoUsd)}, with ${budgetAmount(unit, leftNanoUsd)} left`;
}
