import { toSeries } from '@tollgate/contracts/metering';
import type { Series, SeriesInColumns } from '@tollgate/contracts/metering';
import type { StatementPool, Statements } from '@tollgate/database';
import { everybody } from '../ingest/everybody';
import { chartedDays } from './charted-days';
import { largestOwners } from './largest-owners';
import type { Owner } from './largest-owners';
import { cutSeries, toldAsWhole } from './series-days';
import type { ChartedDay, WholeCut } from './series-days';
import { isUnfiltered, lineRows } from './series-lines';
import { ownersLines } from './series-owners';
import { byCost, keepLargest, pointsOf, wholeOf } from './series-points';
import type { LineSteps, SeriesPoints } from './series-points';
import { inTheirSteps, partRows, stepRows } from './series-rows';
import type { SeriesQuestion, UsedRow } from './series-rows';
import type { SeriesWindow } from './series-window';
import type { SumTable } from './sum-table';
import { columnsOf } from './written-columns';

export type { SeriesQuestion } from './series-rows';

/** A reply must fit into one NATS message: points of all lines together. */
const mostPoints = 10_000;
/**
 * The name of the line that holds what is not among the largest; no id of a model, provider, key or account.
 */
const others = 'other';

/**
 * Reads a series from the sums by minute or hour, and of days from their blocks, all of one moment. Of days,
 * lines by key or account are the largest of the whole hours around the window.
 */
export async function readSeriesInColumns(
  charts: StatementPool,
  window: SeriesWindow,
  question: SeriesQuestion,
): Promise<SeriesInColumns> {
  const { bounds, step, timeZone } = window;
  const maxLines = Math.max(1, Math.min(question.maxLines, Math.floor(mostPoints / bounds.length)));
  const points = await charts.transaction((queries) => readPointsOf(queries, window, { ...question, maxLines }), {
    isolationLevel: 'RepeatableRead',
  });
  const { table } = points;
  const totals = table.newRow();
  const lines = [...points.lines].flatMap(([name, ofSteps]) => {
    if (!ofSteps.some((row) => row > 0)) return [];
    const line = { name: name ?? others, ofSteps, ...wholeOf(table, ofSteps) };
    table.addRow(totals, line.whole);
    return [line];
  });
  return {
    startAt: bounds[0] ?? 0,
    endAt: bounds.at(-1) ?? 0,
    step,
    timeZone,
    starts: bounds.slice(0, -1),
    totals: columnsOf(table, [totals]),
    lines: lines.toSorted(othersLast).map((line) => toColumns(table, line)),
    grouped: lines.some(({ name }) => name === others),
  };
}

/** The same as objects. */
export async function readSeries(...asked: Parameters<typeof readSeriesInColumns>): Promise<Series> {
  return toSeries(await readSeriesInColumns(...asked));
}

async function readPointsOf(
  queries: Statements,
  window: SeriesWindow,
  question: SeriesQuestion,
): Promise<SeriesPoints> {
  const { groupBy, maxLines, keyIds, accountId } = question;
  // Of named keys all lines are read, and the largest of them told.
  if ((groupBy === 'key' || groupBy === 'account') && keyIds === undefined) {
    const isOfEverybody = accountId === undefined;
    if (window.step === 'day' || isOfEverybody) {
      const owners = await largestOwners(queries, window, { ...question, groupBy }, maxLines);
      return (isOfEverybody ? everybodysPoints : ownersPoints)(queries, window, question, owners);
    }
  }
  const days = await daysOf(queries, window, question);
  const cut = cutOf(window, days, question);
  const lines = { rows: await lineRows(queries, cut.pieces, question, 'divided'), pieces: cut.pieces };
  const points = await pointsOf(window.bounds, [lines], () => rowsOf(queries, window, cut, question, null));
  keepLargest(points, maxLines);
  return points;
}

/** Of the largest keys of an account. */
async function ownersPoints(
  queries: Statements,
  window: SeriesWindow,
  question: SeriesQuestion,
  largest: readonly Owner[],
): Promise<SeriesPoints> {
  const days = question.groupBy === 'key' ? await daysOf(queries, window, question) : new Map<number, ChartedDay>();
  const cut = cutOf(window, days, question);
  const { pieces } = cut;
  const owners = largest.map(({ name }) => name);
  const lines = { rows: await lineRows(queries, pieces, question, 'all', { owners }), pieces };
  return pointsOf(window.bounds, [lines], () => rowsOf(queries, window, cut, question, owners));
}

/**
 * Of the largest keys or accounts of everybody. All that is used has rows and lines of its own, so that those
 * of thousands of others are not read.
 */
async function everybodysPoints(
  queries: Statements,
  window: SeriesWindow,
  question: SeriesQuestion,
  largest: readonly Owner[],
): Promise<SeriesPoints> {
  const days = await daysOf(queries, window, question);
  const cut = cutSeries(window, days);
  const whole = { rows: await lineRows(queries, cut.pieces, question, 'all'), pieces: cut.pieces };
  const names = largest.map(({ name }) => name);
  const parts =
    window.step === 'day'
      ? await ownersLines(queries, window, days, question, largest)
      : {
          readLines: [],
          readRows: async () =>
            inTheirSteps(await stepRows(queries, window, cut, { ...question, owners: names }, names)),
        };
  const readRows = async () => [
    ...inTheirSteps(await stepRows(queries, window, cut, { ...question, groupBy: 'none' }, [])),
    ...(await parts.readRows()),
  ];
  return pointsOf(window.bounds, [whole], readRows, parts.readLines);
}

/** What is read of these days of blocks, and of rows beside. */
function cutOf(window: SeriesWindow, days: ReadonlyMap<number, ChartedDay>, question: SeriesQuestion): WholeCut {
  return cutSeries(window, isOfWholeDays(question) ? toldAsWhole(days) : days);
}

/** `largest`: see `stepRows`. */
async function rowsOf(
  queries: Statements,
  window: SeriesWindow,
  cut: WholeCut,
  question: SeriesQuestion,
  largest: string[] | null,
): Promise<UsedRow[]> {
  const rows = await stepRows(queries, window, cut, question, largest);
  return [...inTheirSteps(rows), ...(await partRows(queries, window, cut, question, largest))];
}

/** Lines of keys and accounts are told apart by model and provider of whole days only. */
function isOfWholeDays(question: SeriesQuestion): boolean {
  const { groupBy, keyIds } = question;
  const ofModels = !isUnfiltered(question) || groupBy === 'model' || groupBy === 'provider';
  return ofModels && (keyIds !== undefined || groupBy === 'key' || groupBy === 'account');
}

/**
 * The days that blocks have: none of other steps, of keys whose account is not named, and of named keys by
 * account.
 */
async function daysOf(
  queries: Statements,
  window: SeriesWindow,
  question: SeriesQuestion,
): Promise<ReadonlyMap<number, ChartedDay>> {
  const { accountId, keyIds, groupBy } = question;
  const isInBlocks = keyIds === undefined || (accountId !== undefined && groupBy !== 'account');
  if (window.step !== 'day' || !isInBlocks) return new Map();
  const [keyId, owner] = accountId === undefined ? [everybody, ''] : ['', accountId];
  const ofOwners = groupBy === 'key' || groupBy === 'account' ? groupBy : 'all';
  const dimension = keyIds === undefined ? ofOwners : 'key';
  const days = await chartedDays(queries, { keyId, accountIds: [owner], dimension }, window);
  return days.get(owner) ?? new Map<number, ChartedDay>();
}

/** What a line used: rows of the table, all of it and of each step. */
interface Line {
  name: string;
  whole: number;
  requests: number;
  cost: bigint;
  ofSteps: LineSteps;
}

function toColumns(table: SumTable, { name, whole, ofSteps }: Line): SeriesInColumns['lines'][number] {
  const [steps, rows]: [number[], number[]] = [[], []];
  for (const [step, row] of ofSteps.entries())
    if (row > 0) {
      steps.push(step);
      rows.push(row);
    }
  return { name, totals: columnsOf(table, [whole]), steps, points: columnsOf(table, rows) };
}

/** The line of all others comes last, as nobody can compare it. */
function othersLast(one: Line, other: Line): number {
  if ((one.name === others) !== (other.name === others)) return one.name === others ? 1 : -1;
  return byCost(one, other);
}
