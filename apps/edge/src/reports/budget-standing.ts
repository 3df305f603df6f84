import { decimalFromNanoUsd } from '@tollgate/contracts';
import type { BudgetState, KeyBudget } from '@tollgate/contracts';
import type { BudgetStanding } from './report-shapes';

/** A budget's state in dollars. `of`: whose part it is, of one that each name has alone. */
export function toBudgetStanding(
  { name, models }: Pick<KeyBudget, 'name' | 'models'>,
  state: BudgetState,
  of?: string,
): BudgetStanding {
  const limit = BigInt(state.limitNanoUsd);
  const spent = BigInt(state.spentNanoUsd);
  const held = BigInt(state.heldNanoUsd);
  const left = limit - spent - held;
  return {
    name,
    ...(of !== undefined && { budget_of: of }),
    ...(models.length > 0 && { models }),
    limit_usd: decimalFromNanoUsd(limit),
    spent_usd: decimalFromNanoUsd(spent),
    reserved_usd: decimalFromNanoUsd(held),
    remaining_usd: decimalFromNanoUsd(left > 0n ? left : 0n),
    resets_at: state.resetsAt === null ? null : new Date(state.resetsAt).toISOString(),
  };
}
