import type { Client } from 'pg';
import { times } from '../simulated-events';
import { dayMs } from './past';
import type { PastDay, SlicedPast } from './past';

const agents = ['claude-code', 'codex', 'cline', 'opencode', 'aider', 'roo-code'];
/** Requests of one session of an agent, about. */
const requestsOfSession = 12;

/** A number in [0, 1) that follows from the event's. */
const drawn = (seed: number) => `(hashint8extended(number, ${seed}) & 2147483647) / 2147483648.0`;

/**
 * Fills the session's table with the events of a day, whose fields follow from their number and day alone.
 * The first keys are the busiest, the first accounts have the most keys. Of three keys one is of an
 * application that tells its end users and one tag, one of agents with their sessions, and one has two tags
 * of which one differs. One request in ten says nothing. One in fifty fails, one in seventy is given up on,
 * one in a hundred is answered by a second provider, one in three is slow.
 */
export async function simulateDay(client: Client, past: SlicedPast, day: PastDay): Promise<void> {
  const { keys, accounts, endUsers, models } = past;
  const perDay = ((day.to - day.from) * dayMs) / (day.endMs - day.startMs);
  await client.query(
    `INSERT INTO simulated_event
     SELECT number, key_id, account_id, models[model], provider, state, slow, input, output, 0, 0,
       (input * input_pico[model] + output * output_pico[model] + 500) / 1000,
       ended - whole * interval '1 millisecond', CASE WHEN state <> 'failed' THEN ended + (first - whole) * interval '1 millisecond' END, ended,
       CASE WHEN kind = 0 THEN 'user-' || key || '-' || floor(users * draw * draw) END,
       CASE WHEN kind = 1 THEN 'session-' || key || '-' || $1::bigint || '-' || session END,
       CASE WHEN kind = 1 THEN ($2::text[])[1 + (key + session) % cardinality($2::text[])] END,
       CASE kind WHEN 0 THEN ARRAY[CASE WHEN number % 8 = 0 THEN 'env:staging' ELSE 'env:production' END]
         WHEN 2 THEN ARRAY['team:' || key % 50, 'feature:' || key || '-' || floor(20 * draw)] END
     FROM (
       SELECT *, 100 + number % 900 AS input, number % 700 AS output,
         1 + (key + CASE WHEN $14 THEN floor(cardinality(models) * model_draw)::int WHEN number % 4 = 0 THEN 1 ELSE 0 END) % cardinality(models) AS model,
         CASE WHEN number % 10 <> 3 THEN key % 3 END AS kind,
         '00000000-0000-4000-8000-' || lpad(key::text, 12, '0') AS key_id,
         '00000000-0000-4000-9000-' || lpad(floor($3::int * ((key * 7919) % $4::int / $4::float8) ^ 2)::text, 12, '0') AS account_id,
         greatest(10, floor($5::float8 * (sqrt((key / 3 + 1) * 3 / $4::float8) - sqrt(key / 3 * 3 / $4::float8)))) AS users,
         floor(share * greatest(1, $6::float8 * (sqrt((key + 1) / $4::float8) - sqrt(key / $4::float8)) / ${requestsOfSession}))::int AS session
       FROM (
         SELECT number, number / 4 % 3 = 0 AS slow, ${times}, $7::text[] AS models, $8::bigint[] AS input_pico, $9::bigint[] AS output_pico,
           to_timestamp(($10::bigint + (number - $11::bigint) * $12::bigint / ($13::bigint - $11::bigint)) / 1000.0) AS ended,
           (number - $11::bigint)::float8 / ($13::bigint - $11::bigint) AS share,
           floor($4::int * (${drawn(1)}) ^ 2)::int AS key, ${drawn(2)} AS draw, ${drawn(3)} AS model_draw,
           CASE number % 100 WHEN 7 THEN 'openrouter' ELSE 'openai' END AS provider,
           CASE WHEN number % 50 = 0 THEN 'failed' WHEN number % 70 = 0 THEN 'cancelled' ELSE 'completed' END AS state
         FROM (SELECT number, number / 4 % 3 = 0 AS slow FROM generate_series($11::bigint, $13::bigint - 1) AS number OFFSET 0) AS numbered
         OFFSET 0
       ) AS drawn OFFSET 0
     ) AS event`,
    [
      day.startMs,
      agents,
      accounts,
      keys,
      endUsers,
      perDay,
      models.map(({ id }) => id),
      models.map(({ inputPico }) => inputPico),
      models.map(({ outputPico }) => outputPico),
      day.startMs,
      day.from,
      day.endMs - day.startMs,
      day.to,
      day.isBusy,
    ],
  );
}
