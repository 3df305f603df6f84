import type { budgetLeaseOperations } from '@tollgate/contracts/metering';
import { isUuid } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import type { z } from 'zod';

type Windows = typeof budgetLeaseOperations.windows;

interface Row {
  startAt: Date;
  endAt: Date;
  spent: string;
}

/**
 * What was spent of a budget in the calendar windows that have a sum, the newest first. The rows of one that
 * rolls are parts of its window, and a total has no other.
 */
export async function windowsOfBudget(
  queries: Queries<'metering'>,
  { budgetId, limit }: z.output<Windows['request']>,
): Promise<z.output<Windows['reply']>> {
  if (!isUuid(budgetId)) return { windows: [] };
  const rows = await queries.$queryRaw<Row[]>`
    SELECT window_start AS "startAt", budget_window_end("window", time_zone, window_start) AS "endAt", spent_nano_usd::text AS spent
    FROM budget JOIN budget_spent ON budget_id = id
    WHERE id = ${budgetId}::uuid AND each_by IS NULL AND "window" <> 'total' AND budget_rolls("window") IS NULL
    ORDER BY window_start DESC LIMIT ${limit}`;
  const windows = rows.map(({ startAt, endAt, spent }) => ({
    ...{ startAt: startAt.getTime(), endAt: endAt.getTime() },
    spentNanoUsd: spent,
  }));
  return { windows };
}
