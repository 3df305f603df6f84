const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long something took: 840 ms, 2.4 s, 3 min 5 s. */
export function formatDuration(ms: number, locale?: string): string {
  const unit = (value: number, name: string, digits = 0) =>
    new Intl.NumberFormat(locale, {
      style: 'unit',
      unit: name,
      unitDisplay: 'narrow',
      maximumFractionDigits: digits,
    }).format(value);
  if (ms < second) return unit(Math.round(ms), 'millisecond');
  if (ms < minute) return unit(ms / second, 'second', ms < 10 * second ? 2 : 1);
  const minutes = Math.floor(ms / minute);
  const seconds = Math.floor((ms % minute) / second);
  return seconds ? `${unit(minutes, 'minute')} ${unit(seconds, 'second')}` : unit(minutes, 'minute');
}

export const formatDate = (at: number, locale?: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(at);

export const formatDateTime = (at: number, locale?: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(at);

/** From when until when, with what both have in common once. */
export const formatWindow = (startAt: number, endAt: number, locale?: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).formatRange(startAt, endAt);

/** To the second and without the year, for lists of what happened lately. */
export const formatLogTime = (at: number, locale?: string): string =>
  new Intl.DateTimeFormat(locale, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(at);

/** To the millisecond, for one request. */
export const formatInstant = (at: number, locale?: string): string =>
  new Intl.DateTimeFormat(locale, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  }).format(at);

/** "3 minutes ago", "in 2 days". */
export function formatRelative(at: number, now = Date.now(), locale?: string): string {
  const distance = at - now;
  const size = Math.abs(distance);
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  if (size < 10 * second) return format.format(0, 'second');
  if (size < minute) return format.format(Math.round(distance / second), 'second');
  if (size < hour) return format.format(Math.round(distance / minute), 'minute');
  if (size < day) return format.format(Math.round(distance / hour), 'hour');
  return format.format(Math.round(distance / day), 'day');
}
