import { z } from 'zod';
import { series, seriesSteps } from './series';
import type { Percentiles, Series, SeriesCounters } from './series';

const wholeNumbers = columnOf<number>(Number.isSafeInteger, 'must be whole numbers');
const amount = /^-?\d+$/;
const amounts = columnOf<string>(
  (told) => typeof told === 'string' && amount.test(told),
  'must be decimal texts of whole numbers',
);
const times = columnOf<number | null>(
  (told) => told === null || Number.isSafeInteger(told),
  'must be whole numbers, or null',
);
/** Microseconds; null, in all three of a place: nothing was measured. */
const percentileColumns = z.object({ p50: times, p90: times, p99: times });

/**
 * Several sums of a series (see `SeriesCounters`), in columns: place for place one of them. `tokensPerSecond`
 * comes as what it is made of; `streamedMs` of 0: nothing was measured.
 */
const columns = z.object({
  requests: wholeNumbers,
  failed: wholeNumbers,
  cancelled: wholeNumbers,
  cachedRequests: wholeNumbers,
  unpricedRequests: wholeNumbers,
  inputTokens: wholeNumbers,
  outputTokens: wholeNumbers,
  cachedInputTokens: wholeNumbers,
  reasoningTokens: wholeNumbers,
  costNanoUsd: amounts,
  latency: percentileColumns,
  firstToken: percentileColumns,
  streamedTokens: wholeNumbers,
  streamedMs: wholeNumbers,
});
export type SeriesColumns = z.infer<typeof columns>;
const seriesColumns = columns
  .refine(isEvenlyLong, { error: 'columns must be of the same length', abort: true })
  .refine(({ latency, firstToken }) => [latency, firstToken].every(isAllOrNothing), 'percentiles come together');

/**
 * A series as it is written, carried and checked fastest: a long one has thousands of points, which would be
 * an object each. `starts`: of steps, epoch milliseconds. `steps` of a line: the place of each of its points
 * in these, in their order.
 */
const seriesInColumns = z
  .object({
    startAt: z.number(),
    endAt: z.number(),
    step: z.enum(seriesSteps),
    timeZone: z.string(),
    starts: wholeNumbers,
    totals: seriesColumns,
    lines: z.array(z.object({ name: z.string(), totals: seriesColumns, steps: wholeNumbers, points: seriesColumns })),
    grouped: z.boolean(),
  })
  .refine(({ totals, lines }) => [totals, ...lines.map((line) => line.totals)].every(isOne), 'totals are one sum')
  .refine(({ starts, lines }) => lines.every(({ steps, points }) => isInOrder(steps, points, starts)), {
    message: 'each point must have its step, in the order of time',
  });
export type SeriesInColumns = z.infer<typeof seriesInColumns>;

/** The reply to who reads columns: a metering of the release before knows none. */
export const seriesReply = z.union([seriesInColumns.transform(toSeries), series]);

/** The same as objects. The columns must have been checked. */
export function toSeries({ starts, totals, lines, ...rest }: SeriesInColumns): Series {
  const { startAt, endAt, step, timeZone, grouped } = rest;
  return {
    startAt,
    endAt,
    step,
    timeZone,
    totals: countersAt(totals, 0),
    lines: lines.map(({ name, totals, steps, points }) => ({
      name,
      totals: countersAt(totals, 0),
      points: steps.map((step, place) => ({ ...countersAt(points, place), at: starts[step] ?? 0 })),
    })),
    grouped,
  };
}

/** Goes through it once: a check for each number costs many times as much. */
function columnOf<Value>(isOne: (told: unknown) => boolean, error: string) {
  return z.custom<Value[]>((told) => Array.isArray(told) && told.every(isOne), { error, abort: true });
}

function countersAt(columns: SeriesColumns, place: number): SeriesCounters {
  return {
    requests: columns.requests[place] ?? 0,
    failed: columns.failed[place] ?? 0,
    cancelled: columns.cancelled[place] ?? 0,
    cachedRequests: columns.cachedRequests[place] ?? 0,
    unpricedRequests: columns.unpricedRequests[place] ?? 0,
    inputTokens: columns.inputTokens[place] ?? 0,
    outputTokens: columns.outputTokens[place] ?? 0,
    cachedInputTokens: columns.cachedInputTokens[place] ?? 0,
    reasoningTokens: columns.reasoningTokens[place] ?? 0,
    costNanoUsd: columns.costNanoUsd[place] ?? '0',
    latency: percentilesAt(columns.latency, place),
    firstToken: percentilesAt(columns.firstToken, place),
    tokensPerSecond: perSecond(columns.streamedTokens[place] ?? 0, columns.streamedMs[place] ?? 0),
  };
}

const perMs = 1_000;

function percentilesAt({ p50, p90, p99 }: SeriesColumns['latency'], place: number): Percentiles {
  const [half, most, nearlyAll] = [p50[place] ?? null, p90[place] ?? null, p99[place] ?? null];
  if (half === null || most === null || nearlyAll === null) return null;
  return { p50: half / perMs, p90: most / perMs, p99: nearlyAll / perMs };
}

/** Null: nothing was measured. */
function perSecond(tokens: number, ms: number): number | null {
  return ms > 0 ? (tokens * 1_000) / ms : null;
}

function isEvenlyLong({ latency, firstToken, ...columns }: SeriesColumns): boolean {
  const all = [...Object.values(columns), ...Object.values(latency), ...Object.values(firstToken)];
  return all.every(({ length }) => length === columns.requests.length);
}

function isAllOrNothing({ p50, p90, p99 }: SeriesColumns['latency']): boolean {
  return p50.every(
    (one, place) => (one === null) === (p90[place] === null) && (one === null) === (p99[place] === null),
  );
}

function isOne({ requests }: SeriesColumns): boolean {
  return requests.length === 1;
}

function isInOrder(steps: readonly number[], { requests }: SeriesColumns, starts: readonly number[]): boolean {
  if (steps.length !== requests.length) return false;
  return steps.every((step, place) => step > (steps[place - 1] ?? -1) && step < starts.length);
}
