import { Client } from 'pg';
import { z } from 'zod';

const difference = z.object({ of: z.string(), told: z.string(), counted: z.string() });
const start = `to_timestamp(floor(extract(epoch FROM at) / (86400 * days))::bigint * 86400 * days)`;
const fields = 'requests, input_tokens, output_tokens, cost_nano_usd';

/**
 * Makes the blocks of days of all accounts as if their days had ended, compares each with the events of these
 * days, and removes them. Returns a sentence for each sum that differs, at most five. What the load says must
 * be told apart, and nothing be stored meanwhile.
 */
export async function wrongBlocks(databaseUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    const made = await client.query(
      `SELECT make_usage_block(account_id, '', days, ${start}) FROM (
         SELECT DISTINCT account_id, days, date_trunc('day', at, 'UTC') AS at FROM usage_hour CROSS JOIN unnest('{1,4,16,64}'::int[]) AS block (days)
         WHERE key_id <> '*' ORDER BY days) AS wanted`,
    );
    const { rows } = await client.query(
      `WITH told AS (
         SELECT account_id, days, at, dimension, name, ${fields} FROM usage_block JOIN usage_block_sum USING (build)
         WHERE usage_block.key_id = '' AND dimension <> 'named'),
       counted AS (
         SELECT account_id, days, ${start} AS at, dimension, name, count(*) AS requests, sum(input_tokens) AS input_tokens,
           sum(output_tokens) AS output_tokens, coalesce(sum(cost_nano_usd), 0) AS cost_nano_usd
         FROM (SELECT *, ended_at AS at FROM usage_event WHERE NOT cached) AS event CROSS JOIN unnest('{1,4,16,64}'::int[]) AS block (days)
         CROSS JOIN LATERAL (
           VALUES ('key', key_id), ('end_user', end_user), ('session', session), ('agent', agent), ('tagged', CASE WHEN cardinality(tags) > 0 THEN 'any' END)
           UNION SELECT 'tag', unnest(tags)) AS said (dimension, name)
         WHERE name IS NOT NULL GROUP BY 1, 2, 3, 4, 5),
       compared AS (
         SELECT account_id || ', ' || days || ' days from ' || at::text || ', ' || dimension || ' ' || name AS of,
           coalesce((told.requests, told.input_tokens, told.output_tokens, told.cost_nano_usd)::text, 'nothing') AS told,
           coalesce((counted.requests, counted.input_tokens, counted.output_tokens, counted.cost_nano_usd)::text, 'nothing') AS counted
         FROM told FULL JOIN counted USING (account_id, days, at, dimension, name))
       SELECT * FROM compared WHERE told <> counted LIMIT 5`,
    );
    await client.query('ROLLBACK');
    if ((made.rowCount ?? 0) === 0) return ['the load made no block of days'];
    return rows.map((row: unknown) => {
      const { of, told, counted } = difference.parse(row);
      return `block of ${of}: it says ${told}, the events ${counted}`;
    });
  } finally {
    await client.end();
  }
}
