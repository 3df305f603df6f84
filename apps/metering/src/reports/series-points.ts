import { setImmediate } from 'node:timers/promises';
import { entry } from '../ingest/fold-rows';
import { dayMs, readingOf } from './series-days';
import type { DayPiece } from './series-days';
import type { LineRow } from './series-lines';
import type { UsedRow } from './series-rows';
import { SumTable } from './sum-table';
import { readPoints } from './written-points';
import type { WrittenPoint } from './written-points';

/** Of each step of the window, in their order, the row of a table that has what was used. 0: nothing was. */
export type LineSteps = Int32Array;

/** What each line used in each step. A name of null: all other lines. */
export interface SeriesPoints {
  table: SumTable;
  lines: Map<string | null, LineSteps>;
}

/** The place of a step, and whether what is read is added to it, or taken out of it. */
interface Use {
  place: number;
  sign: 1 | -1;
}

/** What blocks have of these pieces. */
export interface ReadLines {
  rows: readonly LineRow[];
  pieces: readonly DayPiece[];
}

/**
 * Adds up what is of the same line and step. What is not of the largest is the whole without them: nothing is
 * left in a step that has no requests. `readMore` are read in turn, and `readRows` behind them, each while
 * what was read before is added up, which takes as long as it does. `bounds`: of all steps, the end of the
 * last behind them.
 */
export async function pointsOf(
  bounds: readonly number[],
  lines: readonly ReadLines[],
  readRows: () => Promise<readonly UsedRow[]>,
  readMore: readonly (() => Promise<readonly ReadLines[]>)[] = [],
): Promise<SeriesPoints> {
  const adding = new Adding(bounds);
  let read = lines;
  const addMeanwhile = async <Next>(readNext: () => Promise<Next>): Promise<Next> => {
    // What is to be sent is sent before the next turn of the event loop.
    const [next] = await Promise.all([
      readNext(),
      setImmediate().then(() => {
        for (const one of read) adding.addLines(one);
      }),
    ]);
    return next;
  };
  for (const readNext of readMore) read = await addMeanwhile(readNext);
  adding.addRows(await addMeanwhile(readRows));
  return adding.end();
}

class Adding {
  private readonly table = new SumTable();
  private readonly lines = new Map<string | null, LineSteps>();
  /** Of all, which are lines of their own. */
  private readonly parts = new Map<string | null, LineSteps>();
  /** By steps, one for each: there are thousands of pieces. */
  private readonly uses: ReadonlyMap<number, Record<1 | -1, Use>>;
  private readonly newLine: () => LineSteps;

  constructor(bounds: readonly number[]) {
    this.uses = new Map(bounds.map((start, place) => [start, { 1: { place, sign: 1 }, [-1]: { place, sign: -1 } }]));
    this.newLine = () => new Int32Array(bounds.length);
  }

  addLines({ rows, pieces }: ReadLines): void {
    const uses = this.usesOf(pieces);
    for (const row of rows) {
      const line = this.lineOf(row);
      const ofDays = uses.get(readingOf(row));
      if (ofDays)
        readPoints(
          row.points,
          (day) => ofDays.get(day),
          (point, ofDay) => this.add(line, point, ofDay),
        );
    }
  }

  addRows(rows: readonly UsedRow[]): void {
    for (const row of rows) {
      const line = this.lineOf(row);
      const uses = row.uses.map((use) => this.placed(use));
      readPoints(
        row.points,
        () => uses,
        (point) => this.add(line, point, uses),
      );
    }
  }

  /** Parts are taken out of what all have together. */
  end(): SeriesPoints {
    const { table, lines, parts } = this;
    for (const [name, part] of parts) {
      const [all, line] = [entry(lines, null, this.newLine), entry(lines, name, this.newLine)];
      for (const [place, row] of part.entries()) {
        if (row === 0) continue;
        table.addRow(rowOf(table, all, place), row, -1);
        if (line[place] === 0) line[place] = row;
        else table.addRow(rowOf(table, line, place), row);
      }
    }
    for (const line of lines.values())
      for (const [place, row] of line.entries()) if (row > 0 && table.requests(row) === 0) line[place] = 0;
    return { table, lines };
  }

  private add(line: LineSteps, point: WrittenPoint, uses: readonly Use[]): void {
    for (const { place, sign } of uses) this.table.addPoint(rowOf(this.table, line, place), point, sign);
  }

  private lineOf({ name, isPart }: Pick<LineRow, 'name' | 'isPart'>): LineSteps {
    return entry(isPart && name !== null ? this.parts : this.lines, name, this.newLine);
  }

  /** What is read of a row, by its build and minute, and the day (counted since 1970). */
  private usesOf(pieces: readonly DayPiece[]): Map<number, Map<number, Use[]>> {
    const uses = new Map<number, Map<number, Use[]>>();
    for (const piece of pieces) {
      const ofDays = entry(uses, readingOf(piece), () => new Map<number, Use[]>());
      entry(ofDays, piece.day / dayMs, () => []).push(this.placed(piece));
    }
    return uses;
  }

  private placed({ step, sign }: Pick<DayPiece, 'step' | 'sign'>): Use {
    const use = this.uses.get(step)?.[sign];
    if (!use) throw new RangeError(`No step of the window begins at ${step}.`);
    return use;
  }
}

/** The row of a step of a line, which has one from now on. */
function rowOf(table: SumTable, line: LineSteps, place: number): number {
  return (line[place] ||= table.newRow());
}

/** Adds up all but the most costly lines into that of all others. */
export function keepLargest({ table, lines }: SeriesPoints, most: number): void {
  const named = [...lines].flatMap(([name, line]) => (name === null ? [] : [{ name, line, ...wholeOf(table, line) }]));
  named.sort(byCost);
  for (const { name, line } of named.slice(most)) {
    lines.delete(name);
    const others = entry(lines, null, () => new Int32Array(line.length));
    for (const [place, row] of line.entries()) if (row > 0) table.addRow(rowOf(table, others, place), row);
  }
}

/** All that a line used: a row of the table. */
export function wholeOf(table: SumTable, line: LineSteps): { whole: number; requests: number; cost: bigint } {
  const whole = table.newRow();
  for (const row of line) if (row > 0) table.addRow(whole, row);
  return { whole, requests: table.requests(whole), cost: table.cost(whole) };
}

/** The most costly first. */
export function byCost(
  one: { name: string; requests: number; cost: bigint },
  other: { name: string; requests: number; cost: bigint },
): number {
  if (one.cost !== other.cost) return one.cost < other.cost ? 1 : -1;
  return other.requests - one.requests || (one.name < other.name ? -1 : 1);
}
