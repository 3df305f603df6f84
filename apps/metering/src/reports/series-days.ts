import type { Queries } from '@tollgate/database';
import { isFresh, ofNewEdition } from '../blocks/cut-into-blocks';
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
 * Hours of a day of blocks that are read from their rows; what these have is added to steps, or taken out of
 * them (-1).
 */
export interface DayPart {
  from: number;
  to: number;
  uses: Pick<DayPiece, 'step' | 'sign'>[];
}

/** The hours of a day of blocks that belong to a step. */
interface DaySpan extends DayRange {
  step: number;
  day: number;
  charted: ChartedDay;
}

interface DayRange {
  from: number;
  to: number;
}

/** What is before `end` belongs to the step before a bound, what is from `start` on to the next. */
interface StepBound {
  end: number;
  start: number;
}

interface BlockOwner {
  keyId: string;
  accountId: string;
  /** Whose lines are read. */
  dimension: 'all' | 'key' | 'account';
}

/** The whole days of a window that blocks have which count in this moment, by their starts. */
export async function chartedDays(
  queries: Queries<'metering'>,
  { keyId, accountId, dimension }: BlockOwner,
  window: SeriesWindow,
): Promise<Map<number, ChartedDay>> {
  const { from, to } = window;
  const isCut = cutHours(window).length > 0;
  const blocks = await queries.$queryRaw<{ at: Date; days: number; build: bigint; hasPoints: boolean }[]>`
    SELECT at, days, build, (days = 16 OR ${isCut}::boolean) AND EXISTS (
        SELECT FROM usage_block_points AS points
        WHERE points.build = usage_block.build AND until = ${dayMinutes} AND dimension = CASE days WHEN 1 THEN 'all' ELSE ${dimension} END
      ) AS "hasPoints"
    FROM usage_block WHERE key_id = ${keyId} AND account_id = ${accountId} AND days IN (1, 16) AND ${isFresh} AND ${ofNewEdition}
      AND at > ${new Date(from - 16 * dayMs)}::timestamptz AND at < ${new Date(to)}::timestamptz`;
  const days = new Map<number, ChartedDay>();
  for (const { at, days: length, build, hasPoints } of blocks)
    for (let day = at.getTime(); day < at.getTime() + length * dayMs; day += dayMs) {
      if (day < from || day + dayMs > to || (length > 1 && !hasPoints)) continue;
      const known = days.get(day) ?? { lines: null, isCut: false, points: null };
      days.set(day, length > 1 ? { ...known, points: build } : { ...known, lines: build, isCut: hasPoints });
    }
  return days;
}

/**
 * Cuts a window into the days of blocks and the rest. Steps that begin within a day, as those of other time
 * zones do, have differences of its sums up to there. An hour that a step cuts is in none, but is read by the
 * minute, where blocks do not have sums up to that minute.
 */
export function cutSeries(window: SeriesWindow, days: ReadonlyMap<number, ChartedDay>): SeriesCut {
  const { spans, ...cut } = spansOf(window, days);
  return { ...cut, pieces: spans.flatMap(piecesOf) };
}

/**
 * The same of lines that blocks have of whole days only: of a day that steps cut, the longest part is the
 * whole without the others, which are read from their rows.
 */
export function cutWholeDays(
  window: SeriesWindow,
  days: ReadonlyMap<number, ChartedDay>,
): SeriesCut & { parts: DayPart[] } {
  const uncut = [...days].map(([day, charted]) => [day, { ...charted, isCut: false }] as const);
  const { spans, ...cut } = spansOf(window, new Map(uncut));
  const ofDays = new Map<number, DaySpan[]>();
  for (const span of spans) entry(ofDays, span.day, () => []).push(span);
  const read = [...ofDays.values()].map(wholeAndParts);
  return { ...cut, pieces: read.flatMap(({ whole }) => whole), parts: read.flatMap(({ parts }) => parts) };
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

function spansOf(
  window: SeriesWindow,
  days: ReadonlyMap<number, ChartedDay>,
): Omit<SeriesCut, 'pieces'> & { spans: DaySpan[] } {
  const byMinute = new Set(cutHours(window));
  const [spans, ranges]: [DaySpan[], DayRange[]] = [[], []];
  let [from, next] = [window.from, 0];
  const { bounds } = window;
  for (const [day, charted] of [...days].toSorted(([one], [other]) => one - other)) {
    if (from < day) ranges.push({ from, to: day });
    from = day + dayMs;
    while (next < bounds.length && stepBound(bounds[next] ?? 0, byMinute).start <= day) next++;
    let [step, at] = [bounds[next - 1] ?? window.from, day];
    const add = (to: number): void => void (at < to && spans.push({ day, charted, from: at, to, step }));
    for (; next < bounds.length; next++) {
      const bound = bounds[next] ?? 0;
      const { end, start } =
        isInCuts(bound, day, charted) && byMinute.delete(bound - (bound % hourMs))
          ? { end: bound, start: bound }
          : stepBound(bound, byMinute);
      if (end >= from) break;
      add(end);
      [step, at] = [bound, start];
    }
    add(from);
  }
  if (from < window.to) ranges.push({ from, to: window.to });
  return { spans, ranges, byMinute: [...byMinute] };
}

function isInCuts(bound: number, day: number, { isCut }: ChartedDay): boolean {
  return isCut && cutMinutes.has((bound - day) / minuteMs);
}

function stepBound(bound: number, byMinute: ReadonlySet<number>): StepBound {
  const [hour, start] = [bound - (bound % hourMs), Math.ceil(bound / hourMs) * hourMs];
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
