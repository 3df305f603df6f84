import { decimalFromNanoUsd } from '@tollgate/contracts';
import type { Budget, BudgetState } from '@tollgate/contracts';
import { table } from './table';
import { instant } from './values';

/** Budgets as a table, one a line, in dollars. `state` null: it was removed meanwhile. */
export function budgetTable(budgets: readonly (Budget & { state: BudgetState | null })[]): string {
  return table(
    ['id', 'name', 'account', 'keys', 'models', 'of', 'window', 'limit', 'beyond', 'spent', 'reserved', 'resets'],
    budgets.map(
      ({
        id,
        name,
        accountId,
        keyIds,
        models,
        tag,
        endUser,
        window,
        timeZone,
        limitNanoUsd,
        soft,
        fallbackModel,
        state,
      }) => [
        ...[
          id,
          name,
          accountId,
          keyIds.length === 0 ? 'all' : keyIds.join(' '),
          models.join(' ') || 'all',
          tag ?? endUser ?? 'all',
        ],
        ...[timeZone === 'UTC' ? window : `${window} (${timeZone})`, dollars(limitNanoUsd)],
        soft ? (fallbackModel ?? 'served') : 'refused',
        ...[state ? dollars(state.spentNanoUsd) : '', state ? dollars(state.heldNanoUsd) : ''],
        state?.resetsAt == null ? 'never' : instant(state.resetsAt),
      ],
    ),
  );
}

function dollars(nanos: string): string {
  return `$${decimalFromNanoUsd(BigInt(nanos))}`;
}
