import type { budgetLeaseOperations } from '@tollgate/contracts/metering';
import { Prisma, isUuid } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import type { z } from 'zod';
import { noteNothingLeftOfName, noteRefusalOfName } from './reached-names';

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
  mayCost: string | null;
  left: string | null;
}

/** Who asks for the refusals of windows that roll may be away for so long. */
const refusalToldMinutes = 5;

/**
 * Of one page of budgets those of which so many percent are spent in the window at hand, or that refused a
 * request in it with something left; of one that rolls, in a slice that is not over for some minutes. A soft
 * one refuses nothing. A page is `limit` budgets, however few of them that are, so that none takes longer
 * than the first. A budget that nobody asked for money in its window is not told of: nothing was summed for
 * it. Neither is one that each name has alone; see `reachedNames`.
 */
export async function reachedBudgets(
  queries: Queries<'metering'>,
  { percent, limit, after }: z.output<Reached['request']>,
  at: Date,
): Promise<z.output<Reached['reply']>> {
  if (after !== undefined && !isUuid(after)) return { budgets: [], next: null };
  const ids = await idsAfter(queries, after, limit + 1);
  const page = ids.slice(0, limit);
  const isRefused = Prisma.sql`NOT soft AND refused_under_nano_usd = limit_nano_usd AND (rolls IS NULL
    OR window_start + rolls / 60 > ${at}::timestamptz - ${refusalToldMinutes}::int * interval '1 minute')`;
  // A metering of the release before notes a refusal under a new limit, and leaves the amounts of the former.
  const isTold = Prisma.sql`${isRefused} AND refused_amounts_under_nano_usd = limit_nano_usd`;
  const ofNewest = (column: string) =>
    Prisma.sql`(array_agg(${Prisma.raw(column)} ORDER BY window_start DESC) FILTER (WHERE ${isTold}))[1]`;
  const rows = await queries.$queryRaw<Row[]>`
    WITH known AS MATERIALIZED (
      SELECT *, budget_window_start("window", time_zone, created_at, ${at}::timestamptz) AS at_hand, budget_rolls("window") AS rolls
      FROM budget WHERE id = ANY (${page}::uuid[])
    )
    SELECT id::text AS "budgetId", limit_nano_usd AS "limit", sum(spent_nano_usd)::text AS spent,
      coalesce(date_bin(rolls, ${at}::timestamptz, 'epoch'), at_hand) AS "windowStart",
      CASE WHEN rolls IS NULL THEN budget_window_end("window", time_zone, ${at}::timestamptz)
        ELSE budget_slice_leaves("window", coalesce(min(window_start) FILTER (WHERE spent_nano_usd > 0), at_hand)) END AS "resetsAt",
      coalesce(bool_or(${isRefused}), false) AS "hasRefused",
      ${ofNewest('refused_nano_usd')}::text AS "mayCost", ${ofNewest('refused_left_nano_usd')}::text AS "left"
    FROM known JOIN budget_spent ON budget_id = id
      AND window_start BETWEEN at_hand - coalesce(rolls, '0') AND at_hand + coalesce(rolls / 60, '0')
    GROUP BY id, limit_nano_usd, "window", time_zone, at_hand, rolls
    HAVING sum(spent_nano_usd) * 100 >= limit_nano_usd::numeric * ${percent}::int
      OR bool_or(${isRefused})
    ORDER BY id`;
  const budgets = rows.map(({ windowStart, resetsAt, limit: most, spent, mayCost, left, ...row }) => ({
    ...row,
    windowStart: windowStart.getTime(),
    resetsAt: resetsAt?.getTime() ?? null,
    limitNanoUsd: most.toString(),
    spentNanoUsd: spent,
    refusal: mayCost === null || left === null ? null : { mayCostNanoUsd: mayCost, leftNanoUsd: left },
  }));
  return { budgets, next: ids.length > limit ? (page.at(-1) ?? null) : null };
}

/** So many budgets after one, by id, that may tell somebody. */
async function idsAfter(queries: Queries<'metering'>, after: string | undefined, most: number): Promise<string[]> {
  const rows = await queries.$queryRaw<{ id: string }[]>`
    SELECT id::text FROM budget
    WHERE limit_nano_usd > 0 AND each_by IS NULL AND id > ${after ?? '00000000-0000-0000-0000-000000000000'}::uuid
    ORDER BY id LIMIT ${most}`;
  return rows.map(({ id }) => id);
}

/**
 * Notes that a budget refused a request, as far as this answer does: less is left than that may cost, even
 * when nothing else runs. Where nothing is left, what is spent says so, of a name once it is noted under the
 * limit of now; a soft budget refuses nothing. Of a window (of one that rolls, a slice) and limit it keeps
 * the first such request, so that a flood of refusals writes once. It locks the row of the sum alone: whoever
 * stores usage locks that before leases.
 */
export async function noteRefusal(
  queries: Queries<'metering'>,
  { budgetId, nameDigest, requestNanoUsd }: AcquireRequest,
  { grantedNanoUsd, state }: Pick<AcquireReply, 'grantedNanoUsd' | 'state'>,
  at: Date,
): Promise<void> {
  if (requestNanoUsd === undefined || grantedNanoUsd !== '0' || state === null) return;
  const limit = BigInt(state.limitNanoUsd);
  const left = limit - BigInt(state.spentNanoUsd);
  if (BigInt(requestNanoUsd) <= left) return;
  const mayCost = BigInt(requestNanoUsd);
  if (nameDigest !== undefined) {
    const name = { budgetId, nameDigest, limit };
    return left > 0n
      ? noteRefusalOfName(queries, { ...name, mayCost, left }, at)
      : noteNothingLeftOfName(queries, name, at);
  }
  if (left <= 0n) return;
  await queries.$executeRaw`
    UPDATE budget_spent AS spent SET refused_under_nano_usd = ${limit}, refused_amounts_under_nano_usd = ${limit},
      refused_nano_usd = ${mayCost}, refused_left_nano_usd = ${left}
    FROM budget WHERE budget.id = ${budgetId}::uuid AND NOT budget.soft AND spent.budget_id = budget.id AND spent.window_start
      = budget_window_start(budget."window", budget.time_zone, budget.created_at, ${at}::timestamptz)
      AND (spent.refused_under_nano_usd IS DISTINCT FROM ${limit}
        OR spent.refused_amounts_under_nano_usd IS DISTINCT FROM ${limit})`;
}
