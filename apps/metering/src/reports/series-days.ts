import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import { isFresh, ofNewEdition } from '../blocks/cut-into-blocks';
import { cutHours } from './series-window';
import type { SeriesWindow } from './series-window';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * The sums of the first `until` hours of a day (UTC), of its block: they are added to the step that begins at
 * `step` (epoch milliseconds), or taken out of it (-1).
 */
export interface DayLine {
  build: bigint;
  until: number;
  step: number;
  sign: 1 | -1;
}

/** What a series is read from: lines of blocks of days, and rows by hour of all between, epoch milliseconds. */
export interface SeriesCut {
  lines: DayLine[];
  ranges: { from: number; to: number }[];
}

/** A bound of steps: what is before `end` belongs to the step before, what is from `start` on to the next. */
interface StepBound {
  step: number;
  end: number;
  start: number;
}

/** Blocks of single days that count in this moment, by their starts: of this key and account. */
export async function dayBuilds(
  queries: Queries<'metering'>,
  { keyId, accountId }: { keyId: string; accountId: string },
  { from, to }: SeriesWindow,
): Promise<Map<number, bigint>> {
  const blocks = await queries.$queryRaw<{ at: Date; build: bigint }[]>`
    SELECT at, build FROM usage_block
    WHERE key_id = ${keyId} AND account_id = ${accountId} AND days = 1 AND ${isFresh} AND ${ofNewEdition}
      AND at >= ${new Date(from)}::timestamptz AND at + interval '24 hours' <= ${new Date(to)}::timestamptz`;
  return new Map(blocks.map(({ at, build }) => [at.getTime(), build]));
}

/**
 * Cuts a window into the days of blocks and the rest. Steps that begin within a day, as those of other time
 * zones do, have differences of the sums of its first hours. Hours that are read by the minute are in none.
 */
export function cutSeries(window: SeriesWindow, builds: ReadonlyMap<number, bigint>): SeriesCut {
  const bounds = stepBounds(window);
  const cut: SeriesCut = { lines: [], ranges: [] };
  let [from, next] = [window.from, 0];
  for (const [day, build] of [...builds].toSorted(([one], [other]) => one - other)) {
    if (from < day) cut.ranges.push({ from, to: day });
    from = day + dayMs;
    while (next < bounds.length && (bounds[next]?.start ?? 0) <= day) next++;
    let [step, at] = [bounds[next - 1]?.step ?? window.from, day];
    const add = (to: number): void => void cut.lines.push(...hoursOf({ build, day, from: at, to, step }));
    for (let bound = bounds[next]; bound && bound.end < from; bound = bounds[++next]) {
      add(bound.end);
      ({ step, start: at } = bound);
    }
    add(from);
  }
  if (from < window.to) cut.ranges.push({ from, to: window.to });
  return cut;
}

function stepBounds(window: SeriesWindow): StepBound[] {
  const byMinute = new Set(cutHours(window));
  return window.bounds.map((bound) => {
    const [hour, start] = [bound - (bound % hourMs), Math.ceil(bound / hourMs) * hourMs];
    return { step: bound, end: byMinute.has(hour) ? hour : start, start };
  });
}

/** The hours [from, to) of a day. */
function hoursOf({
  build,
  day,
  from,
  to,
  step,
}: Pick<DayLine, 'build' | 'step'> & { day: number; from: number; to: number }): DayLine[] {
  if (from >= to) return [];
  const until = (time: number) => (time - day) / hourMs;
  const before: DayLine[] = from > day ? [{ build, until: until(from), step, sign: -1 }] : [];
  return [{ build, until: until(to), step, sign: 1 }, ...before];
}

/** The lines as the table `piece`. */
export function piecesOf(lines: readonly DayLine[]): Prisma.Sql {
  const steps = lines.map(({ step }) => new Date(step));
  return Prisma.sql`unnest(${lines.map(({ build }) => build)}::bigint[], ${lines.map(({ until }) => until)}::int[],
    ${steps}::timestamptz[], ${lines.map(({ sign }) => sign)}::int[]) AS piece (build, until, step, sign)`;
}
