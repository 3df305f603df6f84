import type { Statements } from '@tollgate/database';
import { entry } from '../ingest/fold-rows';
import type { Owner } from './largest-owners';
import { cutSeries } from './series-days';
import type { ChartedDay, DayPart, DayPiece } from './series-days';
import { ownerLineRows } from './series-lines';
import type { LineRow } from './series-lines';
import { daysOfOwners } from './series-owner-days';
import type { OwnerDays } from './series-owner-days';
import type { ReadLines } from './series-points';
import { inSteps, inTheirSteps, ownerHourRows, ownerMinuteRows } from './series-rows';
import type { SeriesQuestion, UsedRow } from './series-rows';
import type { SeriesWindow } from './series-window';

const hourMs = 3_600_000;

/** So many pieces of lines, or a few more, are read at once. */
const piecesAtOnce = 2_000;

/** What keys or accounts of everybody used: lines of blocks, by turns, and rows for what these lack. */
export interface OwnersLines {
  readLines: (() => Promise<ReadLines[]>)[];
  readRows: () => Promise<UsedRow[]>;
}

/** What is read of owners who have the same days. */
export interface OwnersCut extends Pick<OwnerDays, 'names' | 'own' | 'builds'> {
  pieces: DayPiece[];
  parts: DayPart[];
  byMinute: number[];
}

/**
 * What these keys or accounts used in each step of days, whatever time zone these are of, as parts of all.
 * `days`: what everybody's blocks have. Days are cut once for owners who have the same.
 */
export async function ownersLines(
  queries: Statements,
  window: SeriesWindow,
  days: ReadonlyMap<number, ChartedDay>,
  question: SeriesQuestion,
  owners: readonly Owner[],
): Promise<OwnersLines> {
  const cuts = (await daysOfOwners(queries, window, days, question, owners)).map((of) => cutOf(window, of));
  return {
    readLines: inTurns(cuts, piecesAtOnce).map((turn) => () => linesOf(queries, question, turn)),
    readRows: () => rowsOf(queries, window, question, cuts),
  };
}

/** The same, of some owners at a time: so many pieces, or what the last owner has more. */
export function inTurns(cuts: readonly OwnersCut[], most: number): OwnersCut[][] {
  const turns: OwnersCut[][] = [];
  let pieces = most;
  for (const cut of cuts)
    for (const name of cut.names) {
      if (pieces >= most) {
        turns.push([]);
        pieces = 0;
      }
      const turn = turns.at(-1);
      const last = turn?.at(-1);
      if (last?.pieces === cut.pieces) last.names.push(name);
      else turn?.push({ ...cut, names: [name] });
      pieces += cut.pieces.length;
    }
  return turns;
}

async function linesOf(
  queries: Statements,
  question: SeriesQuestion,
  cuts: readonly OwnersCut[],
): Promise<ReadLines[]> {
  const ofNames = new Map<string | null, LineRow[]>();
  for (const row of await ownerLineRows(queries, cuts, question)) entry(ofNames, row.name, () => []).push(row);
  return cuts.map(({ names, builds, pieces }) => ({
    rows: names.flatMap((name) => inPiecesOf(builds.get(name), ofNames.get(name) ?? [])),
    pieces,
  }));
}

/** Rows of builds that are read in place of those in the pieces, as if they were of these. */
function inPiecesOf(builds: ReadonlyMap<bigint, bigint> | undefined, rows: LineRow[]): LineRow[] {
  if (!builds) return rows;
  const inPlaceOf = new Map([...builds].map(([known, build]) => [build, known]));
  return rows.map((row) => ({ ...row, build: inPlaceOf.get(row.build) ?? row.build }));
}

/** Of a key's accounts each has pieces of the same days; its rows are not told apart by them. */
function cutOf(window: SeriesWindow, { names, own, builds, days }: OwnerDays): OwnersCut {
  const [first = new Map<number, ChartedDay>(), ...others] = days;
  const { pieces, parts, rest, byMinute } = cutSeries(window, first);
  const more = others.flatMap((ofAccount) => cutSeries(window, ofAccount).pieces);
  return { names, own, builds, pieces: [...pieces, ...more], parts: [...parts, ...rest], byMinute };
}

async function rowsOf(
  queries: Statements,
  window: SeriesWindow,
  question: SeriesQuestion,
  cuts: readonly OwnersCut[],
): Promise<UsedRow[]> {
  const hours = cuts.map(({ names, parts }) => ({ names, hours: parts }));
  const minutes = cuts.map(({ names, byMinute }) => ({
    names,
    hours: byMinute.map((from) => ({ from, to: from + hourMs })),
  }));
  const uses = new Map(
    cuts.flatMap(({ names, parts }) => {
      const ofParts = new Map(parts.map(({ from, uses }) => [from, uses]));
      return names.map((name) => [name, ofParts] as const);
    }),
  );
  const rows = await ownerHourRows(queries, question, hours);
  const used = rows.flatMap((row) => (row.name === null ? [] : inSteps(row, uses.get(row.name))));
  return [...used, ...inTheirSteps(await ownerMinuteRows(queries, window, question, minutes))];
}
