import { monthStartMs } from '@tollgate/contracts';
import type { SeriesStep } from '@tollgate/contracts/metering';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const rangeNames = ['hour', 'day', 'week', 'month', 'calendar', 'custom'] as const;
export type RangeName = (typeof rangeNames)[number];

/**
 * What a page looks at. `month` is 30 days, `calendar` the month of the calendar (UTC) that quotas count in,
 * so far. `from` and `to` hold for `custom` only: epoch milliseconds. The others end now.
 */
export interface Range {
  name: RangeName;
  from: number;
  to: number;
}

export interface Window {
  startAt: number;
  endAt: number;
  step: SeriesStep;
}

const fixed: Record<Exclude<RangeName, 'calendar' | 'custom'>, { length: number; step: SeriesStep }> = {
  hour: { length: hour, step: 'minute' },
  day: { length: day, step: 'hour' },
  week: { length: 7 * day, step: 'hour' },
  month: { length: 30 * day, step: 'day' },
};

/**
 * The gateway gives at most 2,000 points; half of that is more than a screen shows. Minutes are kept for some
 * time only, so that old windows get hours.
 */
export function windowOf(range: Range, now: number): Window {
  if (range.name === 'calendar') {
    return { startAt: monthStartMs(now), endAt: now, step: 'day' };
  }
  if (range.name !== 'custom') {
    const { length, step } = fixed[range.name];
    return { startAt: now - length, endAt: now, step };
  }
  const endAt = Math.max(range.to, range.from + minute);
  const length = endAt - range.from;
  const recent = now - range.from <= day;
  const step = length <= 3 * hour && recent ? 'minute' : length <= 14 * day ? 'hour' : 'day';
  return { startAt: range.from, endAt, step };
}

/**
 * The beginning of every point of a window that the gateway told, also of those without a request. Days begin
 * at the reader's midnight.
 */
export function timesOf({ startAt, endAt, step }: Window): number[] {
  const times: number[] = [];
  if (step === 'day') {
    for (const date = new Date(startAt); date.getTime() < endAt; date.setDate(date.getDate() + 1))
      times.push(date.getTime());
    return times;
  }
  const length = step === 'hour' ? hour : minute;
  for (let at = startAt; at < endAt; at += length) times.push(at);
  return times;
}

/** Reads the address of a page; what makes no sense there is the last day. */
export function rangeFrom(search: URLSearchParams, now: number, otherwise: RangeName = 'day'): Range {
  const name = rangeNames.find((known) => known === search.get('range')) ?? otherwise;
  const from = Number(search.get('from'));
  const to = Number(search.get('to'));
  const usable = name === 'custom' && Number.isFinite(from) && from > 0 && Number.isFinite(to) && to > from;
  if (usable) return { name, from, to };
  return { name: name === 'custom' ? otherwise : name, from: now - day, to: now };
}

/** The parameters of an address that say the same; null takes one away. */
export const searchOf = ({ name, from, to }: Range): Record<string, string | null> => ({
  range: name,
  from: name === 'custom' ? String(from) : null,
  to: name === 'custom' ? String(to) : null,
});

/** Local time as a `datetime-local` control writes it. */
export function toLocalInput(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * minute).toISOString().slice(0, 16);
}
