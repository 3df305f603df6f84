import { cutHours } from './series-window';
import type { SeriesWindow } from './series-window';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
/** Of a whole day. */
export const dayMinutes = 1_440;

/**
 * The minutes of a day (UTC), beside whole hours, at which a day begins in a time zone of today: what the
 * blocks of days with rows by minute have sums up to. SQL has the same: `usage_block_cuts`.
 */
export const cutMinutes: ReadonlySet<number> = new Set([
  150, 210, 570, 615, 675, 810, 870, 915, 1_050, 1_095, 1_110, 1_170, 1_230,
]);

/** What blocks have of a day (UTC), by their builds. */
export interface ChartedDay {
  /** Lines up to each hour, in its own block; null: it has none that counts. */
  lines: bigint | null;
  /** The same block has sums up to `cutMinutes`. */
  isCut: boolean;
  /** Points up to each hour, in a block of 16 days; null: none. */
  points: bigint | null;
  /** What is read of it is told of the whole day only. */
  isWhole?: boolean;
}

/**
 * The sums of a day (UTC) up to a minute of it, in a build: in its points, or else in its lines. They are
 * added to the step that begins at `step`, or taken out of it (-1). Times in epoch milliseconds.
 */
export interface DayPiece {
  day: number;
  until: number;
  step: number;
  sign: 1 | -1;
  build: bigint;
  inPoints: boolean;
}

/**
 * What a series is read from: pieces of days that blocks have, and rows by hour of all between, epoch
 * milliseconds. `byMinute`: the hours, by their starts, that are read by the minute.
 */
export interface SeriesCut {
  pieces: DayPiece[];
  ranges: { from: number; to: number }[];
  byMinute: number[];
}

/**
 * Hours that are read from their rows; what these have is added to steps, or taken out of them (-1).
 */
export interface DayPart {
  from: number;
  to: number;
  uses: Pick<DayPiece, 'step' | 'sign'>[];
}

/** The same; `parts`: of days that are told as a whole; `rest`: the hours of the ranges, step by step. */
export type WholeCut = SeriesCut & { parts: DayPart[]; rest: DayPart[] };

/** Hours that belong to a step. */
interface StepSpan extends DayRange {
  step: number;
}

export interface DayRange {
  from: number;
  to: number;
}

/**
 * Cuts a window into the days of blocks and the rest. Steps that begin within a day, as those of other time
 * zones do, have differences of its sums up to there. An hour that a step cuts is in none, but is read by the
 * minute, where blocks do not have sums up to that minute. Of a day that is told as a whole only, and that
 * steps cut, the longest part is the whole without the others, which are read from their rows.
 */
export function cutSeries(window: SeriesWindow, days: ReadonlyMap<number, ChartedDay>): WholeCut {
  const byMinute = new Set(cutHours(window));
  const cut = spanCutter(window, byMinute);
  const read: WholeCut = { pieces: [], parts: [], rest: [], ranges: [], byMinute: [] };
  const pass = (range: DayRange): void => {
    if (range.from >= range.to) return;
    read.ranges.push(range);
    for (const { from, to, step } of cut(range, noBlocks)) read.rest.push({ from, to, uses: [{ step, sign: 1 }] });
  };
  let { from } = window;
  for (const [day, charted] of [...days].toSorted(([one], [other]) => one - other)) {
    pass({ from, to: day });
    from = day + dayMs;
    const spans = cut({ from: day, to: from }, (bound) => isInCuts(bound, day, charted));
    if (charted.isWhole) addWhole(read, day, charted, spans);
    else for (const span of spans) addPieces(read.pieces, day, charted, span);
  }
  pass({ from, to: window.to });
  read.byMinute.push(...byMinute);
  return read;
}

/** More than `until` can be. */
const minutesOfDays = 2 * dayMinutes;

/**
 * What is read of a build up to a minute of its days, as a number: text for each of thousands of pieces would
 * be as much as all else. Builds are counted from 1.
 */
export function readingOf({ build, until }: Pick<DayPiece, 'build' | 'until'>): number {
  return Number(build) * minutesOfDays + until;
}

/** The same days, of lines that blocks have of whole days only. */
export function toldAsWhole(days: ReadonlyMap<number, ChartedDay>): Map<number, ChartedDay> {
  return new Map([...days].map(([day, charted]) => [day, { ...charted, isWhole: true }]));
}

/** Of the spans of one day. */
function addWhole(
  { pieces, parts }: Pick<WholeCut, 'pieces' | 'parts'>,
  day: number,
  charted: ChartedDay,
  spans: readonly StepSpan[],
): void {
  let [longest] = spans;
  if (!longest) return;
  for (const span of spans) if (span.to - span.from > longest.to - longest.from) longest = span;
  const whole = { from: day, to: day + dayMs, step: longest.step };
  addPieces(pieces, day, charted, whole);
  const takenOut = { step: longest.step, sign: -1 as const };
  const others = spans.filter((span) => span !== longest);
  const ofDay = [
    ...others.map(({ from, to, step }) => ({ from, to, uses: [{ step, sign: 1 as const }, takenOut] })),
    ...gapsOf(whole, spans).map((gap) => ({ ...gap, uses: [takenOut] })),
  ];
  parts.push(...ofDay.toSorted((one, other) => one.from - other.from));
}

/** What is in none of the spans, which are in their order. */
function gapsOf({ from, to }: DayRange, spans: readonly DayRange[]): DayRange[] {
  const ends = [from, ...spans.map((span) => span.to)];
  const starts = [...spans.map((span) => span.from), to];
  return ends.flatMap((end, index) => {
    const start = starts[index] ?? to;
    return end < start ? [{ from: end, to: start }] : [];
  });
}

/**
 * Cuts ranges, which are given in their order, at the steps of a window: without the hours that are read by
 * the minute. An hour is taken out of these where blocks have the minute at which a step begins in it.
 */
function spanCutter({ from: first, bounds }: SeriesWindow, byMinute: Set<number>) {
  let next = 0;
  return (range: DayRange, isInBlocks: (bound: number) => boolean): StepSpan[] => {
    const spans: StepSpan[] = [];
    while (next < bounds.length && nextHour(bounds[next] ?? 0) <= range.from) next++;
    let step = bounds[next - 1] ?? first;
    let at = range.from;
    for (; next < bounds.length; next++) {
      const bound = bounds[next] ?? 0;
      const isExact = isInBlocks(bound) && byMinute.delete(hourOf(bound));
      const end = isExact ? bound : byMinute.has(hourOf(bound)) ? hourOf(bound) : nextHour(bound);
      if (end >= range.to) break;
      if (at < end) spans.push({ from: at, to: end, step });
      step = bound;
      at = isExact ? bound : nextHour(bound);
    }
    const end = byMinute.has(hourOf(range.to)) ? hourOf(range.to) : range.to;
    if (at < end) spans.push({ from: at, to: end, step });
    return spans;
  };
}

function noBlocks(): boolean {
  return false;
}

function isInCuts(bound: number, day: number, { isCut, isWhole }: ChartedDay): boolean {
  return isCut && isWhole !== true && cutMinutes.has((bound - day) / minuteMs);
}

function hourOf(time: number): number {
  return time - (time % hourMs);
}

/** Itself where it is whole. */
function nextHour(time: number): number {
  return Math.ceil(time / hourMs) * hourMs;
}

function addPieces(pieces: DayPiece[], day: number, charted: ChartedDay, { from, to, step }: StepSpan): void {
  addPiece(pieces, day, charted, to, step, 1);
  if (from > day) addPiece(pieces, day, charted, from, step, -1);
}

function addPiece(
  pieces: DayPiece[],
  day: number,
  { points, lines }: ChartedDay,
  time: number,
  step: number,
  sign: 1 | -1,
): void {
  const until = (time - day) / minuteMs;
  const isHour = until % 60 === 0;
  const build = isHour ? (points ?? lines) : lines;
  if (build !== null) pieces.push({ day, until, step, sign, build, inPoints: !isHour || points !== null });
}
