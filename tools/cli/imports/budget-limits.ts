import type { ImportedBudget } from '@tollgate/contracts';
import type { SettingsReport } from './settings-report';

export const hourS = 3_600;
export const dayS = 24 * hourS;
/** Budgets here are at most a billion dollars. */
const mostUsd = 999_999_999;

/**
 * The window in which a budget counts that counted for so many seconds (null: for ever; 0: nobody knows).
 * Another length than a day, a week (7 days) or a month (30 days) becomes the next longer window with the
 * same limit, so that nobody may spend more than before. `setting` is what the report calls the length,
 * `told` how it was written.
 */
export function windowOfSeconds(
  seconds: number | null,
  { setting, told }: { setting: string; told: string },
  report: SettingsReport,
): ImportedBudget['window'] {
  if (seconds === null) return 'total';
  const window =
    seconds > 30 * dayS || seconds === 0 ? 'total' : seconds > 7 * dayS ? 'month' : seconds > dayS ? 'week' : 'day';
  if ([dayS, 7 * dayS, 30 * dayS].includes(seconds))
    report.carried(setting, 'windows of a day, week (from Monday) or month, UTC');
  else
    report.changed(
      setting,
      `${told} is not there: the same limit in the next longer window (${window}), which is stricter; tollgate budgets change`,
    );
  return window;
}

/** US dollars as a decimal string; null: an amount that no budget has. */
export function usd(amount: number): string | null {
  if (!Number.isFinite(amount) || amount > mostUsd) return null;
  return Math.max(0, amount)
    .toFixed(9)
    .replace(/\.?0+$/, '');
}
