import type { ImportedBudget } from '@tollgate/contracts/accounts';
import type { SettingsReport } from './settings-report';

export const hourS = 3_600;
export const dayS = 24 * hourS;
/** Budgets here are at most a billion dollars. */
const mostUsd = 999_999_999;

/** The longest window of the last hours, in hours. */
const mostHours = 31 * 24;

/**
 * The window in which a budget counts that counted for so many seconds (null: for ever; 0: nobody knows).
 * Another length than a day, a week (7 days) or a month (30 days) becomes one of the last hours, in which
 * nobody may spend more than in any such time before; what is longer than 31 days becomes a total. `setting`
 * is what the report calls the length, `told` how it was written.
 */
export function windowOfSeconds(
  seconds: number | null,
  { setting, told }: { setting: string; told: string },
  report: SettingsReport,
): ImportedBudget['window'] {
  if (seconds === null) return 'total';
  const calendar = calendarWindows.get(seconds);
  if (calendar !== undefined) {
    report.carried(setting, 'windows of a day, week (from Monday) or month, UTC');
    return calendar;
  }
  const hours = Math.ceil(seconds / hourS);
  if (hours === 0 || hours > mostHours) {
    report.changed(
      setting,
      `${told} is not there: the same limit for good, which is stricter; tollgate budgets create`,
    );
    return 'total';
  }
  const window = hours % 24 === 0 ? `${hours / 24}d` : `${hours}h`;
  report.changed(setting, `${told} becomes the last ${window}: what is spent leaves bit by bit, not all at once`);
  return window;
}

const calendarWindows = new Map([
  [dayS, 'day'],
  [7 * dayS, 'week'],
  [30 * dayS, 'month'],
]);

/** US dollars as a decimal string; null: an amount that no budget has. */
export function usd(amount: number): string | null {
  if (!Number.isFinite(amount) || amount > mostUsd) return null;
  return Math.max(0, amount)
    .toFixed(9)
    .replace(/\.?0+$/, '');
}
