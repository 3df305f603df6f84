import { toSeries } from '@tollgate/contracts';
import type { Series, SeriesInColumns } from '@tollgate/contracts';
import type { Database, Queries } from '@tollgate/database';
import { everybody } from '../ingest/everybody';
import { ofOneMoment } from '../one-moment';
import { largestOwners } from './largest-owners';
import { chartedDays, cutSeries, cutWholeDays, dayMs } from './series-days';
import type { ChartedDay, DayPart, SeriesCut } from './series-days';
import { keyLines } from './series-keys';
import type { KeyLines } from './series-keys';
import { lineRows } from './series-lines';
import { keepLargest, pointsOf, sumOf } from './series-points';
import type { SeriesPoints } from './series-points';
import { partRows, stepRows } from './series-rows';
import type { SeriesQuestion, SignedRow } from './series-rows';
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
      const largest = owners.map(({ name }) => name);
      return (isOfEverybody ? everybodysPoints : ownersPoints)(queries, window, question, largest);
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
  largest: string[],
): Promise<SeriesPoints> {
  const days = question.groupBy === 'key' ? await daysOf(queries, window, question) : new Map<number, ChartedDay>();
  const cut = cutOf(window, days, question);
  const { pieces } = cut;
  const lines = { rows: await lineRows(queries, pieces, question, 'all', { owners: largest }), pieces };
  return pointsOf([lines], () => rowsOf(queries, window, cut, question, largest));
}

/**
 * Of the largest keys or accounts of everybody. All that is used has rows and lines of its own, so that those
 * of thousands of others are not read.
 */
async function everybodysPoints(
  queries: Queries<'metering'>,
  window: SeriesWindow,
  question: SeriesQuestion,
  largest: string[],
): Promise<SeriesPoints> {
  const days = await daysOf(queries, window, question);
  const cut = cutSeries(window, days);
  const whole = { rows: await lineRows(queries, cut.pieces, question, 'all'), pieces: cut.pieces };
  const parts = await partsOfOwners(queries, window, days, question, largest);
  return pointsOf([whole, ...parts.lines], async () => [
    ...(await stepRows(queries, window, cut, { ...question, groupBy: 'none' }, [])),
    ...(await parts.readRows()),
  ]);
}

/** What these keys or accounts of everybody used. Keys are told apart by model and provider in rows only. */
async function partsOfOwners(
  queries: Queries<'metering'>,
  window: SeriesWindow,
  days: ReadonlyMap<number, ChartedDay>,
  asked: SeriesQuestion,
  owners: string[],
): Promise<KeyLines> {
  const question = { ...asked, owners };
  const ofModels = isOfWholeDays(question);
  if (question.groupBy === 'account' || ofModels) {
    const cut = cutOf(window, question.groupBy === 'account' ? days : new Map(), question);
    const { pieces } = cut;
    const lines = [{ rows: await lineRows(queries, pieces, question, { owners }), pieces }];
    return { lines, readRows: () => rowsOf(queries, window, cut, question, owners) };
  }
  const cut = cutSeries(window, days);
  const ofKeys = await keyLines(queries, window, days, cut, question, owners);
  const readRows = async () => [
    ...(await rowsOf(queries, window, { ...cut, parts: [] }, question, owners)),
    ...(await ofKeys.readRows()),
  ];
  return { ...ofKeys, readRows };
}

type WholeCut = SeriesCut & { parts: DayPart[] };

/** What is read of these days of blocks, and of rows beside. */
function cutOf(window: SeriesWindow, days: ReadonlyMap<number, ChartedDay>, question: SeriesQuestion): WholeCut {
  return isOfWholeDays(question) ? cutWholeDays(window, days) : { ...cutSeries(window, days), parts: [] };
}

/** `largest`: see `stepRows`. */
async function rowsOf(
  queries: Queries<'metering'>,
  window: SeriesWindow,
  cut: WholeCut,
  question: SeriesQuestion,
  largest: string[] | null,
): Promise<SignedRow[]> {
  const rows = await stepRows(queries, window, cut, question, largest);
  return [...rows, ...(await partRows(queries, window, cut, question, largest))];
}

/** Lines of keys and accounts are told apart by model and provider of whole days only. */
function isOfWholeDays({ groupBy, keyIds, model, provider }: SeriesQuestion): boolean {
  const ofModels = model !== undefined || provider !== undefined || groupBy === 'model' || groupBy === 'provider';
  return ofModels && (keyIds !== undefined || groupBy === 'key' || groupBy === 'account');
}

/**
 * The days that blocks have: none of other steps, of keys whose account is not named, and of named keys by
 * account.
 */
async function daysOf(
  queries: Queries<'metering'>,
  window: SeriesWindow,
  { accountId, keyIds, groupBy }: SeriesQuestion,
): Promise<Map<number, ChartedDay>> {
  const isInBlocks = keyIds === undefined || (accountId !== undefined && groupBy !== 'account');
  if (window.step !== 'day' || !isInBlocks || window.to - window.from < dayMs) return new Map();
  const owner = accountId === undefined ? { keyId: everybody, accountId: '' } : { keyId: '', accountId };
  const ofOwners = groupBy === 'key' || groupBy === 'account' ? groupBy : 'all';
  return chartedDays(queries, { ...owner, dimension: keyIds === undefined ? ofOwners : 'key' }, window);
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
