import type { ServedBy } from '@tollgate/contracts';
import { ofRefusal, type budgetLeaseOperations } from '@tollgate/contracts/metering';
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

/** A name, and the limit of its part as who notes something of it knows it. */
interface NameUnderLimit {
  budgetId: string;
  nameDigest: string;
  limit: bigint;
}

/** What a request might have cost, and what was left of the part of a name. */
interface RefusalOfName extends NameUnderLimit {
  mayCost: bigint;
  left: bigint;
}

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
  return { names, refusalsApart: true };
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

/**
 * Notes that people were told of these. A name that is used up has no refusal left to tell. Rows are locked
 * by key, as everywhere where sums are added to.
 */
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
      SELECT budget_id, name_digest, window_start, least(told.percent, spent.reached_percent) AS percent
      FROM budget_name_spent AS spent JOIN told USING (budget_id, name_digest, window_start)
      WHERE spent.reached_under_nano_usd = told.under AND spent.told_percent < told.percent
      ORDER BY budget_id, name_digest, window_start FOR UPDATE OF spent
    )
    UPDATE budget_name_spent AS spent SET told_percent = locked.percent,
      refusal_told_under_nano_usd
        = CASE locked.percent WHEN 100 THEN spent.refused_under_nano_usd ELSE spent.refusal_told_under_nano_usd END
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
 * A metering of the release before notes a refusal as 100 %: where less is spent, it is set back to that, so
 * that it is told of what it spends, and of the refusal once. A correction of the sum looks the same.
 */
export async function noteRefusalOfName(
  queries: Queries<'metering'>,
  { mayCost, left, ...name }: RefusalOfName,
  at: Date,
): Promise<void> {
  const { limit } = name;
  const come = Prisma.sql`budget_threshold(spent.spent_nano_usd, budget.limit_nano_usd)`;
  const isOfBefore = Prisma.sql`(spent.reached_under_nano_usd IS NOT DISTINCT FROM ${limit}
    AND spent.reached_percent = 100 AND spent.spent_nano_usd < ${limit})`;
  await queries.$executeRaw`
    UPDATE budget_name_spent AS spent SET refused_under_nano_usd = ${limit}, refused_nano_usd = ${mayCost},
      refused_left_nano_usd = ${left}, reached_percent = CASE WHEN ${isOfBefore} THEN ${come} ELSE spent.reached_percent END,
      told_percent = CASE WHEN ${isOfBefore} THEN least(spent.told_percent, ${come}) ELSE spent.told_percent END,
      refusal_told_under_nano_usd = CASE WHEN ${isOfBefore} AND spent.told_percent = 100 THEN ${limit}
        ELSE spent.refusal_told_under_nano_usd END
    FROM budget WHERE ${isRowOfName(name, at)}
      AND (spent.refused_under_nano_usd IS DISTINCT FROM ${limit} OR ${isOfBefore})`;
}

/**
 * Notes that nothing is left of the part of a name that did not spend since the budget got this limit: it was
 * lowered. Of one that did spend under it, that is noted already.
 */
export async function noteNothingLeftOfName(
  queries: Queries<'metering'>,
  name: NameUnderLimit,
  at: Date,
): Promise<void> {
  await queries.$executeRaw`
    UPDATE budget_name_spent AS spent SET reached_under_nano_usd = budget.limit_nano_usd, told_percent = 0,
      reached_percent = budget_threshold(spent.spent_nano_usd, budget.limit_nano_usd)
    FROM budget WHERE ${isRowOfName(name, at)}
      AND spent.reached_under_nano_usd IS DISTINCT FROM budget.limit_nano_usd`;
}

/** The row of a name, in the window at hand, of a `budget` that is not soft and still has this limit. */
function isRowOfName({ budgetId, nameDigest, limit }: NameUnderLimit, at: Date): Prisma.Sql {
  return Prisma.sql`budget.id = ${budgetId}::uuid AND NOT budget.soft AND budget.limit_nano_usd = ${limit} AND ${limit} > 0
    AND spent.budget_id = budget.id AND spent.name_digest = ${nameDigest} AND spent.window_start
      = budget_window_start(budget."window", budget.time_zone, budget.created_at, ${at}::timestamptz)`;
}
