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
 * request in it. A budget that nobody asked for money in its window is in none: nothing was summed for it.
 * Neither is one that each name has alone; see `reachedNames`.
 */
export async function reachedBudgets(
  queries: Queries<'metering'>,
  { percent, limit, after }: z.output<Reached['request']>,
  at: Date,
): Promise<z.output<Reached['reply']>> {
  if (after !== undefined && !isUuid(after)) return { budgets: [], next: null };
  const rows = await queries.$queryRaw<Row[]>`
    SELECT budget.id::text AS "budgetId", spent.window_start AS "windowStart",
      budget_window_end(budget."window", budget.time_zone, ${at}::timestamptz) AS "resetsAt",
      budget.limit_nano_usd AS "limit", spent.spent_nano_usd::text AS spent,
      spent.refused_under_nano_usd IS NOT DISTINCT FROM budget.limit_nano_usd AS "hasRefused"
    FROM budget JOIN budget_spent AS spent ON spent.budget_id = budget.id AND spent.window_start
      = budget_window_start(budget."window", budget.time_zone, budget.created_at, ${at}::timestamptz)
    WHERE budget.limit_nano_usd > 0 AND budget.each_by IS NULL AND budget.id > ${after ?? '00000000-0000-0000-0000-000000000000'}::uuid
      AND (spent.spent_nano_usd * 100 >= budget.limit_nano_usd::numeric * ${percent}::int
        OR spent.refused_under_nano_usd = budget.limit_nano_usd)
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
