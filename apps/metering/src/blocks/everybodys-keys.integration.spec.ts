import { setImmediate } from 'node:timers/promises';
import type { UsageEvent } from '@tollgate/contracts';
import { recount } from '../reports/recount';
import { readSeries } from '../reports/series';
import { seriesWindow } from '../reports/series-window';
import { makeEvent } from '../testing/make-event';
import type { MeteringDatabase } from '../testing/metering-database';
import { type BlocksRig, endAt, startAt, rigOfEachTest } from './blocks-rig.fixture';
import type { UsageBlocks } from './usage-blocks';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let rig: BlocksRig;
let env: MeteringDatabase;
rigOfEachTest((made) => {
  rig = made;
  ({ env } = rig);
});

/** The charts of everybody by key, in days of time zones that begin within hours and within days. */
function charts(minutesSince: number) {
  return Promise.all(
    ['America/Los_Angeles', 'Asia/Kolkata', 'Asia/Kathmandu'].flatMap((timeZone) =>
      [2, 20].map(async (maxLines) => {
        const asked = { startAt: startAt - 2.4 * dayMs, endAt: endAt + hourMs / 3, step: 'day' as const, timeZone };
        return readSeries(env.databases.charts, await seriesWindow(env.database, asked, minutesSince), {
          groupBy: 'key',
          maxLines,
        });
      }),
    ),
  );
}

/** When a key goes from one account to another. */
const moves = startAt + 21.3 * dayMs;

/**
 * Of keys of two accounts, in every third day; the third moves from one to the other within one of them, and
 * the fourth's account used little.
 */
function events(count: number): UsageEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const drawn = (index * 31_676_071) % (69 * dayMs);
    const endedAt = startAt - 3 * dayMs + drawn - (Math.floor(drawn / dayMs) % 3) * dayMs;
    const key = index % 41 === 0 ? 3 : index % 3;
    const accounts = ['account-1', 'account-2', endedAt < moves ? 'account-1' : 'account-2', 'account-3'];
    return makeEvent({
      keyId: `key-${key}`,
      accountId: accounts[key] ?? '',
      endedAt,
      model: index % 6 ? 'test/priced' : 'test/unpriced',
      usage: { input: 1_000 + index * 37, output: index * 11 },
    });
  });
}

describe('charts of everybody by key in days of any time zone', () => {
  it.each([
    ['where rows by minute are kept of all of it', 0],
    ['where they are kept of the last half', startAt + 30 * dayMs],
  ])('tell with blocks what the rows tell, %s', async (_, minutesSince) => {
    await env.newIngest().ingest(events(450));
    const before = await charts(minutesSince);
    expect(before[1]?.lines.map(({ name }) => name).toSorted()).toEqual(['key-0', 'key-1', 'key-2', 'key-3']);
    await rig.makeBlocks({ few: 4 });
    expect(await env.database.usageBlock.count({ where: { accountId: 'account-3', days: 1 } })).toBe(0);
    expect(await charts(minutesSince)).toEqual(before);
    for (const accountId of ['account-1', '']) {
      await env.database.$executeRaw`
        DELETE FROM usage_block_points AS points USING usage_block AS block
        WHERE points.build = block.build AND days = 1 AND account_id = ${accountId} AND at < ${new Date(moves)}`;
      expect(await charts(minutesSince)).toEqual(before);
    }
    await rig.makeHoursOfKeys(2);
    await rig.makeBlocks({ few: 4 });
    expect(await charts(minutesSince)).toEqual(before);
    await env.newIngest().ingest([makeEvent({ keyId: 'key-0', accountId: 'account-1', endedAt: moves + hourMs })]);
    const late = await charts(minutesSince);
    expect(late[1]?.totals.requests).toBe((before[1]?.totals.requests ?? 0) + 1);
    await rig.makeBlocks({ few: 4 });
    expect(await charts(minutesSince)).toEqual(late);
  });
});

describe("hours of keys in everybody's blocks", () => {
  const hours = () => env.database.$queryRaw<{ days: number; names: string[] }[]>`
    SELECT days, array_agg(DISTINCT name ORDER BY name) AS names FROM usage_block_points JOIN usage_block USING (build)
    WHERE key_id = '*' AND dimension = 'key' AND model = '*' AND until < 1440 GROUP BY days ORDER BY days`;
  const differences = async () => (await recount(env.database, null, 0, 0)).differences;

  it('are those of the keys that cost most, and are missed by blocks of the release before', async () => {
    await env.newIngest().ingest(events(150));
    const before = await charts(0);
    await rig.makeBlocks({ few: 4 });
    const all = ['key-0', 'key-1', 'key-2', 'key-3'];
    expect(await hours()).toEqual([
      { days: 1, names: all },
      { days: 16, names: all },
    ]);
    expect(await differences()).toEqual([]);
    await env.database.$executeRaw`
      DELETE FROM usage_block_points AS points USING usage_block AS block
      WHERE points.build = block.build AND key_id = '*' AND dimension = 'key' AND (until < 1440 OR model <> '*')`;
    await env.database.$executeRaw`UPDATE usage_block SET edition = 3 WHERE edition >= 5`;
    expect(await charts(0)).toEqual(before);
    expect(await differences()).toEqual([]);
    await rig.makeBlocks({ few: 4 });
    expect((await hours()).map(({ names }) => names)).toEqual([all, all]);
    await rig.makeHoursOfKeys(1);
    await rig.makeBlocks({ few: 4 });
    expect((await hours()).map(({ names }) => names)).toEqual([
      ['key-1', 'key-2'],
      ['key-1', 'key-2'],
    ]);
    expect(await charts(0)).toEqual(before);
    expect(await differences()).toEqual([]);
  });
});

describe("hours of a model's keys in everybody's blocks", () => {
  const points = () => env.database.$queryRaw<{ build: bigint; name: string }[]>`
    SELECT build, until, name, model, provider, points FROM usage_block_points JOIN usage_block USING (build)
    WHERE key_id = '*' AND days = 16 ORDER BY build, until, dimension, name, model, provider`;
  const differences = async () => (await recount(env.database, null, 0, 0)).differences;
  const chart = async () => {
    const asked = { startAt, endAt, step: 'day' as const, timeZone: 'America/Los_Angeles' };
    const question = { groupBy: 'key' as const, maxLines: 2, model: 'test/priced' };
    return readSeries(env.databases.charts, await seriesWindow(env.database, asked, 0), question);
  };
  const takeAway = async () => {
    await env.database.$executeRaw`DELETE FROM usage_block_points AS points USING usage_block AS block
      WHERE points.build = block.build AND key_id = '*' AND model <> '*' AND dimension = 'key'`;
    await env.database.$executeRaw`UPDATE usage_block SET edition = 5 WHERE edition = 6`;
  };

  it('are told of those that used enough of it', async () => {
    await env.newIngest().ingest(events(450));
    await rig.makeBlocks({ few: 4 });
    const told = await env.database.$queryRaw`
      SELECT DISTINCT name, model FROM usage_block_points JOIN usage_block USING (build)
      WHERE key_id = '*' AND dimension = 'key' AND model <> '*' ORDER BY name, model`;
    const enough = await env.database.$queryRaw`
      SELECT DISTINCT key_id AS name, model FROM (
        SELECT hour.key_id, hour.model FROM usage_hour AS hour
        JOIN usage_block AS block ON block.key_id = '*' AND block.days = 16 AND hour.at >= block.at AND hour.at < block.at + interval '384 hours'
        WHERE hour.key_id <> '*' GROUP BY block.at, hour.key_id, hour.model HAVING sum(hour.requests) >= 32
      ) AS used ORDER BY name, model`;
    expect(told).toEqual(enough);
    expect(told).not.toEqual([]);
  });

  it('are told of 2,000 keys and models at most, those that cost most', async () => {
    await env.newIngest().ingest(events(150));
    await rig.makeBlocks({ few: 4 });
    const { build } = await env.database.usageBlock.findFirstOrThrow({ where: { edition: 6, days: 16 } });
    // Sixty models, each with 50 keys that used enough, and one that cost little.
    await env.database.$executeRaw`
      INSERT INTO usage_block_owners (build, model, keys, accounts, requests, costs)
      SELECT ${build}, 'model-' || model, array_agg('key-' || key), array_agg('account-1'::text), array_agg(32),
        array_agg(CASE key WHEN 51 THEN 1 ELSE 1000 * model + key END)
      FROM generate_series(1, 60) AS model CROSS JOIN generate_series(1, 51) AS key GROUP BY model`;
    const told = await env.database.$queryRaw<{ model: string; name: string }[]>`
      SELECT model, name FROM usage_block_model_keys(${build}) WHERE model LIKE 'model-%'`;
    const all = Array.from({ length: 60 }, (_, of) =>
      Array.from({ length: 50 }, (_, key) => ({ model: `model-${60 - of}`, name: `key-${50 - key}` })),
    );
    const [ofTest] = await env.database.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int FROM usage_block_model_keys(${build}) WHERE model NOT LIKE 'model-%'`;
    expect(told.length + (ofTest?.count ?? 0)).toBe(2_000);
    expect(told).toEqual(all.flat().slice(0, told.length));
  });

  it('are added to blocks of the release before, which count meanwhile', async () => {
    await env.newIngest().ingest(events(450));
    const before = await chart();
    await rig.makeHoursOfKeys(3);
    await rig.makeBlocks({ few: 4 });
    expect(await chart()).toEqual(before);
    const made = await points();
    await takeAway();
    expect((await points()).length).toBeLessThan(made.length);
    expect(await chart()).toEqual(before);
    expect(await differences()).toEqual([]);
    await rig.makeBlocks({ few: 4 });
    expect(await points()).toEqual(made);
    expect(await chart()).toEqual(before);
    expect(await differences()).toEqual([]);
    await env.database.$executeRaw`
      UPDATE usage_block_points SET points = replace(points, '/', '/1') WHERE (build, name, until, model, provider) IN (
        SELECT build, name, until, model, provider FROM usage_block_points JOIN usage_block USING (build)
        WHERE key_id = '*' AND dimension = 'key' AND model <> '*' LIMIT 1)`;
    expect(await differences()).not.toEqual([]);
  });

  it('are of the moment of the rows: what is stored meanwhile makes the block stale', async () => {
    await env.newIngest().ingest(events(150));
    await rig.makeHoursOfKeys(3);
    await rig.makeBlocks({ few: 4 });
    await takeAway();
    const { build } = await env.database.usageBlock.findFirstOrThrow({ where: { edition: 5, days: 16 } });
    const late = await rig.session();
    await late.query('BEGIN');
    const { rowCount } = await late.query(`UPDATE usage_hour SET requests = requests + 1 WHERE key_id = 'key-0'`);
    expect(rowCount).toBeGreaterThan(0);
    const maker = await rig.session();
    const extend = async () => {
      await maker.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      const { rows } = await maker.query<{ done: boolean }>('SELECT extend_usage_block($1) AS done', [build]);
      await maker.query('COMMIT');
      return rows[0]?.done;
    };
    expect(await extend()).toBe(true);
    expect(await extend()).toBe(false);
    await late.query('COMMIT');
    expect(await env.database.usageBlockStale.count({ where: { build } })).toBe(1);
    await rig.makeBlocks({ few: 4 });
    expect(await env.database.usageBlockStale.count()).toBe(0);
    await env.database.$executeRaw`UPDATE usage_block SET edition = 5 WHERE edition = 6`;
    await env.newIngest().ingest([makeEvent({ keyId: 'key-0', accountId: 'account-1', endedAt: startAt + hourMs })]);
    const stale = await env.database.usageBlock.findMany({ where: { keyId: '*', days: 16, at: new Date(startAt) } });
    await maker.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    const { rows } = await maker.query<{ done: boolean }>('SELECT extend_usage_block($1) AS done', [stale[0]?.build]);
    await maker.query('COMMIT');
    expect(rows[0]?.done).toBe(false);
  });

  it('are added to one block at least in each turn, however long it takes to look for blocks', async () => {
    await env.newIngest().ingest(events(150));
    await rig.makeBlocks({ few: 4 });
    await takeAway();
    const count = () => env.database.usageBlock.count({ where: { edition: 5, days: 16 } });
    const all = await count();
    let at = endAt + 7 * dayMs;
    const turns = rig.blocks({ few: 4, now: () => (at += 10_000) });
    expect([await turns.run(), await count()]).toEqual([true, all - 1]);
  });

  it('are left to the next process where they take too long, or the service stops', async () => {
    await env.newIngest().ingest(events(150));
    await rig.makeBlocks({ few: 4 });
    const made = await points();
    const before = await chart();
    await takeAway();
    const { build } = await env.database.usageBlock.findFirstOrThrow({ where: { edition: 5, days: 16 } });
    await env.database.$executeRaw`UPDATE usage_block SET edition = 6 WHERE edition = 5 AND build <> ${build}`;
    const count = () => env.database.usageBlock.count({ where: { edition: 5, days: 16 } });
    const other = await rig.session();
    /** What takes long is waited for, until it is ended. */
    const extendUntil = async (blocks: UsageBlocks, end: (pid: number) => Promise<unknown>): Promise<boolean> => {
      await other.query('BEGIN');
      await other.query('SELECT FROM usage_block WHERE build = $1 FOR UPDATE', [build]);
      const run = blocks.run();
      const waiting = () => env.database.$queryRaw<{ pid: number }[]>`
        SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%extend_usage_block%' AND datname = current_database()`;
      let [found] = await waiting();
      for (; !found; [found] = await waiting()) await setImmediate();
      await end(found.pid);
      const mayBeMore = await run;
      await other.query('COMMIT');
      return mayBeMore;
    };
    const said: unknown[][] = [];
    const logger = { warn: (...line: unknown[]) => void said.push(line) };
    const stopped = rig.blocks({ few: 4, logger });
    await extendUntil(stopped, () => stopped.onModuleDestroy());
    expect([await count(), said]).toEqual([1, []]);
    const slow = rig.blocks({ few: 4, logger });
    const tookLong = await extendUntil(slow, (pid) => env.database.$queryRaw`SELECT pg_cancel_backend(${pid}::int)`);
    expect([tookLong, await slow.run(), await count()]).toEqual([false, false, 1]);
    const { at } = await env.database.usageBlock.findFirstOrThrow({ where: { build } });
    expect(said).toEqual([
      [{ firstDay: at.toISOString().slice(0, 10), days: 16 }, expect.stringMatching(/took too long to be added to/)],
    ]);
    expect([await env.database.usageBlockStale.count(), await chart()]).toEqual([0, before]);
    await rig.makeBlocks({ few: 4 });
    const ofBuild = (all: typeof made) => all.filter((point) => point.build === build);
    expect([await count(), ofBuild(await points())]).toEqual([0, ofBuild(made)]);
  });
});

describe('charts of everybody by account', () => {
  it('tell of a key that went to another account within an hour that midnight cuts what its rows tell', async () => {
    const midnight = startAt + 20 * dayMs + 18.5 * hourMs;
    const used = (accountId: string, minutes: number) =>
      makeEvent({ keyId: 'key-0', accountId, endedAt: midnight + minutes * 60_000 });
    await env.newIngest().ingest([used('account-1', -9_000), used('account-1', -20), used('account-1', -10)]);
    await env.newIngest().ingest([used('account-2', 10)]);
    const chart = async () => {
      const asked = { startAt, endAt, step: 'day' as const, timeZone: 'Asia/Kolkata' };
      return readSeries(env.databases.charts, await seriesWindow(env.database, asked, 0), {
        groupBy: 'account',
        maxLines: 2,
      });
    };
    const before = await chart();
    expect(before.lines.map(({ name, totals }) => [name, totals.requests])).toEqual([
      ['account-1', 3],
      ['account-2', 1],
    ]);
    await rig.makeBlocks();
    expect(await chart()).toEqual(before);
  });

  it('tell the same where there are so many that blocks of 16 days have no points of accounts', async () => {
    const many = Array.from({ length: 501 }, (_, index) =>
      makeEvent({ keyId: `key-${index}`, accountId: `account-${index}`, endedAt: startAt + (index * hourMs) / 3 }),
    );
    await env.newIngest().ingest(many);
    const chart = async (groupBy: 'account' | 'key') => {
      const asked = { startAt, endAt, step: 'day' as const, timeZone: 'America/Los_Angeles' };
      return readSeries(env.databases.charts, await seriesWindow(env.database, asked, 0), { groupBy, maxLines: 120 });
    };
    const before = [await chart('account'), await chart('key')];
    await rig.makeBlocks({ few: 12 });
    const points = await env.database.$queryRaw`
      SELECT dimension, count(DISTINCT points.name)::int AS names FROM usage_block_points AS points JOIN usage_block USING (build)
      WHERE days = 16 AND key_id = '*' AND at = ${new Date(startAt)} GROUP BY dimension ORDER BY dimension`;
    expect(points).toEqual([
      { dimension: 'all', names: 1 },
      { dimension: 'key', names: 501 },
    ]);
    expect([await chart('account'), await chart('key')]).toEqual(before);
  });
});
