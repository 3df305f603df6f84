import type { SlicedWindow, UsageEvent } from '@tollgate/contracts';
import { Client } from 'pg';
import { EventMonths } from '../partitions/event-months';
import { recount } from '../reports/recount';
import { slicedWindowOf } from '../slices/slices-report';
import { makeEvent } from '../testing/make-event';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { UsageBlocks } from './usage-blocks';

const dayMs = 86_400_000;
/** The start of a block of 64 days, which ended long ago. */
const startAt = 312 * 64 * dayMs;
const endAt = startAt + 64 * dayMs;

let env: MeteringDatabase;
let sessions: Client[] = [];
beforeEach(async () => {
  env = await startMeteringDatabase();
});
afterEach(async () => {
  await Promise.all(sessions.map((session) => session.end()));
  sessions = [];
  await env.stop();
});

/** Makes those of days that ended a week after the 64 days, and those stale that rested. */
async function makeBlocks(restMs = 0): Promise<void> {
  const now = () => endAt + 7 * dayMs;
  const months = new EventMonths(env.databases, { retentionMonths: null }, now);
  while (await new UsageBlocks(env.databases, months, now, 1, restMs).run());
}

/** Another process's connection. */
async function session(): Promise<Client> {
  const client = new Client({ connectionString: env.postgres.url });
  await client.connect();
  sessions.push(client);
  return client;
}

async function staleBlocks() {
  const builds = await env.database.usageBlockStale.groupBy({ by: ['build'] });
  return env.database.usageBlock.findMany({ where: { build: { in: builds.map(({ build }) => build) } } });
}

function slicesOf(): Promise<SlicedWindow> {
  return slicedWindowOf(
    env.database,
    { startAt, endAt, accountId: 'account-1', dimension: 'end_user', most: 1_000 },
    0,
  );
}

function lateEvent(change: Partial<Parameters<typeof makeEvent>[0]> = {}): UsageEvent {
  const endedAt = startAt + 20.5 * dayMs;
  return makeEvent({ keyId: 'key-1', accountId: 'account-1', endedAt, attribution: { endUser: 'late' }, ...change });
}

describe('blocks of days whose rows change', () => {
  it('take a bounded number of locks where late usage of thousands of accounts is stored at once', async () => {
    const late = await session();
    await late.query('BEGIN');
    await late.query(
      `INSERT INTO usage_hour (key_id, account_id, at, model, requests, unpriced, input_tokens, output_tokens, cost_nano_usd)
       SELECT 'key-' || n, 'account-' || n, $1, 'm', 1, 0, 5, 6, 7 FROM generate_series(1, 3000) AS n`,
      [new Date(startAt)],
    );
    const { rows } = await late.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`,
    );
    expect(rows[0]?.n).toBeLessThanOrEqual(256);
  });

  it('are outdated by rows that are moved to them, and by all rows being removed', async () => {
    await env.newIngest().ingest([lateEvent(), lateEvent({ endedAt: startAt + 40.5 * dayMs })]);
    await makeBlocks();
    const changer = await session();
    await changer.query(`UPDATE usage_hour SET at = at + interval '21 days' WHERE key_id = 'key-1' AND at < $1`, [
      new Date(startAt + 30 * dayMs),
    ]);
    // Of one, four and 16 days where it was; of four and 16 where it is, of which there is no day; and of 64.
    const ofAccount = async () => (await staleBlocks()).filter(({ keyId }) => keyId === '');
    expect(await ofAccount()).toHaveLength(6);
    await makeBlocks();
    expect(await staleBlocks()).toEqual([]);
    await changer.query('TRUNCATE usage_hour');
    expect(await env.database.usageBlock.count()).toBe(0);
    expect(await env.database.usageBlockSum.count()).toBe(0);
  });

  it('are made anew at most once in a time that grows with their days, and others are not kept waiting', async () => {
    await env.newIngest().ingest([lateEvent(), lateEvent({ endedAt: startAt + 30.5 * dayMs })]);
    await makeBlocks();
    await env.newIngest().ingest([lateEvent()]);
    await (await session()).query(`UPDATE usage_block_stale SET since = since - interval '20 minutes'`);
    await makeBlocks(60_000);
    expect((await staleBlocks()).map(({ days }) => days)).toEqual([64, 64]);
    expect((await slicesOf()).totals.requests).toBe(3);
    await makeBlocks();
    expect(await staleBlocks()).toEqual([]);
  });

  it('that take too long keep no others from being made, and are tried again', async () => {
    await env
      .newIngest()
      .ingest(
        [0, 1, 2, 3, 4].flatMap((part) => [
          lateEvent({ endedAt: startAt + part * 13 * dayMs }),
          lateEvent({ endedAt: startAt + part * 12 * dayMs, keyId: 'key-2', accountId: 'account-2' }),
        ]),
      );
    const before = await slicesOf();
    const other = await session();
    await other.query('ALTER FUNCTION make_usage_block RENAME TO make_block_in_time');
    await other.query(`
      CREATE FUNCTION make_usage_block(account TEXT, key TEXT, length INTEGER, start TIMESTAMPTZ) RETURNS BOOLEAN LANGUAGE plpgsql AS $$ BEGIN
        IF account = 'account-1' AND length = 4 THEN RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014'; END IF;
        RETURN make_block_in_time(account, key, length, start);
      END $$`);
    await makeBlocks();
    expect(await env.database.usageBlock.count({ where: { days: 4, accountId: 'account-2' } })).toBeGreaterThan(0);
    expect(await env.database.usageBlock.count({ where: { days: 64, accountId: 'account-1', keyId: '' } })).toBe(1);
    expect((await staleBlocks()).every(({ days, accountId }) => days === 4 && accountId === 'account-1')).toBe(true);
    expect(await slicesOf()).toEqual(before);
    await other.query('DROP FUNCTION make_usage_block');
    await other.query('ALTER FUNCTION make_block_in_time RENAME TO make_usage_block');
    await makeBlocks();
    expect(await staleBlocks()).toEqual([]);
    expect(await slicesOf()).toEqual(before);
    expect((await recount(env.database, null, 0)).differences).toEqual([]);
  });

  it('are counted once for a key that is asked for twice, made or not', async () => {
    await env.newIngest().ingest([lateEvent()]);
    const keyIds = ['key-1', 'key-1'];
    const asked = { startAt, endAt: startAt + 60.5 * dayMs, keyIds, dimension: 'end_user' as const, most: 10 };
    const before = await slicedWindowOf(env.database, asked, 0);
    expect([before.totals.requests, before.slices[0]?.requests, before.none.requests]).toEqual([1, 1, 0]);
    await makeBlocks();
    expect(await slicedWindowOf(env.database, asked, 0)).toEqual(before);
  });

  it('are not made of a key in days in which it was of two accounts', async () => {
    const other = { accountId: 'account-2', endedAt: startAt + 20.9 * dayMs };
    await env.newIngest().ingest([lateEvent(), lateEvent(other)]);
    const asked = { startAt, endAt, keyIds: ['key-1'], dimension: 'end_user' as const, most: 10 };
    const before = await slicedWindowOf(env.database, asked, 0);
    await makeBlocks();
    expect(await slicedWindowOf(env.database, asked, 0)).toEqual(before);
    await env.newIngest().ingest([lateEvent({ keyId: 'key-2' })]);
    await makeBlocks();
    await env.newIngest().ingest([lateEvent({ ...other, keyId: 'key-2' })]);
    for (const make of [() => undefined, makeBlocks]) {
      await make();
      const { totals, none } = await slicedWindowOf(env.database, { ...asked, keyIds: ['key-2'] }, 0);
      expect([totals.requests, none.requests]).toEqual([2, 0]);
    }
  });
});
