import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import type { Reply } from '../operations';
import { anyTag, others } from './slice-changes';

type Difference = Reply<'recount'>['differences'][number];

/**
 * Where the sums of slices by hour or day differ from the events since `from`, rounded up to a whole
 * interval: at most so many. A name counts as told apart where it has sums of its day. `keyId` null: of all
 * keys.
 */
export function sliceDifferences(
  database: Queries<'metering'>,
  unit: 'hour' | 'day',
  { keyId, from, most }: { keyId: string | null; from: Prisma.Sql; most: number },
): Promise<Difference[]> {
  const table = unit === 'hour' ? Prisma.sql`usage_slice_hour` : Prisma.sql`usage_slice_day`;
  const start = Prisma.sql`date_trunc(${unit}, ${from} + ('1 ' || ${unit})::interval - interval '1 millisecond', 'UTC')`;
  const ofKey = keyId === null ? Prisma.empty : Prisma.sql`AND key_id = ${keyId}`;
  return database.$queryRaw<Difference[]>`
    WITH said AS (
      SELECT id, key_id, model, input_tokens, output_tokens, cost_nano_usd, date_trunc(${unit}, ended_at, 'UTC') AS at, said.dimension,
        CASE WHEN EXISTS (
          SELECT FROM usage_slice_day AS day WHERE day.key_id = event.key_id AND day.dimension = said.dimension
            AND day.at = date_trunc('day', ended_at, 'UTC') AND day.name = said.name
        ) THEN said.name ELSE ${others} END AS name
      FROM usage_event AS event CROSS JOIN LATERAL (
        VALUES ('end_user', end_user), ('session', session), ('agent', agent),
          ('tagged', CASE WHEN cardinality(tags) > 0 THEN ${anyTag} END)
        UNION SELECT 'tag', unnest(tags)
      ) AS said (dimension, name)
      WHERE ended_at >= ${start} AND NOT cached AND said.name IS NOT NULL ${ofKey}
    ),
    counted AS (
      SELECT key_id, dimension, at, name, model, count(*) AS requests, count(*) FILTER (WHERE cost_nano_usd IS NULL) AS unpriced,
        sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, coalesce(sum(cost_nano_usd), 0) AS cost_nano_usd
      FROM (
        SELECT DISTINCT id, key_id, dimension, at, name, model, cost_nano_usd, input_tokens, output_tokens FROM said
      ) AS event GROUP BY 1, 2, 3, 4, 5
    ),
    compared AS (
      SELECT key_id, dimension, at, name, model, field.*
      FROM counted c FULL JOIN (SELECT * FROM ${table} WHERE at >= ${start} ${ofKey}) AS s USING (key_id, dimension, at, name, model)
      CROSS JOIN LATERAL (VALUES
        ('requests', c.requests::numeric, s.requests::numeric), ('unpriced', c.unpriced, s.unpriced),
        ('inputTokens', c.input_tokens, s.input_tokens), ('outputTokens', c.output_tokens, s.output_tokens),
        ('costNanoUsd', c.cost_nano_usd, s.cost_nano_usd)
      ) AS field (field, events, rollups)
    )
    SELECT key_id AS "keyId", model,
      ${unit} || ' ' || to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') || ' ' || dimension || ' ' || to_json(name)::text || ' ' || field AS field,
      coalesce(events, 0)::text AS events, coalesce(rollups, 0)::text AS rollups
    FROM compared WHERE coalesce(events, 0) <> coalesce(rollups, 0)
    ORDER BY key_id, dimension, at, name, model LIMIT ${most}`;
}
