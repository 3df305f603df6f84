import { ControlError } from '@tollgate/contracts';
import type { SeriesStep } from '@tollgate/contracts/metering';
import type { Queries } from '@tollgate/database';

const mostSteps = 2_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * `bounds` are the starts of all steps and the end of the last, oldest first; only what ended from `from` up
 * to, not including, `to` counts, so that the first and the last step may be parts of one. `minutesSince`:
 * what is older is read by the hour, which belongs to the step in which it begins. All in epoch milliseconds.
 */
export interface SeriesWindow {
  step: SeriesStep;
  timeZone: string;
  bounds: number[];
  from: number;
  to: number;
  minutesSince: number;
}

interface Asked {
  startAt: number;
  endAt: number;
  step: SeriesStep;
  timeZone: string;
}

/**
 * The steps of [startAt, endAt), and the window widened to whole minutes; to whole steps where minutes are
 * not kept any more. Days begin at midnight in the time zone, whenever that is (a day may have 23 or 25
 * hours); hours and minutes are those of UTC.
 * @throws ControlError `invalid` for an unknown time zone, an empty window, too many steps, and minutes that
 * are not kept any more.
 */
export async function seriesWindow(
  database: Queries<'metering'>,
  { startAt, endAt, step, timeZone }: Asked,
  minutesSinceMs: number,
): Promise<SeriesWindow> {
  if (!isTimeZone(timeZone)) throw new ControlError('invalid', `${timeZone} is not the IANA name of a time zone.`);
  if (startAt >= endAt) throw new ControlError('invalid', 'The window is empty: startAt must be before endAt.');
  const stepMs = { minute: minuteMs, hour: hourMs, day: 24 * hourMs }[step];
  if ((endAt - startAt) / stepMs > mostSteps)
    throw new ControlError('invalid', `The window has more than ${mostSteps} steps: take a longer step.`);
  if (step === 'minute' && startAt < minutesSinceMs)
    throw new ControlError('invalid', `Sums by minute are kept since ${new Date(minutesSinceMs).toISOString()}.`);
  const bounds =
    step === 'day' ? await midnights(database, startAt, endAt, timeZone) : wholeSteps(startAt, endAt, stepMs);
  const [first = startAt] = bounds;
  const last = bounds.at(-1) ?? endAt;
  const from = startAt < minutesSinceMs ? first : Math.max(first, startAt - (startAt % minuteMs));
  const to = endAt < minutesSinceMs ? last : Math.min(last, Math.ceil(endAt / minuteMs) * minuteMs);
  return { step, timeZone, bounds, from, to, minutesSince: minutesSinceMs };
}

/**
 * The hours, by their starts, that a bound cuts, in zones that are not whole hours from UTC, or the window
 * does, and that are read by the minute.
 */
export function cutHours({ bounds, from, to, minutesSince }: SeriesWindow): number[] {
  const cut = [...bounds, from, to].filter((bound) => bound % hourMs !== 0).map((bound) => bound - (bound % hourMs));
  return [...new Set(cut)].filter((hour) => hour >= minutesSince);
}

function wholeSteps(startAt: number, endAt: number, stepMs: number): number[] {
  const bounds: number[] = [];
  for (let at = Math.floor(startAt / stepMs) * stepMs; at < endAt + stepMs; at += stepMs) {
    bounds.push(at);
    if (at >= endAt) break;
  }
  return bounds;
}

/**
 * Postgres knows the history of time zones and of their summer times. Where clocks go back to midnight, it
 * means the second one by it; the day begins with the first.
 */
async function midnights(
  database: Queries<'metering'>,
  startAt: number,
  endAt: number,
  timeZone: string,
): Promise<number[]> {
  const rows = await database.$queryRaw<{ at: Date }[]>`
    SELECT coalesce((
        SELECT min(second.at - before) FROM unnest('{1 hour,30 minutes}'::interval[]) AS before
        WHERE date_trunc('day', (second.at - before) AT TIME ZONE ${timeZone}) = midnight
          AND date_trunc('day', (second.at - interval '1 minute') AT TIME ZONE ${timeZone}) = midnight
      ), second.at) AS at
    FROM generate_series(
      date_trunc('day', ${new Date(startAt)}::timestamptz AT TIME ZONE ${timeZone}),
      date_trunc('day', (${new Date(endAt)}::timestamptz - interval '1 millisecond') AT TIME ZONE ${timeZone}) + interval '1 day',
      interval '1 day'
    ) AS midnight CROSS JOIN LATERAL (SELECT midnight AT TIME ZONE ${timeZone} AS at) AS second ORDER BY 1`;
  return rows.map(({ at }) => at.getTime());
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone.length > 0;
  } catch {
    return false;
  }
}
