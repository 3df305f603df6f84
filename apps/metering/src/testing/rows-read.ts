import type { Queries } from '@tollgate/database';

/**
 * How many rows of a table are read by this work, which is done in the transaction of `queries`. The view
 * counts what the connection read before, too, until Postgres has taken that over: once a second at most.
 * https://github.com/postgres/postgres/blob/REL_18_STABLE/src/backend/utils/activity/pgstat.c
 */
export async function rowsRead(
  queries: Queries<'metering'>,
  table: string,
  work: () => Promise<unknown>,
): Promise<number> {
  const before = await readSoFar(queries, table);
  await work();
  return (await readSoFar(queries, table)) - before;
}

async function readSoFar(queries: Queries<'metering'>, table: string): Promise<number> {
  const [row] = await queries.$queryRaw<{ read: number }[]>`
    SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS read FROM pg_stat_xact_user_tables WHERE relname = ${table}`;
  if (!row) throw new Error(`there is no table ${table}`);
  return row.read;
}
