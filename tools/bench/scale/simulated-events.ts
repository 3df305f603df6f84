import type { Client } from 'pg';
import type { History } from './history';

/**
 * The bucket of metering's histograms that quick and slow requests fall into: bucket n holds times above
 * 10^((n-1)/10) and up to 10^(n/10) milliseconds.
 */
export const buckets = { whole: { quick: 29, slow: 37 }, first: { quick: 23, slow: 30 } } as const;

/** Their times in milliseconds, each within one bucket. */
export const times = `CASE WHEN slow THEN 4000 + number % 1000 ELSE 640 + number % 150 END AS whole,
  CASE WHEN slow THEN 800 + number % 190 ELSE 160 + number % 35 END AS first`;

/**
 * Makes the session's tables: of the attempts that there are, and of simulated events, which is empty again
 * after each transaction.
 */
export async function prepareSimulation(client: Client, { models }: Pick<History, 'models'>): Promise<void> {
  await client.query(
    `CREATE TEMPORARY TABLE simulated_event (number BIGINT, key_id TEXT, account_id TEXT, model TEXT, provider TEXT, state TEXT, slow BOOLEAN,
       input_tokens BIGINT, output_tokens BIGINT, cached_input BIGINT, reasoning BIGINT, cost_nano_usd BIGINT,
       started_at TIMESTAMPTZ(3), first_token_at TIMESTAMPTZ(3), ended_at TIMESTAMPTZ(3),
       end_user TEXT, session TEXT, agent TEXT, tags TEXT[]) ON COMMIT DELETE ROWS`,
  );
  await client.query(
    'CREATE TEMPORARY TABLE simulated_attempts (model TEXT, provider TEXT, slow BOOLEAN, attempts JSONB)',
  );
  for (const model of models)
    for (const slow of [false, true]) {
      const failed = { deployment: model, provider: 'openai', status: 503, error: 'status', latencyMs: 90 };
      const answered = { deployment: model, status: 200, error: null, latencyMs: slow ? 4_000 : 640 };
      for (const [provider, attempts] of [
        ['openai', [{ ...answered, provider: 'openai' }]],
        ['openrouter', [failed, { ...answered, provider: 'openrouter' }]],
      ] as const)
        await client.query('INSERT INTO simulated_attempts VALUES ($1, $2, $3, $4)', [
          model,
          provider,
          slow,
          JSON.stringify(attempts),
        ]);
    }
}

/**
 * Fills it with the events numbered [from, to), whose fields follow from their number alone. Every key uses
 * every model, the first keys most; one in fifty fails, one in seventy is given up on, one in a hundred is
 * answered by a second provider, one in three is slow.
 */
export async function simulateEvents(client: Client, history: History, from: number, to: number): Promise<void> {
  const { keys, models, untilMs, lengthMs, events } = history;
  await client.query(
    `INSERT INTO simulated_event
     SELECT number, key, key, model, provider, state, slow,
       100 + number % 900, number % 700, number % 90, number % 50, 1000 * (100 + number % 900) + 2000 * (number % 700),
       began, CASE WHEN state <> 'failed' THEN began + first * interval '1 millisecond' END, began + whole * interval '1 millisecond'
     FROM (
       SELECT number, to_timestamp(ms / 1000.0) AS began, slow,
         -- The square makes the first keys the busiest.
         '00000000-0000-4000-8000-' || lpad((($5::int * ((number * 7919) % 10007)::float8 * ((number * 7919) % 10007) / (10007.0 * 10007.0))::int % $5::int)::text, 12, '0') AS key,
         ($6::text[])[1 + (number * 104729) % cardinality($6::text[])] AS model,
         CASE number % 100 WHEN 7 THEN 'openrouter' ELSE 'openai' END AS provider,
         CASE WHEN number % 50 = 0 THEN 'failed' WHEN number % 70 = 0 THEN 'cancelled' ELSE 'completed' END AS state,
         ${times}
       FROM (
         SELECT number, $3::bigint + (number * $4::float8 / $7::float8)::bigint AS ms, number / 4 % 3 = 0 AS slow FROM generate_series($1::bigint, $2::bigint - 1) AS number
         OFFSET 0
       ) AS moment OFFSET 0
     ) AS event`,
    [from, to, untilMs - lengthMs, lengthMs, keys, models, events],
  );
}
