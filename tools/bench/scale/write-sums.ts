import type { Client } from 'pg';
import { buckets } from './simulated-events';

/**
 * Adds the simulated events that ended since a time (epoch milliseconds) to their sums by hour or minute, as
 * metering would have: of each key and of all.
 */
export async function writeSums(client: Client, unit: 'hour' | 'minute', sinceMs: number): Promise<void> {
  await client.query(
    `INSERT INTO usage_${unit} AS sum (key_id, at, model, provider, account_id, requests, unpriced, input_tokens, output_tokens, cached_input,
       reasoning, failed, cancelled, latency, first_token, streamed_tokens, streamed_ms, cost_nano_usd)
     SELECT coalesce(key_id, '*'), at, model, provider, coalesce(account_id, ''), requests, 0, input_tokens, output_tokens, cached_input, reasoning, failed, cancelled,
       ${histogram('whole')}, ${histogram('first')}, streamed_tokens, streamed_ms, cost_nano_usd
     FROM (
       SELECT key_id, account_id, at, model, provider, count(*) AS requests, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
         sum(cached_input) AS cached_input, sum(reasoning) AS reasoning,
         count(*) FILTER (WHERE state = 'failed') AS failed, count(*) FILTER (WHERE state = 'cancelled') AS cancelled,
         count(*) FILTER (WHERE state = 'completed' AND NOT slow)::int AS whole_quick, count(*) FILTER (WHERE state = 'completed' AND slow)::int AS whole_slow,
         count(first_token_at) FILTER (WHERE NOT slow)::int AS first_quick, count(first_token_at) FILTER (WHERE slow)::int AS first_slow,
         coalesce(sum(output_tokens) FILTER (WHERE ${isStreamed}), 0) AS streamed_tokens,
         coalesce(sum(extract(epoch FROM ended_at - first_token_at) * 1000) FILTER (WHERE ${isStreamed}), 0)::bigint AS streamed_ms,
         sum(cost_nano_usd) AS cost_nano_usd
       FROM (SELECT *, date_trunc('${unit}', ended_at, 'UTC') AS at FROM simulated_event WHERE ended_at >= to_timestamp($1)) AS event
       GROUP BY GROUPING SETS ((key_id, account_id, at, model, provider), (at, model, provider))
     ) AS counted
     ON CONFLICT (key_id, at, model, provider) DO UPDATE SET requests = sum.requests + excluded.requests,
       input_tokens = sum.input_tokens + excluded.input_tokens, output_tokens = sum.output_tokens + excluded.output_tokens,
       cached_input = sum.cached_input + excluded.cached_input, reasoning = sum.reasoning + excluded.reasoning,
       failed = sum.failed + excluded.failed, cancelled = sum.cancelled + excluded.cancelled, latency = add_counts(sum.latency, excluded.latency),
       first_token = add_counts(sum.first_token, excluded.first_token), streamed_tokens = sum.streamed_tokens + excluded.streamed_tokens,
       streamed_ms = sum.streamed_ms + excluded.streamed_ms, cost_nano_usd = sum.cost_nano_usd + excluded.cost_nano_usd`,
    [sinceMs / 1_000],
  );
}

/** As metering has it: each of these took longer than 100 ms after its first content. */
const isStreamed = "state = 'completed' AND first_token_at IS NOT NULL AND reasoning = 0";

/**
 * SQL of the histogram of the quick and the slow that were counted, from its first bucket to its last that
 * counted something.
 */
function histogram(name: keyof typeof buckets): string {
  const { quick, slow } = buckets[name];
  return `CASE
    WHEN ${name}_quick + ${name}_slow = 0 THEN '{}'
    WHEN ${name}_slow = 0 THEN array_fill(${name}_quick, '{1}', '{${quick + 1}}')
    WHEN ${name}_quick = 0 THEN array_fill(${name}_slow, '{1}', '{${slow + 1}}')
    ELSE array_fill(${name}_quick, '{1}', '{${quick + 1}}') || array_fill(0, '{${slow - quick - 1}}') || ${name}_slow END`;
}
