import type { Client } from 'pg';
import { simulateEvents } from './simulated-events';
import { writeSums } from './write-sums';

/**
 * The shape of a simulated past: who used which models, until when, over how long. The same shape is the same
 * past, to the last event.
 */
export interface History {
  keys: number;
  models: string[];
  /** The last moment, epoch milliseconds. */
  untilMs: number;
  lengthMs: number;
  /** Events in all of it. */
  events: number;
}

const dayMs = 86_400_000;
/** Months before the last one whose sums by minute are written: what metering keeps. */
const minuteMonths = 3;

/** The id of one of the simulated keys: as long as a real one. */
export function simulatedKey(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** Partitions for every month of the past, as metering makes them ahead of time. */
export async function makePartitions(client: Client, history: Pick<History, 'untilMs' | 'lengthMs'>): Promise<void> {
  const { untilMs, lengthMs } = history;
  for (const [table, column, sinceMs] of [
    ['usage_event', 'born_at', untilMs - lengthMs - dayMs],
    ['usage_minute', 'at', minutesSinceMs(history)],
    ['usage_slice_hour', 'at', minutesSinceMs(history)],
  ] as const)
    await client.query(
      `SELECT add_month($1, $2, month::date) FROM generate_series(
         date_trunc('month', to_timestamp($3) AT TIME ZONE 'UTC'), to_timestamp($4) AT TIME ZONE 'UTC', interval '1 month') AS month`,
      [table, column, sinceMs / 1_000, untilMs / 1_000],
    );
}

/**
 * Writes the events numbered [from, to) and adds them to all sums, in the order of time, by SQL alone: what a
 * hundred million events leave behind, without the time it takes to live through them. Belongs into one
 * transaction. The session needs `prepareSimulation`.
 */
export async function writeHistory(client: Client, history: History, from: number, to: number): Promise<void> {
  await simulateEvents(client, history, from, to);
  await writeEvents(client);
  await writeSums(client, 'hour', history.untilMs - history.lengthMs);
  await writeSums(client, 'minute', minutesSinceMs(history));
  await client.query(
    `INSERT INTO quota_month AS sum (key_id, month, used_tokens)
     SELECT key_id, date_trunc('month', ended_at AT TIME ZONE 'UTC')::date, sum(input_tokens + output_tokens) FROM simulated_event GROUP BY 1, 2 ORDER BY 1, 2
     ON CONFLICT (key_id, month) DO UPDATE SET used_tokens = sum.used_tokens + excluded.used_tokens`,
  );
}

/** Writes the simulated events themselves. */
export async function writeEvents(client: Client): Promise<void> {
  await client.query(
    `INSERT INTO usage_event (id, born_at, request_id, key_id, account_id, requested_model, model, surface, stream, state, status, estimated,
       input_tokens, output_tokens, cached_input, cache_write_5m, cache_write_1h, reasoning, audio_input, audio_output, attempts,
       started_at, first_token_at, ended_at, lease, reported_by, price_id, cost_nano_usd, recorded_at, end_user, session, agent, tags)
     SELECT (lpad(to_hex((extract(epoch FROM started_at) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(number), 12, '0'))::uuid, started_at, 'r' || number, key_id, account_id, model, model, 'openai-chat', number % 2 = 0, state, 200, false,
       input_tokens, output_tokens, cached_input, 0, 0, reasoning, 0, 0, attempts,
       started_at, first_token_at, ended_at, NULL, 'inference', '00000000-0000-4000-8000-000000000000', cost_nano_usd, ended_at, end_user, session, agent, tags
     FROM simulated_event JOIN simulated_attempts USING (model, provider, slow)`,
  );
}

/** The start of the oldest month whose sums by minute, and of slices by hour, are kept: epoch milliseconds. */
export function minutesSinceMs({ untilMs }: Pick<History, 'untilMs'>): number {
  const until = new Date(untilMs);
  return Date.UTC(until.getUTCFullYear(), until.getUTCMonth() - minuteMonths);
}
