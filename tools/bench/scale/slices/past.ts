/** A model and what a token costs, pico-dollars. */
export interface PastModel {
  id: string;
  inputPico: number;
  outputPico: number;
}

/**
 * The shape of a simulated past of requests that say for whom they are. The same shape is the same past, to
 * the last event.
 */
export interface SlicedPast {
  accounts: number;
  keys: number;
  /** Of all keys together. */
  endUsers: number;
  models: PastModel[];
  /** The last moment, epoch milliseconds. */
  untilMs: number;
  lengthMs: number;
  /** Events in all of it. */
  events: number;
  /** The last days of which the events themselves, and the sums by minute, are written. */
  rawDays: number;
}

/** The events numbered [from, to) ended on this day (UTC), or the part of it in [startMs, endMs). */
export interface PastDay {
  startMs: number;
  endMs: number;
  from: number;
  to: number;
}

export const dayMs = 86_400_000;

/** The days of a past, the oldest first; the first and the last are parts of one. */
export function daysOf({ untilMs, lengthMs, events }: SlicedPast): PastDay[] {
  const sinceMs = untilMs - lengthMs;
  const numberAt = (time: number) => Math.round(((time - sinceMs) / lengthMs) * events);
  const days: PastDay[] = [];
  for (let startMs = sinceMs; startMs < untilMs;) {
    const endMs = Math.min(startMs - (startMs % dayMs) + dayMs, untilMs);
    days.push({ startMs, endMs, from: numberAt(startMs), to: numberAt(endMs) });
    startMs = endMs;
  }
  return days.filter(({ from, to }) => to > from);
}

/** Since when the events themselves are written: the start of a day, epoch milliseconds. */
export function rawSinceMs({ untilMs, rawDays }: SlicedPast): number {
  const since = untilMs - rawDays * dayMs;
  return since - (since % dayMs);
}

/** The id of one of the accounts. */
export function pastAccount(number: number): string {
  return `00000000-0000-4000-9000-${String(number).padStart(12, '0')}`;
}
