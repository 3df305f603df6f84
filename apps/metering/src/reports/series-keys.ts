import type { Queries } from '@tollgate/database';
import { entry } from '../ingest/fold-rows';
import { chartedDays, cutSeries, dayMinutes, dayMs } from './series-days';
import type { ChartedDay, DayPiece } from './series-days';
import { lineRows } from './series-lines';
import type { LineRow } from './series-lines';
import { keyDayRows } from './series-rows';
import type { KeyDay, SeriesQuestion, StepRow } from './series-rows';
import { readRequests } from './written-points';
import type { SeriesWindow } from './series-window';

/**
 * Blocks of so many accounts are read, each in statements of its own, which a chart of a thousand keys would
 * have too many of for one transaction. Keys of others are read from their rows.
 */
const mostAccounts = 50;

/** The lines of some keys on the days of a cut. */
export interface KeyLines {
  lines: { rows: LineRow[]; pieces: DayPiece[] }[];
  rows: StepRow[];
}

/**
 * What blocks have of the largest keys of everybody on the days of a cut, whatever time zone these are of.
 * Everybody's blocks have keys of whole days only, so parts of days are read from the blocks of accounts.
 * `byMinute`: the hours that are read by the minute beside, for all keys.
 * Where a key used more on a day than that account's block has, it was another's too: those days of it, and
 * the days that have no block, are read from its rows.
 */
export async function keyLines(
  queries: Queries<'metering'>,
  window: SeriesWindow,
  days: ReadonlyMap<number, ChartedDay>,
  byMinute: readonly number[],
  question: SeriesQuestion,
  keys: readonly string[],
): Promise<KeyLines> {
  const whole = [...days].flatMap(([day, charted]) => wholePieces(day, charted));
  const expected = requestsOf([{ rows: await lineRows(queries, whole, question, { owners: keys }), pieces: whole }]);
  const lines: KeyLines['lines'] = [];
  for (const [accountId, ofAccount] of await accountsOf(queries, window, keys)) {
    const known = await chartedDays(queries, { keyId: '', accountId, dimension: 'key' }, window);
    const pieces = piecesAlike(window, days, known, byMinute);
    lines.push({ rows: await lineRows(queries, pieces, question, { owners: ofAccount }), pieces });
  }
  const gaps: KeyDay[] = [];
  const found = requestsOf(lines);
  for (const [key, ofDays] of expected)
    for (const [day, requests] of ofDays)
      if (found.get(key)?.get(day) !== requests) gaps.push({ key, day: day * dayMs });
  const isGap = new Set(gaps.map(({ key, day }) => `${key} ${day / dayMs}`));
  const kept = lines.map(({ rows, pieces }) => ({ rows: rows.map((row) => without(row, isGap)), pieces }));
  return { lines: kept, rows: gaps.length === 0 ? [] : await keyDayRows(queries, window, gaps, byMinute) };
}

/**
 * Pieces of an account's days that leave out the same hours as those of everybody's: days of which rows by
 * minute are needed where everybody's blocks need none are left out.
 */
function piecesAlike(
  window: SeriesWindow,
  days: ReadonlyMap<number, ChartedDay>,
  known: ReadonlyMap<number, ChartedDay>,
  byMinute: readonly number[],
): DayPiece[] {
  const shared = [...known].flatMap(([day, charted]): [number, ChartedDay][] => {
    const everybodys = days.get(day);
    return everybodys ? [[day, { ...charted, isCut: charted.isCut && everybodys.isCut }]] : [];
  });
  const further = cutSeries(window, new Map(shared)).byMinute.filter((hour) => !byMinute.includes(hour));
  const leftOut = new Set(further.map((hour) => hour - (hour % dayMs)));
  return cutSeries(window, new Map(shared.filter(([day]) => !leftOut.has(day)))).pieces;
}

function wholePieces(day: number, { points, lines }: ChartedDay): DayPiece[] {
  const build = points ?? lines;
  return build === null ? [] : [{ day, until: dayMinutes, step: day, sign: 1, build, inPoints: points !== null }];
}

/** Requests of whole days (counted since 1970) by key. */
function requestsOf(read: KeyLines['lines']): Map<string, Map<number, number>> {
  const requests = new Map<string, Map<number, number>>();
  for (const { rows, pieces } of read) {
    const days = new Set(pieces.map(({ day }) => day / dayMs));
    for (const { name, until, points } of rows)
      if (name !== null && until === dayMinutes)
        readRequests(points, (day, count) => {
          if (days.has(day)) entry(requests, name, () => new Map<number, number>()).set(day, count);
        });
  }
  return requests;
}

/** The accounts that most keys were last of, each with its keys. */
async function accountsOf(
  queries: Queries<'metering'>,
  { to }: SeriesWindow,
  keys: readonly string[],
): Promise<Map<string, string[]>> {
  const found = await queries.$queryRaw<{ key: string; accountId: string }[]>`
    SELECT wanted AS key, last.account_id AS "accountId" FROM unnest(${keys}::text[]) AS wanted CROSS JOIN LATERAL (
      SELECT account_id FROM usage_hour WHERE key_id = wanted AND at < ${new Date(to)}::timestamptz ORDER BY at DESC LIMIT 1
    ) AS last`;
  const accounts = new Map<string, string[]>();
  for (const { key, accountId } of found) entry(accounts, accountId, () => []).push(key);
  return new Map([...accounts].toSorted(([, one], [, other]) => other.length - one.length).slice(0, mostAccounts));
}

/** The points of a row but for these days of its key. */
function without(row: LineRow, isGap: ReadonlySet<string>): LineRow {
  if (isGap.size === 0) return row;
  const points = row.points
    .split('|')
    .filter((point) => !isGap.has(`${row.name} ${point.slice(0, point.indexOf('/'))}`));
  return { ...row, points: points.join('|') };
}
