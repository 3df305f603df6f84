import type { SeriesGroup } from '@tollgate/contracts';
import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import { everybody } from '../ingest/everybody';
import { lastBucket } from './histogram';
import { scopeConditions } from './scope';
import type { Scope } from './scope';
import { cutSeries, dayBuilds, piecesOf } from './series-days';
import type { SeriesCut } from './series-days';
import { cutHours } from './series-window';
import type { SeriesWindow } from './series-window';

/**
 * What a series is asked for, beside its window. The smallest lines beyond `maxLines` are added up into one.
 */
export interface SeriesQuestion extends Scope {
  groupBy: SeriesGroup;
  maxLines: number;
}

/**
 * Sums as Postgres gives them. `name` null: all that is not among the largest; with `isWhole` all together,
 * from which those with it are to be taken out.
 */
export interface SumRow {
  at: Date;
  name: string | null;
  isWhole: boolean;
  requests: bigint;
  failed: bigint;
  cancelled: bigint;
  fromCache: bigint;
  unpriced: bigint;
  input: bigint;
  output: bigint;
  cached: bigint;
  reasoning: bigint;
  streamedTokens: bigint;
  streamedMs: bigint;
  cost: string;
  /** Histograms, their counts with commas between them; nothing where no row counted anything. */
  latency: string;
  first: string;
}

const dayMs = 86_400_000;

const groupColumns: Record<SeriesGroup, Prisma.Sql> = {
  none: Prisma.sql`'all'`,
  model: Prisma.sql`model`,
  provider: Prisma.sql`provider`,
  key: Prisma.sql`key_id`,
  account: Prisma.sql`account_id`,
};

const fields = Prisma.sql`requests, failed, cancelled, cached_requests, unpriced, input_tokens, output_tokens, cached_input, reasoning,
  cost_nano_usd, latency, first_token, streamed_tokens, streamed_ms`;

/**
 * The sums of each step and line. `largest`: the names of lines, where these are known before; null: the most
 * costly are looked for.
 */
export async function seriesRows(
  queries: Queries<'metering'>,
  window: SeriesWindow,
  question: SeriesQuestion,
  largest: string[] | null,
): Promise<SumRow[]> {
  const cut = await cutOf(queries, window, question);
  const sum = (column: string) => Prisma.raw(`sum(sign * ${column})::bigint`);
  const named =
    largest === null
      ? Prisma.sql`SELECT name FROM part GROUP BY name ORDER BY sum(sign * cost_nano_usd) DESC, sum(sign * requests) DESC, name LIMIT ${question.maxLines}`
      : Prisma.sql`SELECT unnest(${largest}::text[]) AS name`;
  const isSigned = cut.lines.some(({ sign }) => sign < 0);
  return queries.$queryRaw<SumRow[]>`
    WITH part AS MATERIALIZED (${partsOf(window, cut, question, largest)}),
    largest AS (${named})
    SELECT part.at, largest.name, is_whole AS "isWhole", ${sum('requests')} AS requests, ${sum('failed')} AS failed,
      ${sum('cancelled')} AS cancelled, ${sum('cached_requests')} AS "fromCache", ${sum('unpriced')} AS unpriced, ${sum('input_tokens')} AS input,
      ${sum('output_tokens')} AS output, ${sum('cached_input')} AS cached, ${sum('reasoning')} AS reasoning,
      ${sum('streamed_tokens')} AS "streamedTokens", ${sum('streamed_ms')} AS "streamedMs",
      sum(sign * cost_nano_usd)::text AS cost, ${histogram('latency', isSigned)} AS latency, ${histogram('first_token', isSigned)} AS first
    FROM part LEFT JOIN largest USING (name) GROUP BY part.at, largest.name, is_whole HAVING sum(sign * requests) <> 0 ORDER BY part.at`;
}

/** Adds up histograms bucket by bucket: a sum for each place is seven times as fast as adding up arrays. */
function histogram(column: 'latency' | 'first_token', isSigned: boolean): Prisma.Sql {
  const sign = isSigned ? 'sign * ' : '';
  const places = Array.from({ length: lastBucket + 1 }, (_, bucket) => `sum(${sign}${column}[${bucket + 1}])`);
  return Prisma.raw(`array_to_string(ARRAY[${places.join(', ')}], ',', '')`);
}

/** What the window is read from: without blocks where these do not have what is asked for. */
async function cutOf(queries: Queries<'metering'>, window: SeriesWindow, question: SeriesQuestion): Promise<SeriesCut> {
  const { from, to } = window;
  if (window.step !== 'day' || question.keyIds !== undefined || to - from < dayMs)
    return { lines: [], ranges: [{ from, to }] };
  const { accountId } = question;
  const owner = accountId === undefined ? { keyId: everybody, accountId: '' } : { keyId: '', accountId };
  const cut = cutSeries(window, await dayBuilds(queries, owner, window));
  return isInLines(question, cut) ? cut : { lines: [], ranges: [{ from, to }] };
}

/**
 * Of an account lines have keys, and of everybody accounts and, of whole days, keys: see `usage_block_line`.
 */
function isInLines({ groupBy, accountId, model, provider }: SeriesQuestion, { lines }: SeriesCut): boolean {
  if (groupBy !== 'key' && groupBy !== 'account') return true;
  const ofModels = model !== undefined || provider !== undefined;
  const ofWholeDays = lines.every(({ until }) => until === 24);
  if (accountId !== undefined) return groupBy === 'key' && (ofWholeDays || !ofModels);
  return groupBy === 'account' ? ofWholeDays || !ofModels : ofWholeDays && !ofModels;
}

/** All that is added up, each with the step that it belongs to and the name of its line. */
function partsOf(window: SeriesWindow, cut: SeriesCut, question: SeriesQuestion, largest: string[] | null): Prisma.Sql {
  const parts = window.step === 'minute' ? [minutesOf(window, question, [])] : rowsOf(window, cut, question);
  if (cut.lines.length > 0) parts.push(wholeLines(cut, question, largest !== null));
  if (cut.lines.length > 0 && largest !== null) parts.push(ownersLines(cut, question, largest));
  return Prisma.join(parts, ' UNION ALL ');
}

/** By the hour, and by the minute what a bound or the window cuts. */
function rowsOf(window: SeriesWindow, { ranges }: SeriesCut, question: SeriesQuestion): Prisma.Sql[] {
  const hours = cutHours(window);
  const times = (of: 'from' | 'to') => ranges.map((range) => new Date(range[of]));
  const ofHours = Prisma.sql`
    SELECT ${stepOf(window)} AS at, ${groupColumns[question.groupBy]} AS name, false AS is_whole, 1 AS sign, ${fields}
    FROM unnest(${times('from')}::timestamptz[], ${times('to')}::timestamptz[]) AS range ("from", "to") CROSS JOIN LATERAL (
      SELECT * FROM usage_hour WHERE at >= range.from AND at < range.to ${conditionsOf(question)}
        AND at <> ALL(${hours.map((hour) => new Date(hour))}::timestamptz[]) OFFSET 0
    ) AS hour`;
  return hours.length === 0 ? [ofHours] : [ofHours, minutesOf(window, question, hours)];
}

/** Within the window; of these hours, where there are any. */
function minutesOf(window: SeriesWindow, question: SeriesQuestion, hours: readonly number[]): Prisma.Sql {
  const within = Prisma.sql`at >= ${new Date(window.from)}::timestamptz AND at < ${new Date(window.to)}::timestamptz ${conditionsOf(question)}`;
  const minutes =
    hours.length === 0
      ? Prisma.sql`usage_minute WHERE ${within}`
      : Prisma.sql`unnest(${hours.map((hour) => new Date(hour))}::timestamptz[]) AS cut (hour) CROSS JOIN LATERAL (
          SELECT * FROM usage_minute WHERE at >= cut.hour AND at < cut.hour + interval '1 hour' AND ${within} OFFSET 0) AS minute`;
  return Prisma.sql`
    SELECT ${stepOf(window)} AS at, ${groupColumns[question.groupBy]} AS name, false AS is_whole, 1 AS sign, ${fields} FROM ${minutes}`;
}

function stepOf({ step, bounds }: SeriesWindow): Prisma.Sql {
  if (step !== 'day') return Prisma.sql`date_trunc(${step}, at, 'UTC')`;
  const days = Prisma.sql`${bounds.map((bound) => new Date(bound))}::timestamptz[]`;
  return Prisma.sql`(${days})[width_bucket(at, ${days})]`;
}

/** Of all usage of blocks; `ofOwners`: the lines are not told apart, as the owners' are. */
function wholeLines({ lines }: SeriesCut, question: SeriesQuestion, ofOwners: boolean): Prisma.Sql {
  const { groupBy, model, provider } = question;
  const isOfAll = (ofOwners || groupBy === 'none') && model === undefined && provider === undefined;
  const name = ofOwners ? Prisma.sql`NULL` : groupColumns[groupBy];
  return Prisma.sql`
    SELECT piece.step, ${name}, ${ofOwners}::boolean, piece.sign, ${fields} FROM ${piecesOf(lines)} CROSS JOIN LATERAL (
      SELECT * FROM usage_block_line AS line WHERE line.build = piece.build AND line.until = piece.until
        AND dimension = 'all' AND name = '' AND ${modelsOf(question, isOfAll)} OFFSET 0
    ) AS sums`;
}

/** Of the largest keys or accounts. */
function ownersLines({ lines }: SeriesCut, question: SeriesQuestion, largest: readonly string[]): Prisma.Sql {
  const isOfAll = question.model === undefined && question.provider === undefined;
  return Prisma.sql`
    SELECT piece.step, sums.name, true, piece.sign, ${fields} FROM ${piecesOf(lines)} CROSS JOIN LATERAL (
      SELECT * FROM usage_block_line AS line WHERE line.build = piece.build AND line.until = piece.until
        AND dimension = ${question.groupBy} AND name = ANY(${largest}) AND ${modelsOf(question, isOfAll)} OFFSET 0
    ) AS sums`;
}

/** A line of all models has these as their sum. */
function modelsOf({ model, provider }: SeriesQuestion, isOfAll: boolean): Prisma.Sql {
  if (isOfAll) return Prisma.sql`model = '*' AND provider = '*'`;
  return Prisma.sql`model <> '*' ${scopeConditions({ model, provider })}`;
}

/** Where it does not matter whose usage it is, the rows of everybody have it. */
function conditionsOf(question: SeriesQuestion): Prisma.Sql {
  const { keyIds, accountId, groupBy } = question;
  const scope = scopeConditions(question);
  if (keyIds !== undefined || accountId !== undefined) return scope;
  const byOwner = groupBy === 'key' || groupBy === 'account';
  const key = byOwner ? Prisma.sql`key_id <> ${everybody}` : Prisma.sql`key_id = ${everybody}`;
  return Prisma.sql`${scope} AND ${key}`;
}
