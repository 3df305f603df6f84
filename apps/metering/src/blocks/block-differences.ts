import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import { isFresh, ofNewEdition, ofOwnersEdition } from './cut-into-blocks';
import { isOfItsRows, isOfRowsOfModel } from './ended-hours';
import { everybody } from '../ingest/everybody';
import type { Reply } from '../operations';

type Difference = Reply<'recount'>['differences'][number];

const isCharted = Prisma.sql`days = 1 AND usage_block.key_id IN ('', ${everybody})`;
/** Of charts, with how many times there are in the histograms in the place of what is unpriced. */
const chartSums = Prisma.sql`sum(requests), sum((SELECT coalesce(sum(one), 0) FROM unnest(latency || first_token) AS one)), sum(input_tokens), sum(output_tokens), sum(cost_nano_usd)`;

const sums = Prisma.sql`requests, unpriced, input_tokens, output_tokens, cost_nano_usd`;
const ofModel = Prisma.sql`dimension || ' of ' || model`;
/** Each point of those that are written, with all of its text in the place of what is unpriced. */
const ofPoint = Prisma.sql`'points of ' || dimension || ' until minute ' || until || ' of day ' || split_part(point, '/', 1), concat_ws(' ', name, model, provider),
  split_part(point, '/', 2)::bigint, hashtextextended(point, 0), split_part(point, '/', 7)::bigint, split_part(point, '/', 8)::bigint, split_part(point, '/', 13)::numeric`;
const each = Prisma.sql`CROSS JOIN LATERAL unnest(string_to_array(points, '|')) AS point`;
/** Of a key in an account, with nothing in the place of tokens. */
const ofOwner = Prisma.sql`'owner of ' || used.model, concat_ws(' ', used.key, used.account), used.requests, 0, 0, 0, used.cost`;
const ofLine = Prisma.sql`'line of ' || dimension || ' of ' || until || ' hours', concat_ws(' ', name, model, provider)`;

/**
 * Where blocks of days since `from` that count differ from the rows that they were made of: at most so many.
 * `keyId` null: of all keys, and of accounts, whose differences have an empty `keyId`. What is made of rows
 * by minute is compared since `fromMinutes`.
 */
export function blockDifferences(
  database: Queries<'metering'>,
  { keyId, from, fromMinutes, most }: { keyId: string | null; from: Prisma.Sql; fromMinutes: Prisma.Sql; most: number },
): Promise<Difference[]> {
  const ofKey = keyId === null ? Prisma.empty : Prisma.sql`AND key_id = ${keyId}`;
  const isWritten = Prisma.sql`edition >= 3 AND usage_block.key_id IN ('', ${everybody}) AND (days = 16 OR days = 1 AND at >= ${fromMinutes})`;
  return database.$queryRaw<Difference[]>`
    WITH compared AS (
      SELECT usage_block.*, of.dimension, of.name, of.field, of.events, of.rollups
      FROM usage_block CROSS JOIN LATERAL (
        SELECT dimension, name, field.*
        FROM (
          SELECT * FROM usage_block_rows(account_id, key_id, at, at + days * interval '24 hours')
          UNION ALL SELECT 'chart', model || ' ' || provider, ${chartSums}
          FROM usage_block_hours(account_id, key_id, at, at + interval '24 hours') WHERE ${isCharted} GROUP BY model, provider
          UNION ALL SELECT ${ofModel}, name, ${sums} FROM usage_block_model_rows(account_id, key_id, at, at + days * interval '24 hours') WHERE ${ofNewEdition}
          UNION ALL SELECT ${ofLine}, ${chartSums} FROM usage_block_lines(account_id, key_id, at) WHERE ${ofNewEdition} AND ${isCharted} GROUP BY 1, 2
          UNION ALL SELECT ${ofOwner} FROM usage_block_owner_rows(at, at + days * interval '24 hours') AS used WHERE ${ofOwnersEdition}
          UNION ALL SELECT ${ofPoint} FROM usage_block_cuts(build, account_id, key_id, at) ${each} WHERE ${isWritten} AND days = 1
          UNION ALL SELECT ${ofPoint} FROM usage_block_sheets(build, account_id, key_id, at) ${each} WHERE ${isWritten} AND days = 16
        ) AS r
        FULL JOIN (
          SELECT dimension, name, requests, unpriced, input_tokens, output_tokens, cost_nano_usd FROM usage_block_sum WHERE build = usage_block.build
          UNION ALL SELECT 'chart', model || ' ' || provider, ${chartSums} FROM usage_block_chart WHERE build = usage_block.build GROUP BY model, provider
          UNION ALL SELECT ${ofModel}, name, ${sums} FROM usage_block_model_sum WHERE build = usage_block.build
          UNION ALL SELECT ${ofLine}, ${chartSums} FROM usage_block_line WHERE build = usage_block.build GROUP BY 1, 2
          UNION ALL SELECT ${ofOwner} FROM (
            SELECT one.model, place.* FROM usage_block_owners AS one CROSS JOIN LATERAL unnest(one.keys, one.accounts, one.requests, one.costs) AS place (key, account, requests, cost)
            WHERE one.build = usage_block.build
          ) AS used WHERE ${ofOwnersEdition}
          UNION ALL SELECT ${ofPoint} FROM usage_block_points ${each} WHERE build = usage_block.build AND ${isWritten}
        ) AS s USING (dimension, name)
        CROSS JOIN LATERAL (VALUES
          ('requests', r.requests::numeric, s.requests::numeric), ('unpriced', r.unpriced, s.unpriced),
          ('inputTokens', r.input_tokens, s.input_tokens), ('outputTokens', r.output_tokens, s.output_tokens),
          ('costNanoUsd', r.cost_nano_usd, s.cost_nano_usd)
        ) AS field (field, events, rollups)
      ) AS of
      WHERE ${isFresh} AND at >= ${from} ${ofKey}
    )
    SELECT key_id AS "keyId", '' AS model,
      'block of ' || account_id || ' ' || to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') || ' ' || days || ' days '
        || dimension || ' ' || to_json(name)::text || ' ' || field AS field,
      coalesce(events, 0)::text AS events, coalesce(rollups, 0)::text AS rollups
    FROM compared WHERE coalesce(events, 0) <> coalesce(rollups, 0)
    ORDER BY account_id, key_id, days, at, dimension, name LIMIT ${most}`;
}

/** The same of the hours that are kept, of all models (told with an empty one) and of each. */
export function hourDifferences(
  database: Queries<'metering'>,
  { keyId, from, most }: { keyId: string | null; from: Prisma.Sql; most: number },
): Promise<Difference[]> {
  const ofKey = keyId === null ? Prisma.empty : Prisma.sql`AND key_id = ${keyId}`;
  return database.$queryRaw<Difference[]>`
    WITH compared AS (
      SELECT made.model, made.at, made.hours, key_id, field.* FROM (
        SELECT '' AS model, at, hours, keys, accounts, requests, costs FROM usage_ended_hours AS made WHERE ${isOfItsRows}
        UNION ALL SELECT model, at, hours, keys, accounts, requests, costs FROM usage_ended_owners AS made WHERE ${isOfRowsOfModel}
      ) AS made CROSS JOIN LATERAL (
        SELECT key_id, r.requests AS counted, s.requests AS kept, r.cost AS counted_cost, s.cost AS kept_cost FROM (
          SELECT key_id, account_id, sum(requests - cached_requests) AS requests, sum(cost_nano_usd) AS cost
          FROM usage_hour AS hour WHERE hour.at >= made.at AND hour.at < made.at + made.hours * interval '1 hour' AND key_id <> ${everybody}
            AND made.model IN ('', hour.model) GROUP BY key_id, account_id
        ) AS r
        FULL JOIN unnest(made.keys, made.accounts, made.requests, made.costs) AS s (key_id, account_id, requests, cost) USING (key_id, account_id)
      ) AS one
      CROSS JOIN LATERAL (VALUES ('requests', counted, kept), ('costNanoUsd', counted_cost, kept_cost)) AS field (name, events, rollups)
      WHERE made.at >= ${from} ${ofKey}
    )
    SELECT key_id AS "keyId", model, 'kept hours ' || to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') || ' ' || hours || ' ' || name AS field,
      coalesce(events, 0)::text AS events, coalesce(rollups, 0)::text AS rollups
    FROM compared WHERE coalesce(events, 0) <> coalesce(rollups, 0) ORDER BY key_id, model, at, hours, name LIMIT ${most}`;
}
