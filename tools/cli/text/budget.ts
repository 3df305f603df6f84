import { decimalFromNanoUsd } from '@tollgate/contracts';
import type { Budget, BudgetState } from '@tollgate/contracts';
import { table } from './table';
import { instant } from './values';

/** Budgets as a table, one a line, in dollars. `state` null: it was removed meanwhile. */
export function budgetTable(budgets: readonly (Budget & { state: BudgetState | null })[]): string {
  return table(
    ['id', 'name', 'account', 'keys', 'models', 'window', 'limit', 'beyond', 'spent', 'reserved', 'resets'],
    budgets.map(row),
  );
}

function row({ state, ...budget }: Budget & { state: BudgetState | null }): string[] {
  const { keyIds, models, window, timeZone, soft } = budget;
  return [
    ...[budget.id, budget.name, budget.accountId, keyIds.join(' ') || 'all', models.join(' ') || 'all'],
    ...[timeZone === 'UTC' ? window : `${window} (${timeZone})`, dollars(budget.limitNanoUsd)],
    soft ? (budget.fallbackModel ?? 'served') : 'refused',
    ...[state ? dollars(state.spentNanoUsd) : '', state ? dollars(state.heldNanoUsd) : ''],
    state?.resetsAt == null ? 'never' : instant(state.resetsAt),
  ];
}

function dollars(nanos: string): string {
  return `$${decimalFromNanoUsd(BigInt(nanos))}`;
}
