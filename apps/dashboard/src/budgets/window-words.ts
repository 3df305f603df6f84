import type { BudgetState } from '@tollgate/contracts/metering';
import type { ListedBudget } from '../api/budgets';
import { formatRelative } from '../format/time';

const calendar: Readonly<Record<string, string>> = {
  total: 'Once, in all',
  hour: 'Each hour',
  day: 'Each day',
  week: 'Each week',
  month: 'Each month',
};
const units: Readonly<Record<string, string>> = { h: 'hour', d: 'day' };

/** Whether a window is of the last hours or days, and never begins anew. */
export const isRolling = (window: string): boolean => /^\d/.test(window);

/** "Each month (Europe/Berlin)", "The last 24 hours". A window of a later release is told as it comes. */
export function windowWords({ window, timeZone }: Pick<ListedBudget, 'window' | 'timeZone'>): string {
  const [, count = '', letter = ''] = /^(\d+)([hd])$/.exec(window) ?? [];
  const unit = units[letter];
  if (unit !== undefined) return count === '1' ? `The last ${unit}` : `The last ${count} ${unit}s`;
  const words = calendar[window] ?? window;
  return timeZone === 'UTC' || window === 'total' ? words : `${words} (${timeZone})`;
}

/** When some of it is there again. `now`: epoch milliseconds. */
export function resetWords(window: string, { resetsAt }: Pick<BudgetState, 'resetsAt'>, now: number): string {
  if (resetsAt === null) return isRolling(window) ? 'Nothing is spent yet' : 'Never begins anew';
  const when = formatRelative(resetsAt, now);
  return isRolling(window) ? `The first of it leaves ${when}` : `Begins anew ${when}`;
}
