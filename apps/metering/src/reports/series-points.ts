import { entry } from '../ingest/fold-rows';
import { dayMinutes, dayMs } from './series-days';
import type { DayPiece } from './series-days';
import type { LineRow } from './series-lines';
import type { SignedRow } from './series-rows';
import { addSums, noSums, readPoints } from './written-points';
import type { Sums, WrittenPoint } from './written-points';

/** What each line used in each step, by its start (epoch milliseconds). A name of null: all other lines. */
export type SeriesPoints = Map<string | null, Map<number, Sums>>;

/**
 * Adds up what is of the same line and step. What is not of the largest is the whole without them: nothing is
 * left in a step that has no requests.
 */
export function pointsOf(
  rows: readonly SignedRow[],
  read: readonly { rows: readonly LineRow[]; pieces: readonly DayPiece[] }[],
): SeriesPoints {
  const points: SeriesPoints = new Map();
  const add = ({ name, isPart }: Pick<LineRow, 'name' | 'isPart'>, step: number, point: WrittenPoint, sign: 1 | -1) => {
    addSums(entry(entry(points, name, newLine), step, noSums), point, sign);
    if (isPart && name !== null) addSums(entry(entry(points, null, newLine), step, noSums), point, sign > 0 ? -1 : 1);
  };
  for (const row of rows)
    for (const point of readPoints(row.points, () => true)) add(row, row.at.getTime(), point, row.sign ?? 1);
  for (const { rows: lines, pieces } of read) {
    const uses = usesOf(pieces);
    for (const line of lines)
      for (const point of readPoints(line.points, (day) => uses.has(useOf(day, line.until))))
        for (const { step, sign } of uses.get(useOf(point.day, line.until)) ?? []) add(line, step, point, sign);
  }
  for (const line of points.values()) for (const [step, { requests }] of line) if (requests === 0) line.delete(step);
  return points;
}

function newLine(): Map<number, Sums> {
  return new Map();
}

/** The steps that a day up to a minute belongs to. */
function usesOf(pieces: readonly DayPiece[]): Map<number, DayPiece[]> {
  const uses = new Map<number, DayPiece[]>();
  for (const piece of pieces) entry(uses, useOf(piece.day / dayMs, piece.until), () => []).push(piece);
  return uses;
}

function useOf(day: number, until: number): number {
  return day * (dayMinutes + 1) + until;
}

/** Adds up all but the most costly lines into that of all others. */
export function keepLargest(points: SeriesPoints, most: number): void {
  const lines = [...points].flatMap(([name, line]) => (name === null ? [] : [{ name, line, sums: sumOf(line) }]));
  lines.sort((one, other) => {
    if (one.sums.cost !== other.sums.cost) return one.sums.cost < other.sums.cost ? 1 : -1;
    return other.sums.requests - one.sums.requests || (one.name < other.name ? -1 : 1);
  });
  for (const { name, line } of lines.slice(most)) {
    points.delete(name);
    const others = entry(points, null, newLine);
    for (const [step, sums] of line) addSums(entry(others, step, noSums), sums);
  }
}

/** All that a line used. */
export function sumOf(line: ReadonlyMap<number, Sums>): Sums {
  const sum = noSums();
  for (const one of line.values()) addSums(sum, one);
  return sum;
}
