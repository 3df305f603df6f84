import type { Percentiles, Series, SeriesCounters, SeriesLine } from '@tollgate/contracts';
import type { Database } from '@tollgate/database';
import { ofOneMoment } from '../one-moment';
import { lastBucket, percentile } from './histogram';
import { largestOwners } from './largest-owners';
import { seriesRows } from './series-rows';
import type { SeriesQuestion, SumRow } from './series-rows';
import type { SeriesWindow } from './series-window';

export type { SeriesQuestion } from './series-rows';

/** A reply must fit into one NATS message: points of all lines together. */
const mostPoints = 10_000;
/**
 * The name of the line that holds what is not among the largest; no id of a model, provider, key or account.
 */
const others = 'other';

const comma = ','.charCodeAt(0);
const minus = '-'.charCodeAt(0);
const zero = '0'.charCodeAt(0);

/** What a line used in a step. */
type Point = Omit<SumRow, 'isWhole' | 'latency' | 'first'> & { latency: number[]; first: number[] };

/**
 * Reads a series from the sums by minute or hour, and of days from their blocks, all of one moment. Of days,
 * lines by key or account are the largest of the whole hours around the window.
 */
export async function readSeries(
  database: Database<'metering'>,
  window: SeriesWindow,
  question: SeriesQuestion,
): Promise<Series> {
  const { bounds, step, timeZone } = window;
  const maxLines = Math.max(1, Math.min(question.maxLines, Math.floor(mostPoints / bounds.length)));
  const { groupBy } = question;
  const rows = await ofOneMoment(database, async (queries) => {
    const byOwner = step === 'day' && (groupBy === 'key' || groupBy === 'account');
    const largest = byOwner ? await largestOwners(queries, window, { ...question, groupBy }, maxLines) : null;
    return seriesRows(queries, window, { ...question, maxLines }, largest);
  });
  const points = pointsOf(rows);
  const lines = [...groupPoints(points)].map(([name, ofLine]) => toLine(name ?? others, ofLine));
  return {
    startAt: bounds[0] ?? 0,
    endAt: bounds.at(-1) ?? 0,
    step,
    timeZone,
    totals: toCounters(points),
    lines: lines.sort(byCost),
    grouped: points.some(({ name }) => name === null),
  };
}

/** Adds up what is of the same line and step; what is not of the largest is the whole without them. */
function pointsOf(rows: readonly SumRow[]): Point[] {
  const points = new Map<string, Point>();
  const add = (point: Point, sign: 1n | -1n): void => {
    const id = `${point.at.getTime()} ${point.name === null ? '' : `of ${point.name}`}`;
    const other = points.get(id);
    points.set(
      id,
      other || sign < 0n ? plus(other ?? { ...nothing, at: point.at, name: point.name }, point, sign) : point,
    );
  };
  for (const { isWhole, latency, first, ...row } of rows) {
    const point = { ...row, latency: countsOf(latency), first: countsOf(first) };
    add(point, 1n);
    if (isWhole && point.name !== null) add({ ...point, name: null }, -1n);
  }
  return [...points.values()]
    .filter(({ requests }) => requests !== 0n)
    .sort((one, other) => one.at.getTime() - other.at.getTime());
}

/** Counts with commas between them, a place with nothing for 0. */
function countsOf(histogram: string): number[] {
  const counts: number[] = [];
  let [count, sign] = [0, 1];
  for (let at = 0; at < histogram.length; at++) {
    const code = histogram.charCodeAt(at);
    if (code === comma) {
      counts.push(sign * count);
      [count, sign] = [0, 1];
    } else if (code === minus) sign = -1;
    else count = count * 10 + code - zero;
  }
  counts.push(sign * count);
  return counts;
}

const nothing: Omit<Point, 'at' | 'name'> = {
  requests: 0n,
  failed: 0n,
  cancelled: 0n,
  fromCache: 0n,
  unpriced: 0n,
  input: 0n,
  output: 0n,
  cached: 0n,
  reasoning: 0n,
  streamedTokens: 0n,
  streamedMs: 0n,
  cost: '0',
  latency: [],
  first: [],
};

function plus(point: Point, more: Point, sign: 1n | -1n): Point {
  return {
    at: point.at,
    name: point.name,
    requests: point.requests + sign * more.requests,
    failed: point.failed + sign * more.failed,
    cancelled: point.cancelled + sign * more.cancelled,
    fromCache: point.fromCache + sign * more.fromCache,
    unpriced: point.unpriced + sign * more.unpriced,
    input: point.input + sign * more.input,
    output: point.output + sign * more.output,
    cached: point.cached + sign * more.cached,
    reasoning: point.reasoning + sign * more.reasoning,
    streamedTokens: point.streamedTokens + sign * more.streamedTokens,
    streamedMs: point.streamedMs + sign * more.streamedMs,
    cost: (BigInt(point.cost) + sign * BigInt(more.cost)).toString(),
    latency: plusCounts(point.latency, more.latency, Number(sign)),
    first: plusCounts(point.first, more.first, Number(sign)),
  };
}

function groupPoints(points: readonly Point[]): Map<string | null, Point[]> {
  const groups = new Map<string | null, Point[]>();
  for (const point of points) {
    const group = groups.get(point.name);
    if (group) group.push(point);
    else groups.set(point.name, [point]);
  }
  return groups;
}

function toLine(name: string, rows: Point[]): SeriesLine {
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

function toCounters(rows: readonly Point[]): SeriesCounters {
  const sum = (value: (row: Point) => bigint) => Number(rows.reduce((total, row) => total + value(row), 0n));
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

function percentilesOf(histograms: readonly number[][]): Percentiles {
  const histogram = sumOf(histograms);
  const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => percentile(histogram, share));
  if (p50 == null || p90 == null || p99 == null) return null;
  return { p50, p90, p99 };
}

function sumOf(histograms: readonly number[][]): number[] {
  const [only = []] = histograms;
  if (histograms.length <= 1) return only;
  const sum = Array.from({ length: lastBucket + 1 }, () => 0);
  for (const one of histograms) addTo(sum, one, 1);
  return sum;
}

function plusCounts(one: readonly number[], other: readonly number[], sign: number): number[] {
  const sum = Array.from({ length: lastBucket + 1 }, (_, bucket) => one[bucket] ?? 0);
  addTo(sum, other, sign);
  return sum;
}

function addTo(sum: number[], counts: readonly number[], sign: number): void {
  for (let bucket = 0; bucket < counts.length; bucket++)
    sum[bucket] = (sum[bucket] ?? 0) + sign * (counts[bucket] ?? 0);
}
