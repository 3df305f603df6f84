import { entry } from '../ingest/fold-rows';
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

/** The same of a day of blocks. */
interface DaySpan extends StepSpan {
  day: number;
  charted: ChartedDay;
}

export interface DayRange {
  from: number;
  to: number;
}

/** What is before `end` belongs to the step before a bound, what is from `start` on to the next. */
interface StepBound {
  end: number;
  start: number;
}

/**
 * Cuts a window into the days of blocks and the rest. Steps that begin within a day, as those of other time
 * zones do, have differences of its sums up to there. An hour that a step cuts is in none, but is read by the
 * minute, where blocks do not have sums up to that minute. Of a day that is told as a whole only, and that
 * steps cut, the longest part is the whole without the others, which are read from their rows.
 */
export function cutSeries(window: SeriesWindow, days: ReadonlyMap<number, ChartedDay>): WholeCut {
  const { spans, rest, ...cut } = spansOf(window, days);
  const ofDays = new Map<number, DaySpan[]>();
  for (const span of spans) entry(ofDays, span.day, () => []).push(span);
  const read = [...ofDays.values()].map((ofDay) =>
    ofDay.some(({ charted }) => charted.isWhole) ? wholeAndParts(ofDay) : { whole: ofDay.flatMap(piecesOf), parts: [] },
  );
  return {
    ...cut,
    pieces: read.flatMap(({ whole }) => whole),
    parts: read.flatMap(({ parts }) => parts),
    rest: rest.map(({ from, to, step }) => ({ from, to, uses: [{ step, sign: 1 as const }] })),
  };
}

/** The same days, of lines that blocks have of whole days only. */
export function toldAsWhole(days: ReadonlyMap<number, ChartedDay>): Map<number, ChartedDay> {
  return new Map([...days].map(([day, charted]) => [day, { ...charted, isWhole: true }]));
}

/** Of the spans of one day. */
function wholeAndParts(spans: readonly DaySpan[]): { whole: DayPiece[]; parts: DayPart[] } {
  const [longest, ...others] = spans.toSorted((one, other) => other.to - other.from - (one.to - one.from));
  if (!longest) return { whole: [], parts: [] };
  const { day, step } = longest;
  const whole = { from: day, to: day + dayMs };
  const takenOut = { step, sign: -1 as const };
  const parts = [
    ...others.map(({ from, to, step }) => ({ from, to, uses: [{ step, sign: 1 as const }, takenOut] })),
    ...gapsOf(whole, spans).map((gap) => ({ ...gap, uses: [takenOut] })),
  ];
  return { whole: piecesOf({ ...longest, ...whole }), parts: parts.toSorted((one, other) => one.from - other.from) };
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

type Spans = Omit<SeriesCut, 'pieces'> & { spans: DaySpan[]; rest: StepSpan[] };

function spansOf(window: SeriesWindow, days: ReadonlyMap<number, ChartedDay>): Spans {
  const byMinute = new Set(cutHours(window));
  const cut = spanCutter(window, byMinute);
  const [spans, rest, ranges]: [DaySpan[], StepSpan[], DayRange[]] = [[], [], []];
  const pass = (range: DayRange): void => {
    if (range.from >= range.to) return;
    ranges.push(range);
    rest.push(...cut(range, () => false));
  };
  let { from } = window;
  for (const [day, charted] of [...days].toSorted(([one], [other]) => one - other)) {
    pass({ from, to: day });
    from = day + dayMs;
    const ofDay = cut({ from: day, to: from }, (bound) => isInCuts(bound, day, charted));
    spans.push(...ofDay.map((span) => ({ ...span, day, charted })));
  }
  pass({ from, to: window.to });
  return { spans, rest, ranges, byMinute: [...byMinute] };
}

/**
 * Cuts ranges, which are given in their order, at the steps of a window: without the hours that are read by
 * the minute. An hour is taken out of these where blocks have the minute at which a step begins in it.
 */
function spanCutter({ from: first, bounds }: SeriesWindow, byMinute: Set<number>) {
  let next = 0;
  return (range: DayRange, isInBlocks: (bound: number) => boolean): StepSpan[] => {
    const spans: StepSpan[] = [];
    while (next < bounds.length && stepBound(bounds[next] ?? 0, byMinute).start <= range.from) next++;
    let [step, at] = [bounds[next - 1] ?? first, range.from];
    const add = (to: number): void => void (at < to && spans.push({ from: at, to, step }));
    for (; next < bounds.length; next++) {
      const bound = bounds[next] ?? 0;
      const { end, start } =
        isInBlocks(bound) && byMinute.delete(hourOf(bound)) ? { end: bound, start: bound } : stepBound(bound, byMinute);
      if (end >= range.to) break;
      add(end);
      [step, at] = [bound, start];
    }
    add(byMinute.has(hourOf(range.to)) ? hourOf(range.to) : range.to);
    return spans;
  };
}

function isInCuts(bound: number, day: number, { isCut, isWhole }: ChartedDay): boolean {
  return isCut && isWhole !== true && cutMinutes.has((bound - day) / minuteMs);
}

function hourOf(time: number): number {
  return time - (time % hourMs);
}

function stepBound(bound: number, byMinute: ReadonlySet<number>): StepBound {
  const [hour, start] = [hourOf(bound), Math.ceil(bound / hourMs) * hourMs];
  return { end: byMinute.has(hour) ? hour : start, start };
}

function piecesOf({ charted, day, from, to, step }: DaySpan): DayPiece[] {
  const piece = (time: number, sign: 1 | -1): DayPiece[] => {
    const until = (time - day) / minuteMs;
    const inHours = charted.points ?? charted.lines;
    const [build, inPoints] = until % 60 === 0 ? [inHours, charted.points !== null] : [charted.lines, true];
    return build === null ? [] : [{ day, until, step, sign, build, inPoints }];
  };
  return [...piece(to, 1), ...(from > day ? piece(from, -1) : [])];
}
