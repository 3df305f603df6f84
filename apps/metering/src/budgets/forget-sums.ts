import type { Queries } from '@tollgate/database';

/** Of so many budgets sums are forgotten in one statement, and of each so many. */
const budgetsAtOnce = 100;
const mostOfEach = 50;
/** So long the sum of a calendar window is kept from its beginning: then nobody adds to it any more. */
const keptDays = 40;

/**
 * Forgets what was spent in windows that are over at `at`, or of budgets that are gone, a part at a time: of
 * those that roll what left ten slices ago. It reads only what it forgets and goes from each budget to the
 * next by the index. What another locks now is left for the next time.
 */
export async function forgetSums(queries: Queries<'metering'>, at: Date): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const ids = await budgetsWithSums(queries, after);
    const last = ids.at(-1);
    if (last === undefined) return;
    // Rows go by their place: by key, Postgres would rather read all of the table than look each up.
    let forgotten: number;
    do
      forgotten = await queries.$executeRaw`
        DELETE FROM budget_spent WHERE ctid = ANY (ARRAY (
          SELECT over.place FROM unnest(${ids}::uuid[]) AS owner LEFT JOIN budget ON budget.id = owner
          CROSS JOIN LATERAL (
            SELECT ctid AS place FROM budget_spent
            WHERE budget_id = owner AND window_start < CASE WHEN budget.id IS NULL THEN 'infinity' WHEN "window" = 'total' THEN '-infinity'
              ELSE ${at}::timestamptz - coalesce(budget_rolls("window") * 7 / 6, ${keptDays}::int * interval '1 day') END
            ORDER BY window_start LIMIT ${mostOfEach} FOR UPDATE SKIP LOCKED
          ) AS over
        ))`;
    while (forgotten > 0);
    after = last;
  }
}

/** Some of the budgets after `after`, by id. */
async function budgetsWithSums(queries: Queries<'metering'>, after: string): Promise<string[]> {
  const rows = await queries.$queryRaw<{ id: string }[]>`
    WITH RECURSIVE summed AS (
      (SELECT budget_id AS id FROM budget_spent WHERE budget_id > ${after}::uuid ORDER BY budget_id LIMIT 1)
      UNION ALL
      SELECT (SELECT budget_id FROM budget_spent WHERE budget_id > summed.id ORDER BY budget_id LIMIT 1)
      FROM summed WHERE summed.id IS NOT NULL
    )
    SELECT id::text FROM summed WHERE id IS NOT NULL LIMIT ${budgetsAtOnce}`;
  return rows.map(({ id }) => id);
}
