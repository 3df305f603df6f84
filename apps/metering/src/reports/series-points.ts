import { setImmediate } from 'node:timers/promises';
import { entry } from '../ingest/fold-rows';
import { dayMinutes, dayMs } from './series-days';
import type { DayPiece } from './series-days';
import type { LineRow } from './series-lines';
import type { UsedRow } from './series-rows';
import { addSums, noSums, readPoints } from './written-points';
import type { Sums } from './written-points';

/** More than `until` can be. */
const minutesOfDays = 2 * dayMinutes;

/** What each line used in each step, by its start (epoch milliseconds). A name of null: all other lines. */
export type SeriesPoints = Map<string | null, Map<number, Sums>>;

/**
 * Adds up what is of the same line and step. What is not of the largest is the whole without them: nothing is
 * left in a step that has no requests. The statement of `readRows` is under way while lines are added up,
 * which takes as long as it does.
 */
export async function pointsOf(
  lines: readonly ReadLines[],
  readRows: () => Promise<readonly UsedRow[]>,
): Promise<SeriesPoints> {
  const [points, parts]: [SeriesPoints, SeriesPoints] = [new Map(), new Map()];
  const lineOf: LineOf = ({ name, isPart }) => entry(isPart && name !== null ? parts : points, name, newLine);
  // What is to be sent is sent before the next turn of the event loop.
  const [rows] = await Promise.all([readRows(), setImmediate().then(() => addLines(lines, lineOf))]);
  for (const row of rows) {
    const line = lineOf(row);
    readPoints(row.points, (point) => {
      for (const { step, sign } of row.uses) addSums(entry(line, step, noSums), point, sign);
    });
  }
  takeOut(points, parts);
  for (const line of points.values()) for (const [step, { requests }] of line) if (requests === 0) line.delete(step);
  return points;
}

/** What blocks have of these pieces. */
export interface ReadLines {
  rows: readonly LineRow[];
  pieces: readonly DayPiece[];
}

type LineOf = (row: Pick<LineRow, 'name' | 'isPart'>) => Map<number, Sums>;

function addLines(read: readonly ReadLines[], lineOf: LineOf): void {
  for (const { rows, pieces } of read) {
    const uses = usesOf(pieces);
    for (const row of rows) {
      const line = lineOf(row);
      const ofDays = uses.get(useOf(row));
      readPoints(
        row.points,
        (point) => {
          for (const { step, sign } of ofDays?.get(point.day) ?? []) addSums(entry(line, step, noSums), point, sign);
        },
        (day) => ofDays?.has(day) === true,
      );
    }
  }
}

/** Parts of all are lines of their own, and taken out of what all have together. */
function takeOut(points: SeriesPoints, parts: SeriesPoints): void {
  if (parts.size === 0) return;
  const all = entry(points, null, newLine);
  for (const [name, part] of parts) {
    const line = entry(points, name, newLine);
    for (const [step, sums] of part) {
      addSums(entry(all, step, noSums), sums, -1);
      const known = line.get(step);
      if (known) addSums(known, sums);
      else line.set(step, sums);
    }
  }
}

function newLine(): Map<number, Sums> {
  return new Map();
}

/** What is read of a row, by its build and minute, and the day (counted since 1970). */
function usesOf(pieces: readonly DayPiece[]): Map<number, Map<number, DayPiece[]>> {
  const uses = new Map<number, Map<number, DayPiece[]>>();
  for (const piece of pieces) {
    const ofDays = entry(uses, useOf(piece), () => new Map<number, DayPiece[]>());
    entry(ofDays, piece.day / dayMs, () => []).push(piece);
  }
  return uses;
}

/** A number: text for each of thousands of pieces would be as much as all else. Builds are counted from 1. */
function useOf({ build, until }: Pick<DayPiece, 'build' | 'until'>): number {
  return Number(build) * minutesOfDays + until;
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
