import { decimalFromNanoUsd } from '@tollgate/contracts';
import type { BudgetState, BudgetUnit, KeyBudget } from '@tollgate/contracts';
import type { BudgetStanding } from './report-shapes';

/** A budget's state in its unit. `of`: whose part it is, of one that each name has alone. */
export function toBudgetStanding(
  { name, models, unit }: Pick<KeyBudget, 'name' | 'models' | 'unit'>,
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
    ...amountsIn(unit, { limit, spent, held, left: left > 0n ? left : 0n }),
    resets_at: state.resetsAt === null ? null : new Date(state.resetsAt).toISOString(),
  };
}

interface Amounts {
  readonly limit: bigint;
  readonly spent: bigint;
  readonly held: bigint;
  readonly left: bigint;
}

function amountsIn(unit: BudgetUnit, { limit, spent, held, left }: Amounts): Partial<BudgetStanding> {
  if (unit === 'usd')
    return {
      limit_usd: decimalFromNanoUsd(limit),
      spent_usd: decimalFromNanoUsd(spent),
      reserved_usd: decimalFromNanoUsd(held),
      remaining_usd: decimalFromNanoUsd(left),
    };
  return {
    limit_tokens: Number(limit),
    spent_tokens: Number(spent),
    reserved_tokens: Number(held),
    remaining_tokens: Number(left),
  };
}
