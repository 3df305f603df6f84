import type { Client } from 'pg';
import { makePartitions, minutesSinceMs, writeEvents } from '../history';
import { prepareSimulation } from '../simulated-events';
import { writeSums } from '../write-sums';
import { rawSinceMs } from './past';
import type { PastDay, SlicedPast } from './past';
import { simulateDay } from './simulate-day';

/** As metering has it: so many names of a key, dimension and day have sums of their own. */
const mostNames = 1_000;

/**
 * Makes the partitions of a ledger, and the table of the bench: what events said, counted apart. Before any
 * session writes days: two that make a table at the same time fail.
 */
export async function prepareLedger(client: Client, past: SlicedPast): Promise<void> {
  await makePartitions(client, past);
  await client.query(
    `CREATE TABLE IF NOT EXISTS scale_said (account_id TEXT, at TIMESTAMPTZ(3), dimension TEXT, requests BIGINT, input_tokens BIGINT,
       output_tokens BIGINT, cost_nano_usd NUMERIC(38, 0), PRIMARY KEY (account_id, at, dimension))`,
  );
}

/** Makes the session's tables. */
export async function prepareDays(client: Client, { models }: SlicedPast): Promise<void> {
  // Without triggers: all of it is late usage.
  await client.query(
    'SET synchronous_commit = off; SET work_mem = 262144; SET jit = off; SET session_replication_role = replica',
  );
  await prepareSimulation(client, { models: models.map(({ id }) => id) });
  await client.query(
    `CREATE TEMPORARY TABLE simulated_name (number BIGINT, key_id TEXT, dimension TEXT, name TEXT, place BIGINT) ON COMMIT DELETE ROWS;
     CREATE TEMPORARY TABLE simulated_slice (key_id TEXT, dimension TEXT, at TIMESTAMPTZ(3), name TEXT, model TEXT, requests BIGINT,
       input_tokens BIGINT, output_tokens BIGINT, cost_nano_usd NUMERIC(38, 0)) ON COMMIT DELETE ROWS`,
  );
}

/**
 * Writes what a day's events leave behind in what reports read, as metering would have: sums by hour, and of
 * slices by day and, where these are kept, by hour; of the last days also the events themselves and their
 * sums by minute. Belongs into one transaction. The session needs `prepareDays`.
 */
export async function writeDay(client: Client, past: SlicedPast, day: PastDay): Promise<void> {
  await simulateDay(client, past, day);
  await writeSums(client, 'hour', day.startMs);
  if (day.startMs >= rawSinceMs(past)) {
    await writeEvents(client);
    await writeSums(client, 'minute', day.startMs);
  }
  await writeSlices(client, day.startMs >= minutesSinceMs(past));
  await client.query(
    `INSERT INTO scale_said
     SELECT account_id, date_trunc('day', ended_at, 'UTC'), dimension, count(*), sum(input_tokens), sum(output_tokens), sum(cost_nano_usd)
     FROM simulated_event CROSS JOIN LATERAL (
       VALUES ('all', true), ('end_user', end_user IS NOT NULL), ('session', session IS NOT NULL), ('agent', agent IS NOT NULL), ('tag', tags IS NOT NULL)
     ) AS said (dimension, is_said) WHERE is_said GROUP BY 1, 2, 3`,
  );
}

/** By the rules of decision 0030: names in the order in which they are first said, the rest of a day is one. */
async function writeSlices(client: Client, areHoursKept: boolean): Promise<void> {
  await client.query(
    `INSERT INTO simulated_name
     SELECT number, key_id, dimension, name, place FROM simulated_event CROSS JOIN LATERAL (
       VALUES ('end_user', end_user, 0), ('session', session, 0), ('agent', agent, 0), ('tagged', CASE WHEN cardinality(tags) > 0 THEN 'any' END, 0)
       UNION ALL SELECT 'tag', tag, place FROM unnest(tags) WITH ORDINALITY AS said (tag, place)
     ) AS said (dimension, name, place) WHERE name IS NOT NULL`,
  );
  await client.query(
    `INSERT INTO simulated_slice
     WITH first AS (
       SELECT key_id, dimension, name, row_number() OVER (PARTITION BY key_id, dimension ORDER BY min(ARRAY[number, place])) AS place
       FROM simulated_name GROUP BY key_id, dimension, name
     ),
     said AS (
       SELECT number, key_id, dimension, name FROM simulated_name JOIN first USING (key_id, dimension, name) WHERE first.place <= ${mostNames}
       UNION ALL
       SELECT DISTINCT number, key_id, dimension, '' FROM simulated_name JOIN first USING (key_id, dimension, name) WHERE first.place > ${mostNames}
     )
     SELECT said.key_id, dimension, date_trunc('hour', ended_at, 'UTC'), name, model, count(*), sum(input_tokens), sum(output_tokens), sum(cost_nano_usd)
     FROM said JOIN simulated_event USING (number) GROUP BY 1, 2, 3, 4, 5`,
  );
  const columns = 'key_id, dimension, at, name, model, requests, unpriced, input_tokens, output_tokens, cost_nano_usd';
  if (areHoursKept)
    await client.query(
      `INSERT INTO usage_slice_hour (${columns})
       SELECT key_id, dimension, at, name, model, requests, 0, input_tokens, output_tokens, cost_nano_usd FROM simulated_slice ORDER BY 1, 2, 3, 4, 5`,
    );
  await client.query(
    `INSERT INTO usage_slice_day (${columns})
     SELECT key_id, dimension, date_trunc('day', at, 'UTC'), name, model, sum(requests), 0, sum(input_tokens), sum(output_tokens), sum(cost_nano_usd)
     FROM simulated_slice GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`,
  );
  await client.query(
    `INSERT INTO usage_slice_names
     SELECT key_id, dimension, date_trunc('day', at, 'UTC'), count(DISTINCT name) FILTER (WHERE name <> '') FROM simulated_slice GROUP BY 1, 2, 3`,
  );
}
