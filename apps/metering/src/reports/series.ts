import { toSeries } from '@tollgate/contracts';
import type { Series, SeriesInColumns } from '@tollgate/contracts';
import type { Database, Queries } from '@tollgate/database';
import { everybody } from '../ingest/everybody';
import { ofOneMoment } from '../one-moment';
import { chartedDays } from './charted-days';
import { largestOwners } from './largest-owners';
import type { Owner } from './largest-owners';
import { cutSeries, toldAsWhole } from './series-days';
import type { ChartedDay, WholeCut } from './series-days';
import { isUnfiltered, lineRows } from './series-lines';
import { ownersLines } from './series-owners';
import { keepLargest, pointsOf, sumOf } from './series-points';
import type { SeriesPoints } from './series-points';
import { inTheirSteps, partRows, stepRows } from './series-rows';
import type { SeriesQuestion, UsedRow } from './series-rows';
import type { SeriesWindow } from './series-window';
import { columnsOf } from './written-columns';
import { addSums, noSums } from './written-points';
import type { Sums } from './written-points';

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
  database: Database<'metering'>,
  window: SeriesWindow,
  question: SeriesQuestion,
): Promise<SeriesInColumns> {
  const { bounds, step, timeZone } = window;
  const maxLines = Math.max(1, Math.min(question.maxLines, Math.floor(mostPoints / bounds.length)));
  const points = await ofOneMoment(database, (queries) => readPointsOf(queries, window, { ...question, maxLines }));
  const totals = noSums();
  const lines = [...points].flatMap(([name, ofSteps]) => {
    if (ofSteps.size === 0) return [];
    const sums = sumOf(ofSteps);
    addSums(totals, sums);
    return [{ name: name ?? others, sums, ofSteps }];
  });
  const starts = bounds.slice(0, -1);
  const places = new Map(starts.map((start, place) => [start, place]));
  return {
    startAt: bounds[0] ?? 0,
    endAt: bounds.at(-1) ?? 0,
    step,
    timeZone,
    starts,
    totals: columnsOf([totals]),
    lines: lines.toSorted(byCost).map((line) => toColumns(line, places)),
    grouped: (points.get(null)?.size ?? 0) > 0,
  };
}

/** The same as objects. */
export async function readSeries(...asked: Parameters<typeof readSeriesInColumns>): Promise<Series> {
  return toSeries(await readSeriesInColumns(...asked));
}

async function readPointsOf(
  queries: Queries<'metering'>,
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
  const points = await pointsOf([lines], () => rowsOf(queries, window, cut, question, null));
  keepLargest(points, maxLines);
  return points;
}

/** Of the largest keys of an account. */
async function ownersPoints(
  queries: Queries<'metering'>,
  window: SeriesWindow,
  question: SeriesQuestion,
  largest: readonly Owner[],
): Promise<SeriesPoints> {
  const days = question.groupBy === 'key' ? await daysOf(queries, window, question) : new Map<number, ChartedDay>();
  const cut = cutOf(window, days, question);
  const { pieces } = cut;
  const owners = largest.map(({ name }) => name);
  const lines = { rows: await lineRows(queries, pieces, question, 'all', { owners }), pieces };
  return pointsOf([lines], () => rowsOf(queries, window, cut, question, owners));
}

/**
 * Of the largest keys or accounts of everybody. All that is used has rows and lines of its own, so that those
 * of thousands of others are not read.
 */
async function everybodysPoints(
  queries: Queries<'metering'>,
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
          lines: [],
          readRows: async () =>
            inTheirSteps(await stepRows(queries, window, cut, { ...question, owners: names }, names)),
        };
  return pointsOf([whole, ...parts.lines], async () => [
    ...inTheirSteps(await stepRows(queries, window, cut, { ...question, groupBy: 'none' }, [])),
    ...(await parts.readRows()),
  ]);
}

/** What is read of these days of blocks, and of rows beside. */
function cutOf(window: SeriesWindow, days: ReadonlyMap<number, ChartedDay>, question: SeriesQuestion): WholeCut {
  return cutSeries(window, isOfWholeDays(question) ? toldAsWhole(days) : days);
}

/** `largest`: see `stepRows`. */
async function rowsOf(
  queries: Queries<'metering'>,
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
  queries: Queries<'metering'>,
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

/** What a line used, and in which steps, by their starts. */
interface Line {
  name: string;
  sums: Sums;
  ofSteps: ReadonlyMap<number, Sums>;
}

function toColumns(
  { name, sums, ofSteps }: Line,
  places: ReadonlyMap<number, number>,
): SeriesInColumns['lines'][number] {
  const inOrder = [...ofSteps].toSorted(([one], [other]) => one - other);
  return {
    name,
    totals: columnsOf([sums]),
    steps: inOrder.map(([start]) => places.get(start) ?? -1),
    points: columnsOf(inOrder.map(([, ofStep]) => ofStep)),
  };
}

/** The line of all others comes last, as nobody can compare it. */
function byCost(one: Line, other: Line): number {
  if ((one.name === others) !== (other.name === others)) return one.name === others ? 1 : -1;
  if (one.sums.cost !== other.sums.cost) return one.sums.cost < other.sums.cost ? 1 : -1;
  return other.sums.requests - one.sums.requests || (one.name < other.name ? -1 : 1);
}
