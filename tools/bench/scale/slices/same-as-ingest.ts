import { noUsage, usageEvent } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import type { ControlClient } from '@tollgate/messaging';
import type { NatsConnection } from 'nats';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { minutesSinceMs } from '../history';
import { ingestEvents } from '../ingest-rate';
import { daysOf } from './past';
import type { SlicedPast } from './past';
import { prepareDays, prepareLedger, writeDay } from './write-day';

/**
 * What is compared, and by which columns where not by all. Sums by minute and of slices by hour as long as
 * they are kept.
 */
const tables = {
  usage_event: `id, key_id, account_id, model, state, input_tokens, output_tokens, started_at, first_token_at, ended_at, cost_nano_usd, end_user, session, agent, tags`,
  usage_minute: '*',
  usage_hour: '*',
  usage_slice_hour: '*',
  usage_slice_day: '*',
  usage_slice_names: '*',
} as const;
const names = Object.keys(tables) as (keyof typeof tables)[];
const keptMonths: readonly string[] = ['usage_minute', 'usage_slice_hour'] satisfies (typeof names)[number][];

/**
 * Writes a past into an empty ledger, puts it aside, sends the same events through JetStream to metering,
 * and compares every row. Leaves an empty ledger. Returns how many rows were the same, by table, and how many
 * sums by day of them are of names that are not told apart.
 * @throws Error when one differs.
 */
export async function sameAsIngest(
  database: Client,
  usage: NatsConnection,
  client: ControlClient,
  past: SlicedPast,
): Promise<Record<string, number>> {
  await prepareLedger(database, past);
  await prepareDays(database, past);
  await backdatePrices(database, past);
  for (const day of daysOf(past)) {
    await database.query('BEGIN');
    await writeDay(database, past, day);
    await database.query('COMMIT');
  }
  const events = await storedEvents(database);
  await database.query('CREATE SCHEMA written');
  for (const table of names) await database.query(`CREATE TABLE written.${table} AS SELECT * FROM ${table}`);
  await database.query(`TRUNCATE ${names.join(', ')}`);
  await ingestEvents(usage, client, events);
  const same: Record<string, number> = {};
  for (const table of names) same[table] = await compared(database, table, minutesSinceMs(past));
  const { rows } = await database.query<{ others: number }>(
    `SELECT count(*)::int AS others FROM usage_slice_day WHERE name = ''`,
  );
  same['not told apart'] = rows[0]?.others ?? 0;
  await database.query(`TRUNCATE ${names.join(', ')}, scale_said, quota_month; DROP SCHEMA written CASCADE`);
  return same;
}

/**
 * A new ledger knows its prices since yesterday, and has them a moment after its start; metering reads them
 * again under another revision.
 */
async function backdatePrices(database: Client, { models }: SlicedPast): Promise<void> {
  const backdate = `UPDATE price SET valid_from = '2020-01-01' WHERE model = ANY($1)
    AND valid_from = (SELECT min(valid_from) FROM price AS first WHERE first.model = price.model)`;
  const ids = models.map(({ id }) => id);
  while (((await database.query(backdate, [ids])).rowCount ?? 0) < ids.length) await delay(100);
  await database.query('UPDATE catalog_revision SET revision = revision + 1');
}

/** How many rows both have. @throws Error when one of them has another one. */
async function compared(database: Client, table: (typeof names)[number], minutesMs: number): Promise<number> {
  const rows = (schema: string) =>
    `SELECT ${tables[table]} FROM ${schema}.${table} ${keptMonths.includes(table) ? `WHERE at >= to_timestamp(${minutesMs / 1_000})` : ''}`;
  const { rows: different } = await database.query<{ row: string; by: string }>(
    `SELECT * FROM (SELECT 'the bench' AS by, w::text AS row FROM (${rows('written')} EXCEPT ALL ${rows('public')}) AS w LIMIT 5) AS written
     UNION ALL SELECT * FROM (SELECT 'metering', i::text FROM (${rows('public')} EXCEPT ALL ${rows('written')}) AS i LIMIT 5) AS ingested`,
  );
  if (different.length > 0)
    throw new Error(`${table} differs:\n${different.map(({ by, row }) => `${by}: ${row}`).join('\n')}`);
  const { rows: counted } = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (${rows('public')}) AS one`,
  );
  return counted[0]?.count ?? 0;
}

/** The events of the ledger in their order, as inference would report them. */
async function storedEvents(database: Client): Promise<UsageEvent[]> {
  const { rows } = await database.query<{ event: unknown; input: number; output: number }>(
    `SELECT input_tokens::int AS input, output_tokens::int AS output, jsonb_strip_nulls(jsonb_build_object('attribution', nullif(jsonb_strip_nulls(jsonb_build_object(
         'endUser', end_user, 'session', session, 'agent', agent, 'tags', tags)), '{}'))) || jsonb_build_object(
       'id', id, 'requestId', request_id, 'keyId', key_id, 'accountId', account_id, 'requestedModel', requested_model, 'model', model,
       'surface', surface, 'stream', stream, 'state', state, 'status', status, 'estimated', estimated, 'attempts', attempts,
       'startedAt', extract(epoch FROM started_at) * 1000, 'firstTokenAt', extract(epoch FROM first_token_at) * 1000,
       'endedAt', extract(epoch FROM ended_at) * 1000, 'lease', lease, 'reportedBy', reported_by) AS event
     FROM usage_event ORDER BY substr(request_id, 2)::bigint`,
  );
  return rows.map(({ event, input, output }) =>
    usageEvent.parse({ ...Object(event), usage: { ...noUsage, input, output } }),
  );
}
