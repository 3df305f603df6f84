import { z } from 'zod';
import { attribution, longestAttributionName, sliceDimensions } from './attribution';
import { day } from '../calendar';
import { epochMs } from '../epoch-ms';
import { reportCounters, slicedReport } from './metering';
import { operation } from '../operation';
import { priceDoubt } from '../catalog/price-doubt';
import { projects } from '../accounts/projects';
import { series, seriesGroups, seriesSteps } from './series';
import { seriesReply } from './series-columns';
import { surfaceName } from '../surface';
import { text } from '../text';
import { attempt, tokenUsage } from '../usage-event';

/**
 * Whose usage: of these keys, of an account, or (both absent) of everybody. Never taken from a caller: edge
 * and CLI fill it in by who asks.
 */
const scope = { keyIds: z.array(text(256)).max(500).optional(), accountId: text(256).optional() };

const filters = { model: text(256).optional(), provider: text(256).optional() };

/** What stands for a provider in reports where the response cache answered. No provider has this id. */
export const responseCacheProvider = '(cache)';

/**
 * A request of the log, without its text (see contentLogOperations). `provider` null: no provider answered;
 * `cached`: the response cache did. `costNanoUsd` null: unpriced.
 */
export const loggedRequest = z.object({
  id: z.string(),
  requestId: z.string(),
  keyId: z.string(),
  accountId: z.string(),
  requestedModel: z.string(),
  model: z.string(),
  provider: z.string().nullable(),
  surface: surfaceName,
  stream: z.boolean(),
  state: z.enum(['completed', 'failed', 'cancelled']),
  status: z.number().int(),
  estimated: z.boolean(),
  usage: tokenUsage,
  attempts: z.array(attempt),
  costNanoUsd: z
    .string()
    .regex(/^-?\d+$/)
    .nullable(),
  startedAt: z.number(),
  firstTokenAt: z.number().nullable(),
  endedAt: z.number(),
  cached: z.boolean().optional(),
  attribution: attribution.optional(),
  ...priceDoubt.shape,
});
export type LoggedRequest = z.infer<typeof loggedRequest>;

/**
 * A request as people read it. A name is null where nobody knows it any more, or accounts does not answer.
 */
export const namedRequest = loggedRequest.extend({
  keyName: z.string().nullable().default(null),
  accountName: z.string().nullable().default(null),
});
export type NamedRequest = z.infer<typeof namedRequest>;

/** `startAt` and `endAt`: of the whole hours (or days) that it is of. */
export const slicedWindow = slicedReport.extend({ startAt: z.number(), endAt: z.number(), totals: reportCounters });
export type SlicedWindow = z.infer<typeof slicedWindow>;

/**
 * Failed requests that have the same cause. `error` and `provider`: of the last attempt; null: there was
 * none. `status`: what the caller got, 200 where the answer broke off. `last`: the newest of them, with
 * what the provider said of it (`reason` null: nothing).
 */
const failureCause = z.object({
  status: z.number().int(),
  error: z.string().nullable(),
  model: z.string(),
  provider: z.string().nullable(),
  count: z.number().int(),
  keys: z.number().int(),
  last: z.object({ id: z.string(), requestId: z.string(), at: z.number(), reason: z.string().nullable() }),
});
export type FailureCause = z.infer<typeof failureCause>;

/**
 * `counted`: so many failed requests were found. `isWhole` false: only the newest requests were looked at,
 * and there are older ones. The causes with most requests come first.
 */
export const failureCauses = z.object({
  counted: z.number().int(),
  isWhole: z.boolean(),
  causes: z.array(failureCause),
});
export type FailureCauses = z.infer<typeof failureCauses>;

/** So many causes are told apart in one list. */
export const mostFailureCauses = 100;

/**
 * What the log of single requests is narrowed by, besides whose they are. `idPart` occurs in the id of the
 * request or of its event; `error` is that of the last attempt; `atLeastMs`: from its start to its end.
 * `said` occurs in what was logged of the request or its answer, in whichever case: of one account alone,
 * since who looks for words reads.
 */
const narrowing = {
  ...filters,
  state: z.enum(['completed', 'failed', 'cancelled']).optional(),
  status: z.number().int().optional(),
  requestId: text(200).optional(),
  idPart: text(200).optional(),
  id: z.uuid().optional(),
  surface: surfaceName.optional(),
  endUser: text(longestAttributionName).optional(),
  session: text(longestAttributionName).optional(),
  agent: text(longestAttributionName).optional(),
  tag: text(longestAttributionName).optional(),
  error: text(256).optional(),
  atLeastMs: z.number().int().min(0).optional(),
  said: text(200).optional(),
};

/**
 * What a key used of a model at a provider on one day (UTC), without answers of the response cache, which
 * cost nothing. `accountId` empty: of a release that did not tell. `costNanoUsd` is a decimal string of whole
 * nano-dollars, without the `unpricedRequests`.
 */
const usedDay = z.object({
  day,
  keyId: z.string(),
  accountId: z.string(),
  model: z.string(),
  provider: z.string(),
  requests: z.number().int(),
  unpricedRequests: z.number().int(),
  inputTokens: z.number().int(),
  cachedInputTokens: z.number().int(),
  outputTokens: z.number().int(),
  reasoningTokens: z.number().int(),
  costNanoUsd: z.string().regex(/^-?\d+$/),
});
export type UsedDay = z.infer<typeof usedDay>;

/** What a log of requests is sorted by. */
export const requestOrder = z.enum(['startedAt', 'endedAt']);
export type RequestOrder = z.infer<typeof requestOrder>;

/**
 * What dashboards and exports read. Metering answers, from rollups; only the log of single requests reads
 * events, a page at a time.
 */
export const reportOperations = {
  /**
   * Sums of [startAt, endAt), widened to whole minutes (to whole steps where the sums by minute are not kept
   * any more), in steps of `timeZone` (an IANA name): the first and the last may be parts of one.
   * The reply's `startAt` and `endAt` are those of whole steps. `invalid` for a window of more than 2,000
   * steps, for minutes older than metering keeps them, and for an unknown time zone.
   */
  series: operation(
    'metering.reports.series',
    z.object({
      ...scope,
      ...filters,
      startAt: epochMs,
      endAt: epochMs,
      step: z.enum(seriesSteps),
      timeZone: text(64).default('UTC'),
      groupBy: z.enum(seriesGroups).default('none'),
      maxLines: z.number().int().min(1).max(1_000).default(20),
      /** Who asks reads `SeriesInColumns`; a metering of the release before answers in points all the same. */
      inColumns: z.boolean().optional(),
    }),
    series,
    { asked: { inColumns: true }, reply: seriesReply },
  ),
  /**
   * What each key used of each model at each provider on each day (UTC), from the first day to the last, both
   * included, in the order of days, keys, models and providers. A page may be empty where more are to come
   * (`next`). `invalid` for a cursor that is none.
   */
  days: operation(
    'metering.reports.days',
    z.object({
      ...scope,
      from: day,
      to: day,
      limit: z.number().int().min(1).max(1_000).default(1_000),
      after: text(2_000).optional(),
    }),
    z.object({ days: z.array(usedDay), next: z.string().nullable() }),
  ),
  /**
   * What the keys of an account, or these keys, used in [startAt, endAt), divided by end user, session, agent
   * or tag: the `most` that cost most, and the rest. Widened to whole hours, or to whole days where hours are
   * not kept any more. `invalid` where neither keys nor an account are named.
   */
  slices: operation(
    'metering.reports.slices',
    z.object({
      ...scope,
      model: text(256).optional(),
      startAt: epochMs,
      endAt: epochMs,
      dimension: z.enum(sliceDimensions),
      most: z.number().int().min(1).max(1_000).default(100),
    }),
    slicedWindow,
  ),
  /**
   * The same, divided by these projects of an account: each has what all its keys used in the window, those
   * that came to it later as well.
   */
  projects: operation(
    'metering.reports.projects',
    z.object({
      accountId: text(256),
      projects,
      model: text(256).optional(),
      startAt: epochMs,
      endAt: epochMs,
      most: z.number().int().min(1).max(1_000).default(100),
    }),
    slicedWindow,
  ),
  /**
   * Requests that ended in [startAt, endAt), newest first by the time that `orderedBy` names. `id` is that of
   * an event.
   * `next` is the `after` of the next page, null on the last. `searchedBack`: only what ended since then was
   * looked through for `said`; null: nothing is left out. `invalid` for `said` without an account.
   */
  listRequests: operation(
    'metering.reports.requests',
    z.object({
      ...scope,
      ...narrowing,
      startAt: epochMs,
      endAt: epochMs,
      limit: z.number().int().min(1).max(200).default(50),
      after: text(200).optional(),
    }),
    z.object({
      requests: z.array(loggedRequest),
      next: z.string().nullable(),
      orderedBy: requestOrder.optional(),
      searchedBack: epochMs.nullable().optional(),
    }),
  ),
  /**
   * Why requests failed that ended in [startAt, endAt), by cause: of the newest 50,000, failed or not, of
   * several keys as many of each.
   */
  failures: operation(
    'metering.reports.failures',
    z.object({ ...scope, ...filters, startAt: epochMs, endAt: epochMs }),
    failureCauses,
  ),
  /**
   * The quota of many keys at once, for lists: used tokens of the current month by key id, and when the last
   * request of each ended (epoch milliseconds), of those that had one.
   */
  usedTokens: operation(
    'metering.reports.used-tokens',
    z.object({ keyIds: z.array(text(256)).max(500) }),
    z.object({
      used: z.record(z.string(), z.number().int()),
      resetsAt: z.number(),
      lastUsedAt: z.record(z.string(), z.number()).default({}),
    }),
  ),
  /**
   * Which keys were answered by any of these models since `since` (epoch milliseconds, to the hour). One
   * page, in the order of key ids; `next` is the `after` of the next one, null on the last.
   */
  usersOf: operation(
    'metering.reports.users-of',
    z.object({
      models: z.array(text(256)).max(1_000),
      since: epochMs,
      limit: z.number().int().min(1).max(500).default(200),
      after: text(256).optional(),
    }),
    z.object({
      users: z.array(z.object({ keyId: z.string(), models: z.array(z.string()) })),
      next: z.string().nullable(),
    }),
  ),
};
