import type { Client } from 'pg';

/** Bytes on disk, with indexes. */
export interface Sizes {
  events: number;
  minutes: number;
  hours: number;
}

/** The disk that events and the two tables of sums take. */
export async function sizes(client: Client): Promise<Sizes> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `SELECT parent AS name, sum(pg_total_relation_size(relid))::text AS bytes
     FROM unnest(ARRAY['usage_event', 'usage_minute', 'usage_hour']) AS parent, pg_partition_tree(parent::regclass) AS part
     GROUP BY parent
     UNION ALL SELECT 'usage_hour', pg_total_relation_size('usage_hour')::text`,
  );
  const bytesOf = (name: string) =>
    Math.max(...rows.filter((row) => row.name === name).map(({ bytes }) => Number(bytes)));
  return { events: bytesOf('usage_event'), minutes: bytesOf('usage_minute'), hours: bytesOf('usage_hour') };
}
