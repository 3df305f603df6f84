import { digestOfName } from '@tollgate/contracts/metering';
import type { budgetLeaseOperations } from '@tollgate/contracts/metering';
import { Prisma, isUuid } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import type { z } from 'zod';

type Names = typeof budgetLeaseOperations.names;
type Reply = z.output<Names['reply']>;

interface Row {
  name: string | null;
  nameDigest: string;
  limit: bigint;
  spent: string;
  held: string;
  resetsAt: Date | null;
}

/**
 * How parts of a budget stand that each name has alone: those of `names` that match it, else those that spent
 * the most, which are read by an index, however many there are; in the window at hand, or that of
 * `windowStart`. None of another budget, or where `keyId` is told and the budget is not of this key alone.
 */
export async function namesOfBudget(
  queries: Queries<'metering'>,
  { budgetId, names, keyId, limit, windowStart }: z.output<Names['request']>,
  now: Date,
): Promise<Reply> {
  if (!isUuid(budgetId)) return { names: [] };
  const at = windowStart === undefined ? now : new Date(windowStart);
  const parts = names === undefined ? nearest(limit) : those(names);
  const rows = await queries.$queryRaw<Row[]>`
    SELECT part.name, part.name_digest AS "nameDigest", limit_nano_usd AS "limit", part.spent::text, ends AS "resetsAt",
      (SELECT coalesce(sum(held_nano_usd), 0)::text FROM budget_lease
        WHERE budget_id = budget.id AND name_digest = part.name_digest) AS held
    FROM (
      SELECT id, limit_nano_usd, each_names, budget_window_start("window", time_zone, created_at, ${at}::timestamptz) AS start,
        budget_window_end("window", time_zone, ${at}::timestamptz) AS ends
      FROM budget WHERE id = ${budgetId}::uuid AND each_by IS NOT NULL
        AND (${keyId ?? null}::text IS NULL OR project IS NULL AND ${keyId ?? null}::text = ANY (key_ids))
    ) AS budget CROSS JOIN LATERAL (${parts}) AS part
    ORDER BY part.spent DESC, part.name_digest`;
  return { names: rows.map(toName) };
}

const nearest = (limit: number): Prisma.Sql => Prisma.sql`
  SELECT name, name_digest, spent_nano_usd AS spent FROM budget_name_spent
  WHERE budget_id = budget.id AND window_start = budget.start ORDER BY spent_nano_usd DESC LIMIT ${limit}`;

function those(names: readonly string[]): Prisma.Sql {
  const asked = [...new Set(names)];
  return Prisma.sql`
    SELECT asked.name, asked.digest AS name_digest, coalesce(spent.spent_nano_usd, 0) AS spent
    FROM unnest(${asked}::text[], ${asked.map(digestOfName)}::text[]) AS asked (name, digest)
    LEFT JOIN budget_name_spent AS spent ON spent.budget_id = budget.id AND spent.name_digest = asked.digest
      AND spent.window_start = budget.start
    WHERE budget_counts(ARRAY[budget.each_names], asked.name)`;
}

function toName({ name, nameDigest, limit, spent, held, resetsAt }: Row): Reply['names'][number] {
  const amounts = { limitNanoUsd: limit.toString(), spentNanoUsd: spent, heldNanoUsd: held };
  return { name, nameDigest, state: { ...amounts, resetsAt: resetsAt?.getTime() ?? null } };
}
