import type { UsageEvent } from '@tollgate/contracts';
import type { SlicedWindow } from '@tollgate/contracts/metering';
import { recount } from '../reports/recount';
import { slicedWindowOf } from '../slices/slices-report';
import { patience } from '@tollgate/testing';
import { makeEvent } from '../testing/make-event';
import type { MeteringDatabase } from '../testing/metering-database';
import { type BlocksRig, endAt, startAt, rigOfEachTest } from './blocks-rig.fixture';

const dayMs = 86_400_000;

let rig: BlocksRig;
let env: MeteringDatabase;
rigOfEachTest((made) => {
  rig = made;
  ({ env } = rig);
});

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
    const late = await rig.session();
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
    await rig.makeBlocks();
    const changer = await rig.session();
    await changer.query(`UPDATE usage_hour SET at = at + interval '21 days' WHERE key_id = 'key-1' AND at < $1`, [
      new Date(startAt + 30 * dayMs),
    ]);
    // Of one, four and 16 days where it was; of four and 16 where it is, of which there is no day; and of 64.
    const ofAccount = async () => (await staleBlocks()).filter(({ keyId }) => keyId === '');
    expect(await ofAccount()).toHaveLength(6);
    await rig.makeBlocks();
    expect(await staleBlocks()).toEqual([]);
    await changer.query('TRUNCATE usage_hour');
    expect(await env.database.usageBlock.count()).toBe(0);
    expect(await env.database.usageBlockSum.count()).toBe(0);
  });

  it('are made anew at most once in a time that grows with their days, and others are not kept waiting', async () => {
    await env.newIngest().ingest([lateEvent(), lateEvent({ endedAt: startAt + 30.5 * dayMs })]);
    await rig.makeBlocks();
    await env.newIngest().ingest([lateEvent()]);
    await (await rig.session()).query(`UPDATE usage_block_stale SET since = since - interval '20 minutes'`);
    await rig.makeBlocks({ restMs: 60_000 });
    expect((await staleBlocks()).map(({ days }) => days)).toEqual([64, 64, 64]);
    expect((await slicesOf()).totals.requests).toBe(3);
    await rig.makeBlocks();
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
    const other = await rig.session();
    await other.query('ALTER FUNCTION finish_usage_block RENAME TO finish_block_in_time');
    await other.query(`
      CREATE FUNCTION finish_usage_block(mark BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT FROM usage_block JOIN usage_block_stale USING (build) WHERE id = mark AND account_id = 'account-1' AND days = 4)
          THEN RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014'; END IF;
        RETURN finish_block_in_time(mark);
      END $$`);
    await rig.makeBlocks();
    expect(await env.database.usageBlock.count({ where: { days: 4, accountId: 'account-2' } })).toBeGreaterThan(0);
    expect(await env.database.usageBlock.count({ where: { days: 64, accountId: 'account-1', keyId: '' } })).toBe(1);
    expect((await staleBlocks()).every(({ days, accountId }) => days === 4 && accountId === 'account-1')).toBe(true);
    expect(await slicesOf()).toEqual(before);
    const figures = await rig.figures();
    await rig.makeBlocks();
    await rig.makeBlocks();
    expect([figures.putOff, await rig.figures()]).toEqual([0, { stale: figures.stale, putOff: figures.stale }]);
    await other.query('DROP FUNCTION finish_usage_block');
    await other.query('ALTER FUNCTION finish_block_in_time RENAME TO finish_usage_block');
    await rig.makeBlocks();
    expect(await staleBlocks()).toEqual([]);
    expect(await rig.figures()).toEqual({ stale: 0, putOff: 0 });
    expect(await slicesOf()).toEqual(before);
    expect((await recount(env.database, null, 0)).differences).toEqual([]);
  });

  it('are counted once for a key that is asked for twice, made or not', async () => {
    await env.newIngest().ingest([lateEvent()]);
    const keyIds = ['key-1', 'key-1'];
    const asked = { startAt, endAt: startAt + 60.5 * dayMs, keyIds, dimension: 'end_user' as const, most: 10 };
    const before = await slicedWindowOf(env.database, asked, 0);
    expect([before.totals.requests, before.slices[0]?.requests, before.none.requests]).toEqual([1, 1, 0]);
    await rig.makeBlocks();
    expect(await slicedWindowOf(env.database, asked, 0)).toEqual(before);
  });

  it('are not made of a key in days in which it was of two accounts', async () => {
    const other = { accountId: 'account-2', endedAt: startAt + 20.9 * dayMs };
    await env.newIngest().ingest([lateEvent(), lateEvent(other)]);
    const asked = { startAt, endAt, keyIds: ['key-1'], dimension: 'end_user' as const, most: 10 };
    const before = await slicedWindowOf(env.database, asked, 0);
    await rig.makeBlocks();
    expect(await slicedWindowOf(env.database, asked, 0)).toEqual(before);
    await env.newIngest().ingest([lateEvent({ keyId: 'key-2' })]);
    await rig.makeBlocks();
    await env.newIngest().ingest([lateEvent({ ...other, keyId: 'key-2' })]);
    for (const make of [() => undefined, () => rig.makeBlocks()]) {
      await make();
      const { totals, none } = await slicedWindowOf(env.database, { ...asked, keyIds: ['key-2'] }, 0);
      expect([totals.requests, none.requests]).toEqual([2, 0]);
    }
  });

  describe('that take long to be added up', () => {
    /** As one of a dense day on a busy Postgres. */
    const takesSeconds = async (seconds: number): Promise<void> => {
      const other = await rig.session();
      await other.query('ALTER FUNCTION fill_usage_block RENAME TO fill_block_at_once');
      await other.query(`
        CREATE FUNCTION fill_usage_block(build BIGINT, account TEXT, key TEXT, length INTEGER, start TIMESTAMPTZ) RETURNS VOID LANGUAGE plpgsql AS $$ BEGIN
          IF key = '*' AND length = 1 THEN PERFORM pg_sleep(${seconds}); END IF;
          PERFORM fill_block_at_once(build, account, key, length, start);
        END $$`);
    };
    const now = () => startAt + 23 * dayMs;

    it('have longer with each try, and are made', async () => {
      await env.newIngest().ingest([lateEvent()]);
      await takesSeconds(1);
      const states = [];
      for (let tries = 0; tries < 3; tries++) {
        await rig.makeBlocks({ now, limitMs: 400 });
        states.push((await staleBlocks()).map(({ keyId, days }) => [keyId, days]));
      }
      expect(states).toEqual([[['*', 1]], [['*', 1]], []]);
      expect((await recount(env.database, null, 0)).differences).toEqual([]);
    });

    it('do not keep the service from stopping', async () => {
      await env.newIngest().ingest([lateEvent()]);
      await takesSeconds(100);
      const blocks = rig.blocks({ now, limitMs: 100_000 });
      const run = blocks.run();
      const running = () => env.database.$queryRaw<unknown[]>`
        SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND wait_event = 'PgSleep'`;
      while ((await running()).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
      const endedAt = performance.now();
      await blocks.onModuleDestroy();
      expect(await run).toBe(true);
      expect(performance.now() - endedAt).toBeLessThan(2_000 * patience);
      expect(await staleBlocks()).toMatchObject([{ keyId: '*', days: 1 }]);
    });
  });
});
