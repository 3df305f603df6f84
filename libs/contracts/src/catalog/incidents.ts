import { z } from 'zod';
import { operation } from '../operation';
import { text } from '../text';

/** `failing`: inference left it alone; `draining`, `closed`: an operator decided so. */
const incidentKinds = ['failing', 'draining', 'closed'] as const;

/**
 * A time in which a deployment was kept away from callers. Times are epoch milliseconds; `until` null: it
 * still is; else when an instance last told of it, within five seconds. `why`: the HTTP status of the newest
 * failure, `no answer`, `silence`, or the operator's reason; null: not told. `by`: the operator, null: it was
 * the failures. `callers`: from how many API keys or accounts at most, null: from all.
 */
const incident = z.object({
  deployment: z.string(),
  provider: z.string(),
  kind: z.enum(incidentKinds),
  since: z.number(),
  until: z.number().nullable(),
  why: z.string().nullable(),
  by: z.string().nullable(),
  callers: z.number().int().nullable(),
});
export type Incident = z.infer<typeof incident>;

/** So many are told at once. */
export const mostIncidents = 200;

/** Catalog keeps incidents for 90 days, and no more than the newest 10,000. */
export const incidentOperations = {
  /**
   * The newest first, of one provider or deployment, or of all, page by page. `isWhole` false: there are
   * older ones, which come with `next` as `after`; null where there are none, or a catalog has no pages yet.
   */
  list: operation(
    'catalog.incidents.list',
    z.object({
      provider: text(64).optional(),
      deployment: text(300).optional(),
      limit: z.number().int().min(1).max(mostIncidents).default(100),
      after: text(1_000).optional(),
    }),
    z.object({ incidents: z.array(incident), isWhole: z.boolean(), next: z.string().nullable().default(null) }),
  ),
};
