import type { Percentiles, Series, SeriesCounters, SeriesGroup, SeriesLine } from '@tollgate/contracts';
import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import { isFresh } from '../blocks/cut-into-blocks';
import { everybody } from '../ingest/everybody';
import { addHistograms, lastBucket, percentile } from './histogram';
import { scopeConditions } from './scope';
import type { Scope } from './scope';
import { cutHours } from './series-window';
import type { SeriesWindow } from './series-window';

/**
 * What a series is asked for, beside its window. The smallest lines beyond `maxLines` are added up into one.
 */
export interface SeriesQuestion extends Scope {
  groupBy: SeriesGroup;
  maxLines: number;
}

/** Sums as Postgres gives them. `name` null: the line of all that is not among the largest. */
interface SumRow {
  at: Date;
  name: string | null;
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
  /** Null in an element: no row counted anything there. */
  latency: (number | null)[];
  first: (number | null)[];
}

const dayMs = 86_400_000;
/** A reply must fit into one NATS message: points of all lines together. */
const mostPoints = 10_000;
/**
 * The name of the line that holds what is not among the largest; no id of a model, provider, key or account.
 */
const others = 'other';

const groupColumns: Record<SeriesGroup, Prisma.Sql> = {
  none: Prisma.sql`'all'`,
  model: Prisma.sql`model`,
  provider: Prisma.sql`provider`,
  key: Prisma.sql`key_id`,
  account: Prisma.sql`account_id`,
};

/** Reads a series from the sums by minute or hour, in one statement, so that all of it is of one moment. */
export async function readSeries(
  database: Queries<'metering'>,
  window: SeriesWindow,
  question: SeriesQuestion,
): Promise<Series> {
  const { bounds, step, timeZone } = window;
  const maxLines = Math.max(1, Math.min(question.maxLines, Math.floor(mostPoints / bounds.length)));
  const rows = await database.$queryRaw<SumRow[]>`
    WITH part AS MATERIALIZED (${parts(window, question)}),
    largest AS (
      SELECT name FROM part GROUP BY name ORDER BY sum(cost_nano_usd) DESC, sum(requests) DESC, name LIMIT ${maxLines}
    )
    SELECT part.at, largest.name, sum(requests)::bigint AS requests, sum(failed)::bigint AS failed,
      sum(cancelled)::bigint AS cancelled, sum(cached_requests)::bigint AS "fromCache", sum(unpriced)::bigint AS unpriced, sum(input_tokens)::bigint AS input,
      sum(output_tokens)::bigint AS output, sum(cached_input)::bigint AS cached, sum(reasoning)::bigint AS reasoning,
      sum(streamed_tokens)::bigint AS "streamedTokens", sum(streamed_ms)::bigint AS "streamedMs",
      sum(cost_nano_usd)::text AS cost, ${sumHistograms('latency')} AS latency, ${sumHistograms('first_token')} AS first
    FROM part LEFT JOIN largest USING (name) GROUP BY part.at, largest.name ORDER BY part.at`;
  const lines = [...groupRows(rows)].map(([name, ofLine]) => toLine(name ?? others, ofLine));
  return {
    startAt: bounds[0] ?? 0,
    endAt: bounds.at(-1) ?? 0,
    step,
    timeZone,
    totals: toCounters(rows),
    lines: lines.sort(byCost),
    grouped: rows.some(({ name }) => name === null),
  };
}

/** Adds up histograms bucket by bucket: a sum for each place is seven times as fast as adding up arrays. */
function sumHistograms(column: 'latency' | 'first_token'): Prisma.Sql {
  const places = Array.from({ length: lastBucket + 1 }, (_, bucket) => `sum(${column}[${bucket + 1}])::int`);
  return Prisma.raw(`ARRAY[${places.join(', ')}]`);
}

const fields = Prisma.sql`requests, failed, cancelled, cached_requests, unpriced, input_tokens, output_tokens, cached_input, reasoning,
  cost_nano_usd, latency, first_token, streamed_tokens, streamed_ms`;

/** The rows of sums within the window, each with the step that it belongs to and the name of its line. */
function parts(window: SeriesWindow, question: SeriesQuestion): Prisma.Sql {
  const days = blockedDays(window, question);
  if (!days) return rowsOf(window, question);
  return Prisma.sql`
    ${daysOf(days, question)}
    UNION ALL ${rowsOf({ ...window, to: days.from }, question)}
    UNION ALL ${rowsOf({ ...window, from: days.to }, question)}`;
}

/** Of sums by minute or hour. */
function rowsOf(window: SeriesWindow, question: SeriesQuestion): Prisma.Sql {
  const { step, timeZone } = window;
  const from = Prisma.sql`${new Date(window.from)}::timestamptz`;
  const to = Prisma.sql`${new Date(window.to)}::timestamptz`;
  const stepOf =
    step === 'day' ? Prisma.sql`date_trunc('day', at, ${timeZone})` : Prisma.sql`date_trunc(${step}, at, 'UTC')`;
  const read = (table: Prisma.Sql, which: Prisma.Sql) => Prisma.sql`
    SELECT ${stepOf} AS at, ${groupColumns[question.groupBy]} AS name, ${fields}
    FROM ${table} WHERE at >= ${from} AND at < ${to} ${scopeConditions(question)} ${keysOf(question)} ${which}`;
  if (step === 'minute') return read(Prisma.sql`usage_minute`, Prisma.empty);
  const cut = cutHours(window).map((hour) => new Date(hour));
  if (cut.length === 0) return read(Prisma.sql`usage_hour`, Prisma.empty);
  // An hour in which a day ends and another begins is read by the minute.
  return Prisma.sql`
    ${read(Prisma.sql`usage_hour`, Prisma.sql`AND at <> ALL(${cut}::timestamptz[])`)}
    UNION ALL ${read(Prisma.sql`usage_minute`, Prisma.sql`AND date_trunc('hour', at, 'UTC') = ANY(${cut}::timestamptz[])`)}`;
}

/**
 * The whole days of a window that blocks may hold, which are of UTC, and tell no keys apart. Null: there are
 * none.
 */
function blockedDays(window: SeriesWindow, { keyIds, groupBy }: SeriesQuestion): { from: number; to: number } | null {
  const isOfBlocks = keyIds === undefined && (groupBy === 'none' || groupBy === 'model' || groupBy === 'provider');
  if (window.step !== 'day' || !isOfBlocks || window.bounds.some((bound) => bound % dayMs !== 0)) return null;
  const [from, to] = [Math.ceil(window.from / dayMs) * dayMs, window.to - (window.to % dayMs)];
  return from < to ? { from, to } : null;
}

/** Of days: from their blocks, and from sums by hour where there are none that count. */
function daysOf({ from, to }: { from: number; to: number }, question: SeriesQuestion): Prisma.Sql {
  const { accountId, groupBy } = question;
  const key = accountId === undefined ? everybody : '';
  const { accountId: _, ...filters } = question;
  return Prisma.sql`
    SELECT day AS at, ${groupColumns[groupBy]} AS name, ${fields}
    FROM generate_series(${new Date(from)}::timestamptz, ${new Date(to)}::timestamptz - interval '24 hours', interval '24 hours') AS day
    LEFT JOIN usage_block ON usage_block.key_id = ${key} AND usage_block.account_id = ${accountId ?? ''} AND days = 1 AND usage_block.at = day AND ${isFresh}
    CROSS JOIN LATERAL (
      SELECT model, provider, ${fields} FROM usage_block_chart AS chart WHERE chart.build = usage_block.build ${scopeConditions(filters)}
      UNION ALL
      SELECT model, provider, ${fields} FROM usage_hour
      WHERE usage_block.build IS NULL AND usage_hour.at >= day AND usage_hour.at < day + interval '24 hours' ${scopeConditions(question)} ${keysOf(question)}
    ) AS sums`;
}

/** Where it does not matter whose usage it is, the rows of everybody have it. */
function keysOf({ keyIds, accountId, groupBy }: SeriesQuestion): Prisma.Sql {
  if (keyIds !== undefined || accountId !== undefined) return Prisma.empty;
  const byOwner = groupBy === 'key' || groupBy === 'account';
  return byOwner ? Prisma.sql`AND key_id <> ${everybody}` : Prisma.sql`AND key_id = ${everybody}`;
}

function groupRows(rows: SumRow[]): Map<string | null, SumRow[]> {
  const groups = new Map<string | null, SumRow[]>();
  for (const row of rows) {
    const group = groups.get(row.name);
    if (group) group.push(row);
    else groups.set(row.name, [row]);
  }
  return groups;
}

function toLine(name: string, rows: SumRow[]): SeriesLine {
  return {
    name,
    totals: toCounters(rows),
    points: rows.map((row) => ({ at: row.at.getTime(), ...toCounters([row]) })),
  };
}

/** The line of all others comes last, as nobody can compare it. */
function byCost(one: SeriesLine, other: SeriesLine): number {
  if ((one.name === others) !== (other.name === others)) return one.name === others ? 1 : -1;
  const difference = BigInt(other.totals.costNanoUsd) - BigInt(one.totals.costNanoUsd);
  if (difference !== 0n) return difference > 0n ? 1 : -1;
  return other.totals.requests - one.totals.requests || (one.name < other.name ? -1 : 1);
}

function toCounters(rows: SumRow[]): SeriesCounters {
  const sum = (value: (row: SumRow) => bigint) => Number(rows.reduce((total, row) => total + value(row), 0n));
  return {
    requests: sum((row) => row.requests),
    failed: sum((row) => row.failed),
    cancelled: sum((row) => row.cancelled),
    cachedRequests: sum((row) => row.fromCache),
    unpricedRequests: sum((row) => row.unpriced),
    inputTokens: sum((row) => row.input),
    outputTokens: sum((row) => row.output),
    cachedInputTokens: sum((row) => row.cached),
    reasoningTokens: sum((row) => row.reasoning),
    costNanoUsd: rows.reduce((total, row) => total + BigInt(row.cost), 0n).toString(),
    latency: percentilesOf(rows.map(({ latency }) => latency)),
    firstToken: percentilesOf(rows.map(({ first }) => first)),
    tokensPerSecond: perSecond(
      sum((row) => row.streamedTokens),
      sum((row) => row.streamedMs),
    ),
  };
}

/** Null: nothing was measured. */
function perSecond(tokens: number, ms: number): number | null {
  return ms > 0 ? (tokens * 1_000) / ms : null;
}

function percentilesOf(histograms: (number | null)[][]): Percentiles {
  const histogram = histograms.map((one) => one.map((count) => count ?? 0)).reduce(addHistograms, []);
  const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => percentile(histogram, share));
  if (p50 == null || p90 == null || p99 == null) return null;
  return { p50, p90, p99 };
}
