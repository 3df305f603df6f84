import type { budgetLeaseOperations } from '@tollgate/contracts';
import { isUuid } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import type { z } from 'zod';
import { noteRefusalOfName } from './reached-names';

type Reached = typeof budgetLeaseOperations.reached;
type AcquireRequest = z.output<typeof budgetLeaseOperations.acquire.request>;
type AcquireReply = z.output<typeof budgetLeaseOperations.acquire.reply>;

interface Row {
  budgetId: string;
  windowStart: Date;
  resetsAt: Date | null;
  limit: bigint;
  spent: string;
  hasRefused: boolean;
}

/**
 * One page of the budgets of which so many percent are spent in the window at hand, or that refused a
 * request in it, or in the slice at hand of one that rolls. A budget that nobody asked for money in its
 * window is in none: nothing was summed for it. Neither is one that each name has alone; see `reachedNames`.
 */
export async function reachedBudgets(
  queries: Queries<'metering'>,
  { percent, limit, after }: z.output<Reached['request']>,
  at: Date,
): Promise<z.output<Reached['reply']>> {
  if (after !== undefined && !isUuid(after)) return { budgets: [], next: null };
  const rows = await queries.$queryRaw<Row[]>`
    SELECT budget.id::text AS "budgetId", budget.limit_nano_usd AS "limit", summed.spent::text,
      coalesce(date_bin(budget_rolls("window"), ${at}::timestamptz, 'epoch'), summed.at_hand) AS "windowStart",
      CASE WHEN budget_rolls("window") IS NULL THEN budget_window_end("window", time_zone, ${at}::timestamptz)
        ELSE budget_slice_leaves("window", coalesce(summed.first_spent, summed.at_hand)) END AS "resetsAt",
      summed.refused_under IS NOT DISTINCT FROM budget.limit_nano_usd AS "hasRefused"
    FROM budget CROSS JOIN LATERAL (
      SELECT sum(sum.spent_nano_usd) AS spent, max(part) AS at_hand,
        min(part) FILTER (WHERE sum.spent_nano_usd > 0) AS first_spent,
        max(sum.refused_under_nano_usd) FILTER (WHERE part
          = budget_window_start("window", time_zone, created_at, ${at}::timestamptz)) AS refused_under
      FROM budget_window_parts("window", time_zone, created_at, ${at}::timestamptz) AS part
      JOIN budget_spent AS sum ON sum.budget_id = budget.id AND sum.window_start = part
    ) AS summed
    WHERE budget.limit_nano_usd > 0 AND budget.each_by IS NULL AND budget.id > ${after ?? '00000000-0000-0000-0000-000000000000'}::uuid
      AND (summed.spent * 100 >= budget.limit_nano_usd::numeric * ${percent}::int OR summed.refused_under = budget.limit_nano_usd)
    ORDER BY budget.id LIMIT ${limit + 1}`;
  const budgets = rows.slice(0, limit).map(({ windowStart, resetsAt, limit: most, spent, ...row }) => ({
    ...row,
    windowStart: windowStart.getTime(),
    resetsAt: resetsAt?.getTime() ?? null,
    limitNanoUsd: most.toString(),
    spentNanoUsd: spent,
  }));
  return { budgets, next: rows.length > limit ? (budgets.at(-1)?.budgetId ?? null) : null };
}

/**
 * Notes that a budget refused a request, as far as this answer does: less is left than that may cost, even
 * when nothing else runs. It locks the row of the sum alone: whoever stores usage locks that before leases.
 */
export async function noteRefusal(
  queries: Queries<'metering'>,
  { budgetId, nameDigest, requestNanoUsd }: AcquireRequest,
  { grantedNanoUsd, state }: AcquireReply,
  at: Date,
): Promise<void> {
  if (requestNanoUsd === undefined || grantedNanoUsd !== '0' || state === null) return;
  const limit = BigInt(state.limitNanoUsd);
  if (BigInt(requestNanoUsd) <= limit - BigInt(state.spentNanoUsd)) return;
  if (nameDigest !== undefined) return noteRefusalOfName(queries, { budgetId, nameDigest, limit }, at);
  await queries.$executeRaw`
    UPDATE budget_spent AS spent SET refused_under_nano_usd = ${limit}
    FROM budget WHERE budget.id = ${budgetId}::uuid AND spent.budget_id = budget.id AND spent.window_start
      = budget_window_start(budget."window", budget.time_zone, budget.created_at, ${at}::timestamptz)
      AND spent.refused_under_nano_usd IS DISTINCT FROM ${limit}`;
}
