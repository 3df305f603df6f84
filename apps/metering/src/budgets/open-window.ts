import { Prisma } from '@tollgate/database';
import type { Database, Queries } from '@tollgate/database';
import { minutesSince } from '../event-months';

/** So many sums are made in one transaction, for which nobody stores usage. */
const madeAtOnce = 10;

/**
 * A sum to be made, of what was spent from `first` until `last`, moments as Postgres writes them: from the
 * sums of hours between `whole` and `rest`, and from those of minutes before and after.
 */
interface DueSum {
  budgetId: string;
  account: string;
  keyIds: string[];
  models: string[];
  unit: string;
  /** What was spent elsewhere, a decimal string in the unit. */
  opening: string;
  first: string;
  whole: string;
  rest: string;
  last: string;
}

/** A budget, and the moment of the window that is to be opened. */
export interface DueWindow {
  readonly budgetId: string;
  readonly at: Date;
}

/**
 * Makes the sum of each budget's window that holds at `at`, or those of its slices where it rolls, from the
 * sums of usage and what was spent elsewhere, where they are not there yet; none of one that each name has
 * alone. Of slices those of the next time are made, too: budgets of one length would each need another one in
 * the same moment, in which a slice begins. It is done in several transactions, and what was made stays, so
 * that whoever comes again goes on from there.
 */
export async function openWindows(database: Database<'metering'>, windows: readonly DueWindow[]): Promise<void> {
  let made: number;
  do made = await database.$transaction((transaction) => makeSums(transaction, windows));
  while (made === madeAtOnce);
}

/**
 * Makes some of the sums that are missing and says how many. Nobody stores usage meanwhile, so that nothing
 * is counted twice or left out.
 */
async function makeSums(transaction: Queries<'metering'>, windows: readonly DueWindow[]): Promise<number> {
  // A statement of its own: what follows has to see what was stored until this one had its turn.
  await transaction.$queryRaw`SELECT pg_advisory_xact_lock(hashtext('tollgate.budget.sums'))::text`;
  const due = await dueSums(transaction, windows);
  if (due.length === 0) return 0;
  // Each with its times as constants: Postgres would take joined ones for thousands of times as much work,
  // and compile machine code for that.
  await transaction.$executeRaw`
    INSERT INTO budget_spent (budget_id, window_start, spent_nano_usd)
    ${Prisma.join(due.map(sumOf), ' UNION ALL ')}
    ON CONFLICT (budget_id, window_start) DO NOTHING`;
  return due.length;
}

/**
 * The first of those that are missing. Whole hours, and minutes where a window begins or ends within one:
 * time zones may be off by half an hour, a budget is made at any minute, and slices are as long as they are.
 * Where minutes are kept no more, the whole of the hour in which a total was made.
 * Of slices ahead as many as its id says, so that budgets which began together part.
 */
function dueSums(transaction: Queries<'metering'>, windows: readonly DueWindow[]): Promise<DueSum[]> {
  const ids = windows.map(({ budgetId }) => budgetId);
  const moments = windows.map(({ at }) => at);
  return transaction.$queryRaw<DueSum[]>`
    SELECT id::text AS "budgetId", account_id::text AS account, key_ids AS "keyIds", models, unit, first::text, last::text,
      CASE WHEN first = budget_window_start("window", time_zone, created_at, created_at) THEN opening_nano_usd ELSE 0 END::text AS opening,
      least(last, date_trunc('hour', first + CASE WHEN first < kept_since THEN interval '0'
        ELSE interval '59 minutes 59.999 s' END, 'UTC'))::text AS whole,
      greatest(first, date_trunc('hour', last, 'UTC'))::text AS rest
    FROM (
      SELECT DISTINCT ON (id, first) budget.*, kept_since, first,
        coalesce(budget_window_end("window", time_zone, first), 'infinity') AS last
      FROM unnest(${ids}::uuid[], ${moments}::timestamptz[], ${moments.map(minutesSince)}::timestamptz[])
        AS due_window (budget_id, at, kept_since)
      JOIN budget ON budget.id = due_window.budget_id
      CROSS JOIN LATERAL (
        SELECT budget_window_start("window", time_zone, created_at, due_window.at)
          + part * coalesce(budget_rolls("window") / 60, interval '0') AS first
        FROM generate_series(-60, 10 + (hashtext(id::text) & 7)) AS part WHERE part = 0 OR budget_rolls("window") IS NOT NULL
      ) AS part
      WHERE each_by IS NULL
        AND NOT EXISTS (SELECT FROM budget_spent WHERE budget_id = budget.id AND window_start = first)
      ORDER BY id, first, kept_since DESC
    ) AS due ORDER BY due.first, due.id LIMIT ${madeAtOnce}`;
}

function sumOf(due: DueSum): Prisma.Sql {
  const { budgetId, account, keyIds, models, unit, opening, first, whole, rest, last } = due;
  const counts = Prisma.sql`account_id = ${account} AND (${keyIds}::text[] = '{}' OR key_id = ANY (${keyIds}::text[]))
    AND budget_counts(${models}::text[], model)`;
  const amount = Prisma.sql`sum(budget_amount(${unit}, cost_nano_usd, input_tokens + output_tokens))`;
  return Prisma.sql`
    SELECT ${budgetId}::uuid, ${first}::timestamptz, ${opening}::numeric
      + coalesce((SELECT ${amount} FROM usage_minute WHERE ${counts}
        AND (at >= ${first}::timestamptz AND at < ${whole}::timestamptz OR at >= ${rest}::timestamptz AND at < ${last}::timestamptz)), 0)
      + coalesce((SELECT ${amount} FROM usage_hour WHERE ${counts}
        AND at >= ${whole}::timestamptz AND at < ${rest}::timestamptz), 0)`;
}
