import { z } from 'zod';
import { rowsOf } from '../cluster/sql';
import type { Holdings } from './expected';

const held = z.object({
  accounts: z.number(),
  people: z.number(),
  keys: z.number(),
  revoked: z.number(),
  budgets: z.number(),
  openingOfKeys: z.coerce.bigint(),
  limits: z.coerce.bigint(),
  openingOfBudgets: z.coerce.bigint(),
});

/** What Tollgate's own tables hold, by SQL: neither the importer nor a service is asked. */
export async function holdings(databaseUrl: string): Promise<Holdings> {
  const [row] = await rowsOf(
    databaseUrl,
    `SELECT (SELECT count(*) FROM account)::int AS accounts, (SELECT count(*) FROM person)::int AS people,
      (SELECT count(*) FROM api_key)::int AS keys, (SELECT count(*) FROM api_key WHERE status = 'revoked')::int AS revoked,
      (SELECT count(*) FROM budget)::int AS budgets,
      (SELECT coalesce(sum(opening_nano_usd), 0) FROM api_key)::text AS "openingOfKeys",
      (SELECT coalesce(sum(limit_nano_usd), 0) FROM budget)::text AS limits,
      (SELECT coalesce(sum(opening_nano_usd), 0) FROM budget)::text AS "openingOfBudgets"`,
  );
  return held.parse(row);
}

/** Less what stood there before anything came. */
export function added(after: Holdings, before: Holdings): Holdings {
  const difference = (Object.keys(after) as (keyof Holdings)[]).map((name) => {
    const [now, then] = [after[name], before[name]];
    return [name, typeof now === 'bigint' ? now - BigInt(then) : now - Number(then)];
  });
  return held.parse(Object.fromEntries(difference));
}

/** A print of every table with rows, by which two moments of one database can be told apart. */
export async function printOf(databaseUrl: string): Promise<Record<string, string>> {
  const tables = await rowsOf<{ name: string }>(
    databaseUrl,
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const prints: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await rowsOf<{ print: string | null }>(
      databaseUrl,
      `SELECT md5(string_agg(one::text, '|' ORDER BY one::text)) AS print FROM "${name}" AS one`,
    );
    // Services make partitions for the days to come: a new table without rows is no change.
    if (row?.print != null) prints[name] = row.print;
  }
  return prints;
}

/** Names of tables whose rows are not as they were. */
export function changedTables(before: Record<string, string>, after: Record<string, string>): string[] {
  return Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
}
