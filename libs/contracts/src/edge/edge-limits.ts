import { z } from 'zod';

/**
 * What edges that share their rate limits in Valkey tell one another: every second, and at once when
 * something changed.
 * - `sequence` counts the notices of an edge; a gap means that units were missed. `startedAt`: epoch
 *   milliseconds.
 * - `run`: the Valkey server (its run id) that holds all units of this edge; null: none does. `complete`: the
 *   edge put everything that was known before into it.
 * - `shared`: the edge decides by Valkey's log alone. False: it also stays within its own share, and `units`
 *   count against that.
 * - `term` counts the changes of these three; `seen` tells, by edge, the newest term that this edge has acted
 *   on.
 * - `phase`: a starting edge only asks the others to tell how they stand, and takes nothing yet; a leaving
 *   one has stopped. `units`: how many units of each key it took since the last notice, negative or 0 when it
 *   gave some back.
 */
export const edgeLimitsNotice = z.object({
  edgeId: z.string(),
  startedAt: z.number(),
  sequence: z.number().int(),
  term: z.number().int(),
  seen: z.record(z.string(), z.number().int()),
  run: z.string().nullable(),
  complete: z.boolean(),
  shared: z.boolean(),
  phase: z.enum(['starting', 'running', 'leaving']),
  units: z.array(z.tuple([z.string(), z.number().int()])),
});
export type EdgeLimitsNotice = z.infer<typeof edgeLimitsNotice>;

/**
 * An edge asks another for a unit of that one's share of a key's limit. The reply tells whether it is lent
 * (the lender counts it) and, where it is not, in how many milliseconds the lender will have room.
 */
export const edgeLimitsLoan = {
  request: z.object({ keyId: z.string(), limit: z.number().int().nonnegative() }),
  reply: z.object({ lent: z.boolean(), roomInMs: z.number().nonnegative() }),
};
export type EdgeLimitsLoan = z.infer<typeof edgeLimitsLoan.reply>;

/** Notices go to all edges; a loan is asked of one. */
export const edgeLimitsSubjects = {
  notice: 'edge.limits.notice',
  loan: (edgeId: string) => `edge.limits.loan.${edgeId}`,
} as const;
