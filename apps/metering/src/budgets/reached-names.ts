import type { ServedBy } from '@tollgate/contracts';
import type { budgetLeaseOperations } from '@tollgate/contracts/metering';
import type { Queries } from '@tollgate/database';
import { postgresJson } from '../ingest/postgres-json';

type Served = ServedBy<typeof budgetLeaseOperations>;

interface Row {
  budgetId: string;
  name: string | null;
  nameDigest: string;
  windowStart: Date;
  resetsAt: Date | null;
  limit: bigint;
  spent: string;
  percent: number;
  toldPercent: number;
}

/**
 * Some of the names that came to a threshold of their part of a budget in the window at hand, under the limit
 * of now, of which `noteTold` was not told. It reads no other names: those have an index of their own.
 */
export async function reachedNames(
  queries: Queries<'metering'>,
  { limit }: Served['reachedNames']['request'],
  at: Date,
): Promise<Served['reachedNames']['reply']> {
  const rows = await queries.$queryRaw<Row[]>`
    SELECT budget.id::text AS "budgetId", spent.name, spent.name_digest AS "nameDigest", spent.window_start AS "windowStart",
      budget_window_end(budget."window", budget.time_zone, ${at}::timestamptz) AS "resetsAt",
      budget.limit_nano_usd AS "limit", spent.spent_nano_usd::text AS spent, spent.reached_percent AS percent, spent.told_percent AS "toldPercent"
    FROM budget JOIN budget_name_spent AS spent ON spent.budget_id = budget.id AND spent.window_start
      = budget_window_start(budget."window", budget.time_zone, budget.created_at, ${at}::timestamptz)
    WHERE budget.each_by IS NOT NULL AND spent.reached_percent > spent.told_percent
      AND spent.reached_under_nano_usd = budget.limit_nano_usd
    LIMIT ${limit}`;
  const names = rows.map(({ windowStart, resetsAt, limit: most, spent, ...row }) => ({
    ...row,
    windowStart: windowStart.getTime(),
    resetsAt: resetsAt?.getTime() ?? null,
    limitNanoUsd: most.toString(),
    spentNanoUsd: spent,
  }));
  return { names };
}

/** Notes that people were told of these. Rows are locked by key, as everywhere where sums are added to. */
export async function noteTold(queries: Queries<'metering'>, { names }: Served['namesTold']['request']): Promise<void> {
  await queries.$executeRaw`
    WITH told AS (
      SELECT "budgetId" AS budget_id, "nameDigest" AS name_digest, percent, "limitNanoUsd" AS under,
        'epoch'::timestamptz + "windowStart" * interval '1 millisecond' AS window_start
      FROM json_to_recordset(${postgresJson(names)}::json)
        AS told ("budgetId" uuid, "nameDigest" text, "windowStart" bigint, "limitNanoUsd" bigint, percent smallint)
    ),
    locked AS (
      SELECT budget_id, name_digest, window_start, told.percent
      FROM budget_name_spent AS spent JOIN told USING (budget_id, name_digest, window_start)
      WHERE spent.reached_under_nano_usd = told.under AND spent.told_percent < told.percent
      ORDER BY budget_id, name_digest, window_start FOR UPDATE OF spent
    )
    UPDATE budget_name_spent AS spent SET told_percent = locked.percent
    FROM locked WHERE spent.budget_id = locked.budget_id AND spent.name_digest = locked.name_digest
      AND spent.window_start = locked.window_start`;
}

/**
 * Notes that a name was refused a request since less is left of its part than that may cost: it is used up,
 * under this limit. Nothing of a soft budget, which refuses nothing, nor of a name that spent nothing yet.
 */
export async function noteRefusalOfName(
  queries: Queries<'metering'>,
  { budgetId, nameDigest, limit }: { budgetId: string; nameDigest: string; limit: bigint },
  at: Date,
): Promise<void> {
  await queries.$executeRaw`
    UPDATE budget_name_spent AS spent SET reached_percent = 100, reached_under_nano_usd = ${limit},
      told_percent = CASE WHEN spent.reached_under_nano_usd = ${limit} THEN spent.told_percent ELSE 0 END
    FROM budget WHERE budget.id = ${budgetId}::uuid AND NOT budget.soft AND budget.limit_nano_usd = ${limit} AND ${limit} > 0
      AND spent.budget_id = budget.id AND spent.name_digest = ${nameDigest} AND spent.window_start
        = budget_window_start(budget."window", budget.time_zone, budget.created_at, ${at}::timestamptz)
      AND (spent.reached_percent < 100 OR spent.reached_under_nano_usd IS DISTINCT FROM ${limit})`;
}
