import type { meteringOperations } from '@tollgate/contracts/metering';
import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import { blockDifferences, hourDifferences } from '../blocks/block-differences';
import { everybody } from '../ingest/everybody';
import { sliceDifferences } from '../slices/slice-differences';
import type { z } from 'zod';

type Recount = z.output<typeof meteringOperations.recount.reply>;
type Difference = Recount['differences'][number];
interface Totals {
  events: bigint;
  input: bigint;
  output: bigint;
  cost: string;
}

const mostDifferences = 1_000;

/**
 * Counts the events of a key (all keys when null) again, one by one, and compares every minute, hour,
 * quota month and slice that was summed with them; and blocks of days and kept hours with what they were made
 * of.
 * Events before `since` (epoch milliseconds, 0: none) were dropped, so intervals that begin earlier are left
 * out;
 * sums by minute before `minutesSince` were dropped too.
 */
export async function recount(
  database: Queries<'metering'>,
  keyId: string | null,
  since: number,
  minutesSince = since,
): Promise<Recount> {
  const from = Prisma.sql`${new Date(since)}::timestamptz`;
  const fromMinutes = Prisma.sql`${new Date(Math.max(since, minutesSince))}::timestamptz`;
  const events = Prisma.sql`usage_event WHERE ended_at >= ${from} ${ofKey(keyId)}`;
  const [totals] = await database.$queryRaw<Totals[]>`
    SELECT count(*) AS events, coalesce(sum(input_tokens), 0)::bigint AS input, coalesce(sum(output_tokens), 0)::bigint AS output,
      coalesce(sum(cost_nano_usd), 0)::text AS cost FROM ${events}`;
  const differences = [
    ...(await rollupDifferences(database, Prisma.sql`usage_minute`, 'minute', keyId, fromMinutes)),
    ...(await rollupDifferences(database, Prisma.sql`usage_hour`, 'hour', keyId, from)),
    ...(await quotaDifferences(database, keyId, from)),
    ...(await sliceDifferences(database, 'hour', { keyId, from: fromMinutes, most: mostDifferences })),
    ...(await sliceDifferences(database, 'day', { keyId, from, most: mostDifferences })),
    ...(await blockDifferences(database, { keyId, from, fromMinutes, most: mostDifferences })),
    ...(await hourDifferences(database, { keyId, from, most: mostDifferences })),
  ];
  return {
    events: Number(totals?.events ?? 0),
    requests: Number(totals?.events ?? 0),
    inputTokens: Number(totals?.input ?? 0),
    outputTokens: Number(totals?.output ?? 0),
    costNanoUsd: totals?.cost ?? '0',
    differences: differences.slice(0, mostDifferences),
  };
}

function ofKey(keyId: string | null): Prisma.Sql {
  return keyId === null ? Prisma.empty : Prisma.sql`AND key_id = ${keyId}`;
}

/**
 * `since` is rounded up to a whole interval, so that no interval is compared whose events were dropped in
 * part. Rows without a provider may be of a time when only requests, tokens and cost were summed: of these
 * alone the rest is not compared.
 */
function rollupDifferences(
  database: Queries<'metering'>,
  table: Prisma.Sql,
  unit: 'minute' | 'hour',
  keyId: string | null,
  from: Prisma.Sql,
): Promise<Difference[]> {
  const start = Prisma.sql`date_trunc(${unit}, ${from} + ('1 ' || ${unit})::interval - interval '1 millisecond', 'UTC')`;
  return database.$queryRaw<Difference[]>`
    WITH counted AS (
      SELECT CASE WHEN grouping(key_id) = 1 THEN ${everybody} ELSE key_id END AS key_id, model, at, count(*) AS requests,
        count(*) FILTER (WHERE cost_nano_usd IS NULL) AS unpriced, sum(input_tokens) AS input_tokens,
        sum(output_tokens) AS output_tokens, coalesce(sum(cost_nano_usd), 0) AS cost_nano_usd,
        sum(cached_input) AS cached_input, sum(reasoning) AS reasoning,
        count(*) FILTER (WHERE state = 'failed') AS failed, count(*) FILTER (WHERE state = 'cancelled') AS cancelled,
        count(*) FILTER (WHERE cached) AS cached_requests,
        count(*) FILTER (WHERE state = 'completed' AND NOT cached) AS latencies,
        count(first_token_at) FILTER (WHERE NOT cached) AS first_tokens
      FROM (
        SELECT *, date_trunc(${unit}, ended_at, 'UTC') AS at FROM usage_event WHERE ended_at >= ${start} ${ofKey(keyId)}
      ) AS event
      GROUP BY GROUPING SETS ((key_id, model, at) ${keyId === null ? Prisma.sql`, (model, at)` : Prisma.empty})
    ),
    summed AS (
      SELECT key_id, model, at, bool_and(provider <> '') AS detailed, sum(requests) AS requests, sum(unpriced) AS unpriced,
        sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, sum(cost_nano_usd) AS cost_nano_usd,
        sum(cached_input) AS cached_input, sum(reasoning) AS reasoning, sum(failed) AS failed, sum(cancelled) AS cancelled,
        sum(cached_requests) AS cached_requests, sum((SELECT sum(one) FROM unnest(latency) AS one)) AS latencies,
        sum((SELECT sum(one) FROM unnest(first_token) AS one)) AS first_tokens
      FROM ${table} WHERE at >= ${start} ${ofKey(keyId)} GROUP BY 1, 2, 3
    ),
    compared AS (
      SELECT key_id, model, at, coalesce(detailed, true) AS detailed, field.* FROM counted c FULL JOIN summed s USING (key_id, model, at)
      CROSS JOIN LATERAL (VALUES
        ('requests', false, c.requests::numeric, s.requests), ('unpriced', false, c.unpriced, s.unpriced),
        ('inputTokens', false, c.input_tokens, s.input_tokens), ('outputTokens', false, c.output_tokens, s.output_tokens),
        ('costNanoUsd', false, c.cost_nano_usd, s.cost_nano_usd), ('cachedInputTokens', true, c.cached_input, s.cached_input),
        ('reasoningTokens', true, c.reasoning, s.reasoning), ('failed', true, c.failed, s.failed),
        ('cancelled', true, c.cancelled, s.cancelled), ('cachedRequests', true, c.cached_requests, s.cached_requests),
        ('latencies', true, c.latencies, s.latencies),
        ('firstTokens', true, c.first_tokens, s.first_tokens)
      ) AS field (name, detail, events, rollups)
    )
    SELECT key_id AS "keyId", model,
      ${unit} || ' ' || to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') || ' ' || name AS field,
      coalesce(events, 0)::text AS events, coalesce(rollups, 0)::text AS rollups
    FROM compared WHERE coalesce(events, 0) <> coalesce(rollups, 0) AND (detailed OR NOT detail)
    ORDER BY key_id, model, at LIMIT ${mostDifferences}`;
}

/** The quota counts tokens of all models; its differences carry an empty model. */
function quotaDifferences(
  database: Queries<'metering'>,
  keyId: string | null,
  from: Prisma.Sql,
): Promise<Difference[]> {
  const start = Prisma.sql`date_trunc('month', ${from} + interval '1 month' - interval '1 millisecond', 'UTC')`;
  return database.$queryRaw<Difference[]>`
    WITH counted AS (
      SELECT key_id, (date_trunc('month', ended_at, 'UTC') AT TIME ZONE 'UTC')::date AS month, sum(input_tokens + output_tokens) AS tokens
      FROM usage_event WHERE ended_at >= ${start} ${ofKey(keyId)} GROUP BY 1, 2
    ),
    summed AS (SELECT * FROM quota_month WHERE month >= (${start} AT TIME ZONE 'UTC')::date ${ofKey(keyId)})
    SELECT coalesce(c.key_id, s.key_id) AS "keyId", '' AS model,
      'month ' || to_char(coalesce(c.month, s.month), 'YYYY-MM') || ' usedTokens' AS field,
      coalesce(c.tokens, 0)::text AS events, coalesce(s.used_tokens, 0)::text AS rollups
    FROM counted c FULL JOIN summed s ON s.key_id = c.key_id AND s.month = c.month
    WHERE coalesce(c.tokens, 0) <> coalesce(s.used_tokens, 0)
    ORDER BY 1, 3 LIMIT ${mostDifferences}`;
}
