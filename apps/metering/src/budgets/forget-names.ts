import type { Queries } from '@tollgate/database';

/** So many sums of names are forgotten in one statement. */
const mostForgotten = 5_000;

/**
 * Forgets what names spent in windows that are over for a day at `at`, or of budgets that are gone, a part at
 * a time. It reads only what it forgets, however many sums of windows stand that are not over: those of a
 * budget are read by window. What another locks now is left for the next time.
 */
export async function forgetNames(queries: Queries<'metering'>, at: Date): Promise<void> {
  for (const id of await budgetsWithNames(queries)) {
    let forgotten: number;
    // A budget without windows has one that began with it: no sum is before that. Rows go by their place: by
    // key, Postgres would rather read all of the table than look each up.
    do
      forgotten = await queries.$executeRaw`
        DELETE FROM budget_name_spent WHERE ctid = ANY (ARRAY (
          SELECT ctid FROM budget_name_spent
          WHERE budget_id = ${id}::uuid AND window_start < coalesce((
            SELECT budget_window_start("window", time_zone, created_at, ${at}::timestamptz - interval '1 day')
            FROM budget WHERE id = ${id}::uuid), 'infinity')
          ORDER BY window_start LIMIT ${mostForgotten} FOR UPDATE SKIP LOCKED
        ))`;
    while (forgotten > 0);
  }
}

/** Goes from each to the next by the index: a budget may have millions of names. */
async function budgetsWithNames(queries: Queries<'metering'>): Promise<string[]> {
  const rows = await queries.$queryRaw<{ id: string }[]>`
    WITH RECURSIVE named AS (
      (SELECT budget_id AS id FROM budget_name_spent ORDER BY budget_id LIMIT 1)
      UNION ALL
      SELECT (SELECT budget_id FROM budget_name_spent WHERE budget_id > named.id ORDER BY budget_id LIMIT 1)
      FROM named WHERE named.id IS NOT NULL
    )
    SELECT id::text FROM named WHERE id IS NOT NULL`;
  return rows.map(({ id }) => id);
}
