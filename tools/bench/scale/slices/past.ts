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
  /** Events in all of it, but for what busy days have more. */
  events: number;
  /** The last days of which the events themselves, and the sums by minute, are written. */
  rawDays: number;
  /**
   * Events of each busy day, of which rows by hour are read whatever blocks have: those in which a window
   * that is asked for begins, and the last two. Every key uses every model in them. 0: no day is busy.
   */
  busyEvents: number;
}

/** The events numbered [from, to) ended on this day (UTC), or the part of it in [startMs, endMs). */
export interface PastDay {
  startMs: number;
  endMs: number;
  from: number;
  to: number;
  isBusy: boolean;
}

export const dayMs = 86_400_000;
/** Of the windows that are asked for, which end now. */
export const windowDays = { day: 1, week: 7, month: 30, quarter: 90, year: 365 } as const;

/** The days of a past, the oldest first; the first and the last are parts of one. */
export function daysOf({ untilMs, lengthMs, events, busyEvents }: SlicedPast): PastDay[] {
  const sinceMs = untilMs - lengthMs;
  const numberAt = (time: number) => Math.round(((time - sinceMs) / lengthMs) * events);
  const busy = new Set([...Object.values(windowDays), 0].map((days) => dayOf(untilMs - days * dayMs)));
  const days: PastDay[] = [];
  for (let [startMs, from] = [sinceMs, 0]; startMs < untilMs;) {
    const endMs = Math.min(dayOf(startMs) + dayMs, untilMs);
    const isBusy = busyEvents > 0 && busy.has(dayOf(startMs));
    const count = isBusy ? Math.round((busyEvents * (endMs - startMs)) / dayMs) : numberAt(endMs) - numberAt(startMs);
    days.push({ startMs, endMs, from, to: from + count, isBusy });
    [startMs, from] = [endMs, from + count];
  }
  return days.filter(({ from, to }) => to > from);
}

function dayOf(time: number): number {
  return time - (time % dayMs);
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
