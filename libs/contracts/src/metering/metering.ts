import { z } from 'zod';
import { sliceDimensions } from './attribution';
import { operation } from '../operation';
import { text } from '../text';

/**
 * The quota record of GET /v1/usage. `quota` and `remaining` null mean unlimited. `resetsAt` is the first
 * instant of the next UTC month, epoch milliseconds.
 */
export const quotaRecord = z.object({
  used: z.number().int(),
  quota: z.number().int().nullable(),
  remaining: z.number().int().nullable(),
  resetsAt: z.number(),
});
export type QuotaRecord = z.infer<typeof quotaRecord>;

export const metricsPeriods = ['hour', 'day', 'week', 'month'] as const;
export type MetricsPeriod = (typeof metricsPeriods)[number];

/**
 * Counters of a report. `costNanoUsd` is a decimal string of whole nano-dollars, exact; the cost of
 * `unpricedRequests` is unknown and not in it.
 */
export const reportCounters = z.object({
  requests: z.number().int(),
  unpricedRequests: z.number().int().default(0),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  costNanoUsd: z.string().regex(/^-?\d+$/),
});
/**
 * A report divided by end user, session, agent or tag, the most costly slices first. `other`: what is not
 * told apart, since its names came after the most that are. `none`: what has no such name. Tags aside, all
 * together are the whole, to the nano-dollar; what has several tags is in the slice of each.
 */
export const slicedReport = z.object({
  slices: z.array(reportCounters.extend({ name: z.string() })),
  other: reportCounters,
  none: reportCounters,
});
export type SlicedReport = z.infer<typeof slicedReport>;
export type Slice = SlicedReport['slices'][number];

/**
 * A divided report as people read it: its slices, then what is not told apart as `(other)`, and what has no
 * name as `(none)`, where there is any. No name of a slice begins with a bracket.
 */
export function slicesAndRest({ slices, other, none }: SlicedReport): Slice[] {
  const rest = [
    { ...other, name: '(other)' },
    { ...none, name: '(none)' },
  ];
  return [...slices, ...rest.filter(({ requests }) => requests > 0)];
}

/** `sliced`: where it was asked to be divided or to be of one slice, which an older metering does not know. */
export const metricsReport = z.object({
  startAt: z.number(),
  endAt: z.number(),
  totals: reportCounters,
  byModel: z.array(reportCounters.extend({ model: z.string() })),
  sliced: slicedReport.optional(),
});
export type MetricsReport = z.infer<typeof metricsReport>;

export const meteringOperations = {
  /** `quotaTokens` is the key's effective quota, null for unlimited. */
  usage: operation(
    'metering.usage.get',
    z.object({ keyId: text(256), quotaTokens: z.number().int().nullable() }),
    quotaRecord,
  ),
  /**
   * The report of one key for the window [endAt - period, endAt), endAt being now at metering. `calendar`,
   * with a month: since the quota's window began, which is the first of the month (UTC). `model` restricts it
   * to one public model id, `slice` to one end user, session, agent or tag: then `sliced.other` is what is
   * not told apart, some of which may be of it. `divideBy` has it divided too; not both of them.
   */
  metrics: operation(
    'metering.metrics.get',
    z.object({
      keyId: text(256),
      period: z.enum(metricsPeriods),
      calendar: z.boolean().optional(),
      model: text(256).optional(),
      divideBy: z.enum(sliceDimensions).optional(),
      slice: z.object({ dimension: z.enum(sliceDimensions), name: text(256).min(1) }).optional(),
    }),
    metricsReport,
  ),
  /**
   * An edge asks for tokens to reserve from. Metering grants at most what is left: quota - used - what other
   * live leases still hold.
   * `leaseId` is made by the edge (asking again with the same id raises that lease by `tokens`, once per
   * `sequence`). A lease ends after `ttlMs` unless renewed.
   * `granted` may be less than `tokens`, also 0. `record` is the quota as it stands.
   */
  acquireLease: operation(
    'metering.leases.acquire',
    z.object({
      leaseId: z.string(),
      sequence: z.number().int(),
      keyId: z.string(),
      edgeId: z.string(),
      tokens: z.number().int().positive(),
      quotaTokens: z.number().int().nonnegative(),
    }),
    z.object({ granted: z.number().int().nonnegative(), ttlMs: z.number().int(), record: quotaRecord }),
  ),
  /**
   * Keeps leases alive, and gives back what each no longer needs. A lease metering does not know (any more)
   * is left out of `renewed`.
   */
  renewLeases: operation(
    'metering.leases.renew',
    z.object({
      edgeId: z.string(),
      leases: z
        .array(z.object({ leaseId: z.string(), giveBackTokens: z.number().int().nonnegative(), close: z.boolean() }))
        .max(1000),
    }),
    z.object({ renewed: z.array(z.string()), ttlMs: z.number().int() }),
  ),
  /**
   * Recounts raw events and compares them with the rollups of a key (all keys when absent), minute by minute,
   * hour by hour, and month by month for the quota.
   * `differences` is empty when they agree (its first 1,000 otherwise); `field` names the interval and the
   * counter.
   */
  recount: operation(
    'metering.usage.recount',
    z.object({ keyId: text(256).optional() }),
    z.object({
      events: z.number().int(),
      requests: z.number().int(),
      inputTokens: z.number().int(),
      outputTokens: z.number().int(),
      costNanoUsd: z.string(),
      differences: z.array(
        z.object({ keyId: z.string(), model: z.string(), field: z.string(), events: z.string(), rollups: z.string() }),
      ),
    }),
  ),
  /**
   * Tokens that live leases hold, and how far ingest is behind: `pendingEvents` counts messages, of one or
   * more events each. `copies`: how many JetStream has now of the stream that has fewest, and should have.
   * `madeAnew`: when the stream was made in which usage waits, epoch milliseconds, where that was in the last
   * hours and there was usage before it; else null. `received`: messages that ever came into that stream. An
   * older metering says none of these. For operators and tests.
   */
  status: operation(
    'metering.status.get',
    z.object({}),
    z.object({
      reservedTokens: z.number().int(),
      liveLeases: z.number().int(),
      pendingEvents: z.number().int(),
      deadLetters: z.number().int(),
      copies: z.object({ kept: z.number().int(), wanted: z.number().int() }).optional(),
      madeAnew: z.number().int().nullable().optional(),
      received: z.number().int().optional(),
    }),
  ),
};
