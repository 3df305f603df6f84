import { decimalFromNanoUsd } from '@tollgate/contracts';
import type { Budget, BudgetState, BudgetWindow } from '@tollgate/contracts';
import { table } from './table';
import { instant } from './values';

/**
 * Budgets as a table, one a line, in dollars. `state` null: it was removed meanwhile, or each name has it
 * alone.
 */
export function budgetTable(budgets: readonly (Budget & { state: BudgetState | null })[]): string {
  return table(
    ['id', 'name', 'account', 'keys', 'models', 'each', 'window', 'limit', 'beyond', 'spent', 'reserved', 'resets'],
    budgets.map(row),
  );
}

function row({ state, ...budget }: Budget & { state: BudgetState | null }): string[] {
  const { keyIds, models, each, window, timeZone, soft } = budget;
  return [
    ...[budget.id, budget.name, budget.accountId, keyIds.join(' ') || 'all', models.join(' ') || 'all'],
    each ? `${each.by === 'tag' ? 'tag' : 'end user'} ${each.names}` : '',
    ...[timeZone === 'UTC' ? window : `${window} (${timeZone})`, dollars(budget.limitNanoUsd)],
    soft ? (budget.fallbackModel ?? 'served') : 'refused',
    ...[state ? dollars(state.spentNanoUsd) : '', state ? dollars(state.heldNanoUsd) : ''],
    resets(state, window),
  ];
}

/** Of one that each name has alone nothing is told, but for what never resets. */
function resets(state: BudgetState | null, window: BudgetWindow): string {
  if (window === 'total') return 'never';
  return state?.resetsAt == null ? '' : instant(state.resetsAt);
}

function dollars(nanos: string): string {
  return `$${decimalFromNanoUsd(BigInt(nanos))}`;
}
