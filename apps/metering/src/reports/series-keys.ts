import type { Queries } from '@tollgate/database';
import { entry } from '../ingest/fold-rows';
import { cutWholeDays, dayMinutes, dayMs } from './series-days';
import type { ChartedDay, DayPiece, SeriesCut } from './series-days';
import { lineRows } from './series-lines';
import type { ReadLines } from './series-points';
import { keyHourRows, keyMinuteRows } from './series-rows';
import type { KeyHours, SeriesQuestion, SignedRow } from './series-rows';
import type { SeriesWindow } from './series-window';

/** What keys used on the days of a cut: lines of blocks, and rows for what these do not have. */
export interface KeyLines {
  lines: ReadLines[];
  readRows: () => Promise<SignedRow[]>;
}

/** Days (counted since 1970) of keys. */
type KeyDays = ReadonlyMap<string, ReadonlySet<number>>;

/**
 * What keys used on the days of a cut, whatever time zone these are of. Everybody's blocks have each key's
 * whole days, and the hours of their largest keys only. A day of another that is cut is the whole of it
 * without its shorter parts, which are read from its rows, as are days that are added to these.
 */
export async function keyLines(
  queries: Queries<'metering'>,
  window: SeriesWindow,
  days: ReadonlyMap<number, ChartedDay>,
  cut: SeriesCut,
  question: SeriesQuestion,
  keys: readonly string[],
): Promise<KeyLines> {
  const { pieces } = cut;
  const gaps = await gapsOf(queries, pieces, keys);
  const isGap = (key: string | null, day: number) => key !== null && gaps.get(key)?.has(day) === true;
  const owners = { owners: keys };
  const ofHours = {
    rows: await lineRows(queries, pieces, question, owners),
    pieces,
    isRead: (key: string | null, day: number) => !isGap(key, day),
  };
  if (gaps.size === 0) return { lines: [ofHours], readRows: () => Promise.resolve([]) };
  const gapDays = new Set([...gaps.values()].flatMap((ofKey) => [...ofKey]));
  const whole = cutWholeDays(window, days);
  const wholePieces = whole.pieces.filter(({ day }) => gapDays.has(day / dayMs));
  const ofDays = { rows: await lineRows(queries, wholePieces, question, owners), pieces: wholePieces, isRead: isGap };
  return { lines: [ofHours, ofDays], readRows: () => gapRows(queries, window, cut, whole, gaps) };
}

/** Days of which blocks lack a piece of a key. */
async function gapsOf(
  queries: Queries<'metering'>,
  pieces: readonly DayPiece[],
  keys: readonly string[],
): Promise<KeyDays> {
  const cut = pieces.filter(({ until }) => until !== dayMinutes);
  const told = await keysWithHours(
    queries,
    [...new Set(cut.flatMap((piece) => (piece.inPoints ? [piece.build] : [])))],
    keys,
  );
  const gaps = new Map<string, Set<number>>();
  for (const { day, build, inPoints } of cut) {
    const ofBuild = inPoints ? told.get(build) : undefined;
    for (const key of keys) if (!ofBuild?.has(key)) entry(gaps, key, () => new Set<number>()).add(day / dayMs);
  }
  return gaps;
}

/** Which of these keys a block of everybody has the hours of, by its build. */
async function keysWithHours(
  queries: Queries<'metering'>,
  builds: readonly bigint[],
  keys: readonly string[],
): Promise<Map<bigint, Set<string>>> {
  const told = new Map<bigint, Set<string>>();
  if (builds.length === 0) return told;
  const rows = await queries.$queryRaw<{ build: bigint; key: string }[]>`
    SELECT asked.build, top.key FROM unnest(${builds}::bigint[]) AS asked (build)
    CROSS JOIN LATERAL usage_block_top_keys(asked.build) AS top (key) WHERE top.key = ANY(${keys}::text[])`;
  for (const { build, key } of rows) entry(told, build, () => new Set<string>()).add(key);
  return told;
}

/** The shorter parts of these days, and what is read by the minute of them and of no others. */
async function gapRows(
  queries: Queries<'metering'>,
  window: SeriesWindow,
  cut: SeriesCut,
  whole: ReturnType<typeof cutWholeDays>,
  gaps: KeyDays,
): Promise<SignedRow[]> {
  const isRead = new Set(cut.byMinute);
  const hours = whole.byMinute.filter((hour) => !isRead.has(hour)).map((hour) => ({ from: hour, to: hour }));
  const ofParts = keysOf(whole.parts, gaps);
  const ofMinutes = keysOf(hours, gaps);
  const uses = new Map(whole.parts.map((part) => [part.from, part.uses]));
  const rows = ofParts.length === 0 ? [] : await keyHourRows(queries, ofParts);
  const minutes = ofMinutes.length === 0 ? [] : await keyMinuteRows(queries, window, ofMinutes);
  const signed = rows.flatMap((row) =>
    (uses.get(row.at.getTime()) ?? []).map(({ step, sign }) => ({ ...row, at: new Date(step), sign })),
  );
  return [...signed, ...minutes];
}

/** Each of these spans for each key that lacks its day. */
function keysOf(spans: readonly { from: number; to: number }[], gaps: KeyDays): KeyHours[] {
  return [...gaps].flatMap(([key, days]) =>
    spans.filter(({ from }) => days.has(Math.floor(from / dayMs))).map(({ from, to }) => ({ key, from, to })),
  );
}
