import type { BudgetState, budgetLeaseOperations } from '@tollgate/contracts/metering';
import type { Queries } from '@tollgate/database';
import type { z } from 'zod';

type Acquire = typeof budgetLeaseOperations.acquire;
type Leaves = z.output<Acquire['reply']>['leaves'];

/** When what is spent leaves a window that rolls, the first first; none of another window. */
export async function leavesOf(queries: Queries<'metering'>, budgetId: string, at: Date): Promise<Leaves> {
  const rows = await queries.$queryRaw<{ at: Date; unspent: string }[]>`
    SELECT at, unspent::text FROM (
      SELECT budget_slice_leaves("window", window_start) AS at, spent_nano_usd AS spent, limit_nano_usd
        - sum(spent_nano_usd) OVER () + sum(spent_nano_usd) OVER (ORDER BY window_start) AS unspent
      FROM (
        SELECT *, budget_window_start("window", time_zone, created_at, ${at}::timestamptz) AS at_hand, budget_rolls("window") AS rolls
        FROM budget WHERE id = ${budgetId}::uuid
      ) AS budget JOIN budget_spent ON budget_id = id AND window_start BETWEEN at_hand - rolls AND at_hand + rolls / 60
    ) AS slice WHERE spent <> 0 ORDER BY at`;
  return rows.map((row) => ({ at: row.at.getTime(), unspentNanoUsd: row.unspent }));
}

/**
 * When enough has left for the request that waits, be nothing else spent meanwhile; of a window that does not
 * roll, when that ends. What others hold comes back without anything leaving. Null: never.
 */
export function roomAt(
  { leastNanoUsd, requestNanoUsd = leastNanoUsd }: z.output<Acquire['request']>,
  { limitNanoUsd, spentNanoUsd, resetsAt }: BudgetState,
  leaves: Leaves,
): number | null {
  const asked = BigInt(requestNanoUsd);
  if (asked <= BigInt(limitNanoUsd) - BigInt(spentNanoUsd)) return resetsAt;
  return leaves.find(({ unspentNanoUsd }) => BigInt(unspentNanoUsd) >= asked)?.at ?? resetsAt;
}
