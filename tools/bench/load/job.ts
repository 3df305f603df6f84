import { z } from 'zod';

const target = {
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
};

/**
 * What the load generator is told to do.
 * paced: so many requests a second, whether or not earlier ones are answered. saturated: every connection
 * asks again as soon as it was answered.
 * held: every connection asks once. Both of the last two stop asking after `durationS` and wait for what
 * still runs.
 */
export const loadJob = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('paced'), ...target, durationS: z.number(), ratePerS: z.number() }),
  z.object({ kind: z.literal('saturated'), ...target, durationS: z.number(), connections: z.number() }),
  z.object({ kind: z.literal('held'), ...target, connections: z.number() }),
]);
export type LoadJob = z.infer<typeof loadJob>;

const times = z.object({ p50: z.number(), p95: z.number(), p99: z.number() });

/**
 * What came of it. `latencyMs`: from the dispatch to the last byte; `firstByteMs`: to the first byte of the
 * body. `chunks` counts the events of streams.
 * `errors` are requests that were not answered with 200 and a whole body; they are in no other number.
 */
export const loadResult = z.object({
  requests: z.number(),
  errors: z.number(),
  firstError: z.string().nullable(),
  chunks: z.number(),
  elapsedS: z.number(),
  latencyMs: times,
  firstByteMs: times,
});
export type LoadResult = z.infer<typeof loadResult>;
