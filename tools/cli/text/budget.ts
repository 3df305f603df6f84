import { budgetAmount } from '@tollgate/contracts/metering';
import type { Budget, BudgetState, budgetLeaseOperations } from '@tollgate/contracts/metering';
import type { z } from 'zod';
import { table } from './table';
import { instant } from './values';

type BudgetNames = z.output<typeof budgetLeaseOperations.names.reply>['names'];

/**
 * Budgets as a table, one a line, each in its unit. `state` null: it was removed meanwhile, or each name has
 * it alone.
 */
export function budgetTable(budgets: readonly (Budget & { state: BudgetState | null })[]): string {
  return table(
    ['id', 'name', 'account', 'keys', 'models', 'each', 'window', 'limit', 'beyond', 'spent', 'reserved', 'resets'],
    budgets.map(row),
  );
}

/** How parts of a budget stand that each name has alone; nothing of another. */
export function namesText({ each, unit }: Pick<Budget, 'each' | 'unit'>, names: BudgetNames): string[] {
  if (!each) return [];
  if (names.length === 0) return ['Nobody spent anything of it in the window at hand.'];
  const rows = names.map(({ name, nameDigest, state }) => [
    ...[name ?? `${nameDigest} (a digest)`, budgetAmount(unit, state.spentNanoUsd), share(state)],
    budgetAmount(unit, state.heldNanoUsd),
    instant(state.resetsAt),
  ]);
  return [table([each.by === 'tag' ? 'tag' : 'end user', 'spent', 'of the limit', 'reserved', 'resets'], rows)];
}

/** Rounded down: 100 % are all of it. */
function share({ spentNanoUsd, limitNanoUsd }: BudgetState): string {
  const limit = BigInt(limitNanoUsd);
  return limit === 0n ? '' : `${(BigInt(spentNanoUsd) * 100n) / limit} %`;
}

function row({ state, ...budget }: Budget & { state: BudgetState | null }): string[] {
  const { keyIds, project, models, each, unit, window, timeZone, soft } = budget;
  const keys = project === null ? keyIds.join(' ') || 'all' : `project ${project}`;
  return [
    ...[budget.id, budget.name, budget.accountId, keys, models.join(' ') || 'all'],
    each ? `${each.by === 'tag' ? 'tag' : 'end user'} ${each.names}` : '',
    ...[timeZone === 'UTC' || isRolling(window) ? window : `${window} (${timeZone})`],
    budgetAmount(unit, budget.limitNanoUsd),
    soft ? (budget.fallbackModel ?? 'served') : 'refused',
    ...[state?.spentNanoUsd, state?.heldNanoUsd].map((amount) =>
      amount === undefined ? '' : budgetAmount(unit, amount),
    ),
    resets(state, window),
  ];
}

/**
 * Of one that each name has alone nothing is told, but for what never resets. Of one that rolls, when the
 * first of what is spent leaves.
 */
function resets(state: BudgetState | null, window: string): string {
  if (window === 'total') return 'never';
  if (state?.resetsAt == null) return '';
  return isRolling(window) ? `from ${instant(state.resetsAt)}` : instant(state.resetsAt);
}

/** Whether a window is of the last hours or days, such as `24h`. */
function isRolling(window: string): boolean {
  return /^\d/.test(window);
}
