import type { ServedBy } from '@tollgate/contracts';
import type { budgetLeaseOperations } from '@tollgate/contracts/metering';
import { Prisma } from '@tollgate/database';
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
  mayCost: string | null;
  left: string | null;
}

/** What a request might have cost, and what was left of the part of a name. */
interface RefusalOfName {
  budgetId: string;
  nameDigest: string;
  limit: bigint;
  mayCost: bigint;
  left: bigint;
}

/** In the place of a percentage: a request was refused while some of the part was left. */
const ofRefusal = 0;

const isOverThreshold = Prisma.sql`spent.reached_percent > spent.told_percent
  AND spent.reached_under_nano_usd = budget.limit_nano_usd`;
const wasRefused = Prisma.sql`spent.refused_under_nano_usd IS NOT NULL
  AND spent.refusal_told_under_nano_usd IS DISTINCT FROM spent.refused_under_nano_usd
  AND spent.refused_under_nano_usd = budget.limit_nano_usd AND NOT budget.soft
  AND spent.spent_nano_usd < budget.limit_nano_usd`;

/**
 * Some of the names that came to a threshold of their part of a budget in the window at hand, under the limit
 * of now, or were refused a request, of which `noteTold` was not told. It reads no other names: those of
 * either have an index of their own.
 */
export async function reachedNames(
  queries: Queries<'metering'>,
  { limit, refusals }: Served['reachedNames']['request'],
  at: Date,
): Promise<Served['reachedNames']['reply']> {
  const percent = Prisma.sql`spent.reached_percent AS percent, NULL AS "mayCost", NULL AS "left"`;
  const rows = await dueNames(queries, { limit, at, told: percent, isDue: isOverThreshold });
  const room = limit - rows.length;
  if (refusals && room > 0) {
    const told = Prisma.sql`${ofRefusal}::smallint AS percent, spent.refused_nano_usd::text AS "mayCost",
      spent.refused_left_nano_usd::text AS "left"`;
    rows.push(...(await dueNames(queries, { limit: room, at, told, isDue: wasRefused })));
  }
  const names = rows.map(({ windowStart, resetsAt, limit: most, spent, mayCost, left, ...row }) => ({
    ...row,
    windowStart: windowStart.getTime(),
    resetsAt: resetsAt?.getTime() ?? null,
    limitNanoUsd: most.toString(),
    spentNanoUsd: spent,
    refusal: mayCost === null || left === null ? null : { mayCostNanoUsd: mayCost, leftNanoUsd: left },
  }));
  return { names };
}

function dueNames(
  queries: Queries<'metering'>,
  { limit, at, told, isDue }: { limit: number; at: Date; told: Prisma.Sql; isDue: Prisma.Sql },
): Promise<Row[]> {
  return queries.$queryRaw<Row[]>`
    SELECT budget.id::text AS "budgetId", spent.name, spent.name_digest AS "nameDigest", spent.window_start AS "windowStart",
      budget_window_end(budget."window", budget.time_zone, ${at}::timestamptz) AS "resetsAt",
      budget.limit_nano_usd AS "limit", spent.spent_nano_usd::text AS spent, spent.told_percent AS "toldPercent", ${told}
    FROM budget JOIN budget_name_spent AS spent ON spent.budget_id = budget.id AND spent.window_start
      = budget_window_start(budget."window", budget.time_zone, budget.created_at, ${at}::timestamptz)
    WHERE budget.each_by IS NOT NULL AND ${isDue}
    LIMIT ${limit}`;
}

/** Notes that people were told of these. Rows are locked by key, as everywhere where sums are added to. */
export async function noteTold(queries: Queries<'metering'>, { names }: Served['namesTold']['request']): Promise<void> {
  const refused = names.filter(({ percent }) => percent === ofRefusal);
  if (refused.length > 0) await noteRefusalsTold(queries, refused);
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

async function noteRefusalsTold(
  queries: Queries<'metering'>,
  names: Served['namesTold']['request']['names'],
): Promise<void> {
  await queries.$executeRaw`
    WITH told AS (
      SELECT "budgetId" AS budget_id, "nameDigest" AS name_digest, "limitNanoUsd" AS under,
        'epoch'::timestamptz + "windowStart" * interval '1 millisecond' AS window_start
      FROM json_to_recordset(${postgresJson(names)}::json)
        AS told ("budgetId" uuid, "nameDigest" text, "windowStart" bigint, "limitNanoUsd" bigint)
    ),
    locked AS (
      SELECT budget_id, name_digest, window_start, told.under
      FROM budget_name_spent AS spent JOIN told USING (budget_id, name_digest, window_start)
      WHERE spent.refused_under_nano_usd = told.under
      ORDER BY budget_id, name_digest, window_start FOR UPDATE OF spent
    )
    UPDATE budget_name_spent AS spent SET refusal_told_under_nano_usd = locked.under
    FROM locked WHERE spent.budget_id = locked.budget_id AND spent.name_digest = locked.name_digest
      AND spent.window_start = locked.window_start`;
}

/**
 * Notes that a name was refused a request since less is left of its part than that may cost: the first one
 * under this limit. Nothing of a soft budget, which refuses nothing, nor of a name that spent nothing yet.
 */
export async function noteRefusalOfName(
  queries: Queries<'metering'>,
  { budgetId, nameDigest, limit, mayCost, left }: RefusalOfName,
  at: Date,
): Promise<void> {
  await queries.$executeRaw`
    UPDATE budget_name_spent AS spent SET refused_under_nano_usd = ${limit}, refused_nano_usd = ${mayCost}, refused_left_nano_usd = ${left}
    FROM budget WHERE budget.id = ${budgetId}::uuid AND NOT budget.soft AND budget.limit_nano_usd = ${limit} AND ${limit} > 0
      AND spent.budget_id = budget.id AND spent.name_digest = ${nameDigest} AND spent.window_start
        = budget_window_start(budget."window", budget.time_zone, budget.created_at, ${at}::timestamptz)
      AND spent.refused_under_nano_usd IS DISTINCT FROM ${limit}`;
}
