import type { Client } from 'pg';

/** The shape of a simulated past: who used which models, until when, over how long. */
export interface History {
  keys: number;
  models: readonly string[];
  /** The last moment, epoch milliseconds. */
  untilMs: number;
  lengthMs: number;
  /** Events in all of it. */
  events: number;
}

const dayMs = 86_400_000;

/** The id of one of the simulated keys: as long as a real one. */
export function simulatedKey(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** Partitions for every month of the past, as metering makes them ahead of time. */
export async function makePartitions(client: Client, { untilMs, lengthMs }: History): Promise<void> {
  for (const [table, column] of [
    ['usage_event', 'born_at'],
    ['usage_minute', 'at'],
  ])
    for (let at = untilMs - lengthMs - 31 * dayMs; at <= untilMs + 31 * dayMs; at += 27 * dayMs)
      await client.query(`SELECT add_month($1, $2, date_trunc('month', to_timestamp($3) AT TIME ZONE 'UTC')::date)`, [
        table,
        column,
        at / 1_000,
      ]);
}

/**
 * Writes the events numbered [from, to) and their sums, in the order of time, by SQL alone: what a hundred million events leave behind, without the time it
 * takes to live through them. Every key uses every model, a few of them most of the time; sums by minute are written for the last 90 days, as they are kept.
 */
export async function writeHistory(client: Client, history: History, from: number, to: number): Promise<void> {
  const { keys, models, untilMs, lengthMs, events } = history;
  const beganMs = untilMs - lengthMs;
  await client.query(
    `INSERT INTO usage_event (id, born_at, request_id, key_id, account_id, requested_model, model, surface, stream, state, status, estimated,
       input_tokens, output_tokens, cached_input, cache_write_5m, cache_write_1h, reasoning, audio_input, audio_output, attempts,
       started_at, first_token_at, ended_at, lease, reported_by, price_id, cost_nano_usd, recorded_at)
     SELECT (substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, born, 'r' || i,
       key, key, model, model, 'openai-chat', i % 2 = 0, CASE WHEN i % 50 = 0 THEN 'failed' ELSE 'completed' END, 200, false,
       100 + i % 900, i % 700, i % 90, 0, 0, i % 50, 0, 0, '[]',
       born, born + interval '300 milliseconds', born + interval '2 seconds', NULL, 'inference', '00000000-0000-4000-8000-000000000000',
       1000 * (100 + i % 900) + 2000 * (i % 700), born
     FROM (
       SELECT i, to_timestamp(ms / 1000.0) AS born, lpad(to_hex(ms), 12, '0') AS hex,
         -- The square makes the first keys the busiest.
         '00000000-0000-4000-8000-' || lpad((($5::int * ((i * 7919) % 10007)::float8 * ((i * 7919) % 10007) / (10007.0 * 10007.0))::int % $5::int)::text, 12, '0') AS key,
         ($6::text[])[1 + (i * 104729) % cardinality($6::text[])] AS model
       FROM (SELECT i, $3::bigint + (i * $4::float8 / $7::float8)::bigint AS ms FROM generate_series($1::bigint, $2::bigint - 1) AS i) AS moment
     ) AS event`,
    [from, to, beganMs, lengthMs, keys, models, events],
  );
  const timeOf = (number: number) => new Date(beganMs + (number * lengthMs) / events + 2_000);
  await writeSums(client, 'usage_hour', 'hour', timeOf(from), timeOf(to));
  if (timeOf(to).getTime() > untilMs - 90 * dayMs)
    await writeSums(client, 'usage_minute', 'minute', timeOf(from), timeOf(to));
}

/** Histograms are of one bucket: they are as large as real ones, and cost as much to add up. */
async function writeSums(client: Client, table: string, unit: string, from: Date, to: Date): Promise<void> {
  await client.query(
    `INSERT INTO ${table} AS sum (key_id, at, model, provider, account_id, requests, unpriced, input_tokens, output_tokens, cached_input,
       reasoning, failed, cancelled, latency, first_token, cost_nano_usd)
     SELECT CASE WHEN grouping(key_id) = 1 THEN '*' ELSE key_id END, at, model, '', coalesce(key_id, ''), count(*), 0, sum(input_tokens), sum(output_tokens),
       sum(cached_input), sum(reasoning), count(*) FILTER (WHERE state = 'failed'), 0,
       array_fill(0, ARRAY[33]) || count(*) FILTER (WHERE state = 'completed')::int, array_fill(0, ARRAY[25]) || count(*)::int, sum(cost_nano_usd)
     FROM (
       SELECT *, date_trunc('${unit}', ended_at, 'UTC') AS at FROM usage_event
       WHERE ended_at >= $1 AND ended_at < $2 AND born_at >= $1::timestamptz - interval '1 minute' AND born_at < $2
     ) AS event
     GROUP BY GROUPING SETS ((key_id, model, at), (model, at))
     ON CONFLICT (key_id, at, model, provider) DO UPDATE SET requests = sum.requests + excluded.requests,
       input_tokens = sum.input_tokens + excluded.input_tokens, output_tokens = sum.output_tokens + excluded.output_tokens,
       cached_input = sum.cached_input + excluded.cached_input, reasoning = sum.reasoning + excluded.reasoning,
       failed = sum.failed + excluded.failed, latency = add_counts(sum.latency, excluded.latency),
       first_token = add_counts(sum.first_token, excluded.first_token), cost_nano_usd = sum.cost_nano_usd + excluded.cost_nano_usd`,
    [from, to],
  );
}

/** Bytes on disk, with indexes, of the events and of the two tables of sums. */
export async function sizes(client: Client): Promise<{ events: number; minutes: number; hours: number }> {
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
