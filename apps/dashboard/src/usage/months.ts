import { monthStartMs } from '@tollgate/contracts';

/** How many months are offered, this one included. */
const offered = 13;

/** Calendar months (UTC), this one first: `2026-11`. */
export function latestMonths(now: number): string[] {
  return Array.from({ length: offered }, (_, back) => new Date(monthStartMs(now, -back)).toISOString().slice(0, 7));
}

/** "November 2026". */
export function monthInWords(month: string, locale?: string): string {
  const format = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return format.format(Date.parse(`${month}-01`));
}
