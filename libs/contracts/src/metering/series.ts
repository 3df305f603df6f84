import { z } from 'zod';
import { priceDoubt } from '../catalog/price-doubt';

/** How long a point of a series is. Days begin at midnight of the reader's time zone. */
export const seriesSteps = ['minute', 'hour', 'day'] as const;
export type SeriesStep = (typeof seriesSteps)[number];

/** What a series is divided by: `none` gives one line, named "all". */
export const seriesGroups = ['none', 'model', 'provider', 'key', 'account'] as const;
export type SeriesGroup = (typeof seriesGroups)[number];

/**
 * Percentiles in milliseconds, from histograms with fixed buckets: each is off by less than a factor of 1.26.
 * Null: nothing was measured.
 */
export const percentiles = z.object({ p50: z.number(), p90: z.number(), p99: z.number() }).nullable();
export type Percentiles = z.infer<typeof percentiles>;

/**
 * What happened in an interval. `requests` is the sum of the completed, the failed and the cancelled.
 * `costNanoUsd` is a decimal string of whole nano-dollars, without the `unpricedRequests`, whose cost is not
 * known. `cachedRequests` of the completed came from the response cache, without tokens, cost and times of
 * their own.
 * `latency` is of completed requests, from their start to their end; `firstToken` to the first content.
 * `tokensPerSecond`: output tokens of completed answers that were streamed, by the time from their first
 * content to their end, all of them together; without those that came within 100 ms, and those with tokens of
 * reasoning. Null: nothing was measured, or metering is of a release before.
 */
const seriesCounters = z.object({
  requests: z.number().int(),
  failed: z.number().int(),
  cancelled: z.number().int(),
  cachedRequests: z.number().int(),
  unpricedRequests: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  cachedInputTokens: z.number().int(),
  reasoningTokens: z.number().int(),
  costNanoUsd: z.string().regex(/^-?\d+$/),
  latency: percentiles,
  firstToken: percentiles,
  tokensPerSecond: z.number().nullable().default(null),
});
export type SeriesCounters = z.infer<typeof seriesCounters>;

/**
 * One line: its points in the order of time (`at` is the start of each, epoch milliseconds; points without a
 * request are left out) and their sum.
 */
const seriesLine = z.object({
  name: z.string(),
  totals: seriesCounters,
  points: z.array(seriesCounters.extend({ at: z.number() })),
  /** Of a line of one model. */
  ...priceDoubt.shape,
});
export type SeriesLine = z.infer<typeof seriesLine>;

export const series = z.object({
  startAt: z.number(),
  endAt: z.number(),
  step: z.enum(seriesSteps),
  timeZone: z.string(),
  totals: seriesCounters,
  lines: z.array(seriesLine),
  /** True when there were more lines than `maxLines`: the smallest were added up into one named "other". */
  grouped: z.boolean(),
});
export type Series = z.infer<typeof series>;
