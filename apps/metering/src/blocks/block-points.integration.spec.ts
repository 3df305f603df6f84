import type { UsageEvent } from '@tollgate/contracts';
import type { PostgresServer } from '@tollgate/testing';
import { EventMonths } from '../event-months';
import { recount } from '../reports/recount';
import { readSeries } from '../reports/series';
import { cutMinutes } from '../reports/series-days';
import { seriesWindow } from '../reports/series-window';
import { makeEvent } from '../testing/make-event';
import type { MeteringDatabase } from '../testing/metering-database';
import { BlocksRig, endAt, startAt } from './blocks-rig.fixture';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Has blocks of all days, which each test begins with. */
let server: PostgresServer;
let rig: BlocksRig;
let env: MeteringDatabase;
/** What is told without blocks. */
let ofRows: Awaited<ReturnType<typeof charts>>;
beforeAll(async () => {
  rig = await BlocksRig.start();
  ({ env } = rig);
  await env.newIngest().ingest(events(200));
  ofRows = await charts(0);
  await rig.makeBlocks();
  server = await rig.leave();
});
afterAll(() => server.stop());
beforeEach(async () => {
  rig = await BlocksRig.on(server);
  ({ env } = rig);
});
afterEach(() => rig.stop());

/** Of three keys of an account, at all times of every third of 64 days. */
function events(count: number): UsageEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const drawn = (index * 31_676_071) % (64 * dayMs);
    return makeEvent({
      keyId: `key-${index % 3}`,
      accountId: 'account-1',
      endedAt: startAt + drawn - (Math.floor(drawn / dayMs) % 3) * dayMs,
      usage: { input: 1_000 + index * 37, output: index * 11 },
    });
  });
}

/** In days that begin within hours. */
function charts(minutesSince: number) {
  return Promise.all(
    (['key', 'model'] as const).map(async (groupBy) => {
      const asked = { startAt, endAt, step: 'day' as const, timeZone: 'Asia/Kolkata' };
      const window = await seriesWindow(env.database, asked, minutesSince);
      return readSeries(env.databases.charts, window, { accountId: 'account-1', groupBy, maxLines: 2 });
    }),
  );
}

async function differences(minutesSince = 0) {
  return (await recount(env.database, null, 0, minutesSince)).differences;
}

/** As if none had ever been made. */
async function forgetBlocks(): Promise<void> {
  await env.database.usageBlock.deleteMany();
  await env.database.usageBlockMade.deleteMany();
}

const pointsOf = (days: number) => env.database.$queryRaw<{ until: number; at: Date }[]>`
  SELECT until, at FROM usage_block_points JOIN usage_block USING (build) WHERE days = ${days}`;

describe('points of blocks', () => {
  it('are there of each minute at which a day begins within an hour, and of whole hours of 16 days', async () => {
    const cuts = new Set((await pointsOf(1)).map(({ until }) => until));
    expect(cuts).toEqual(new Set([...cutMinutes, 1_440]));
    const hours = new Set((await pointsOf(16)).map(({ until }) => until));
    expect(hours).toEqual(new Set(Array.from({ length: 24 }, (_, hour) => 60 * (hour + 1))));
  });

  it('are missed by blocks that an older release made, which are made anew; charts say the same meanwhile', async () => {
    await env.database.usageBlockPoints.deleteMany();
    await env.database.usageBlock.updateMany({ data: { edition: 2 } });
    expect(await charts(0)).toEqual(ofRows);
    expect(await differences()).toEqual([]);
    await rig.makeBlocks();
    const points = await pointsOf(1);
    expect(points.length).toBeGreaterThan(0);
    expect((await pointsOf(16)).length).toBeGreaterThan(0);
    expect(
      await env.database.usageBlock.count({ where: { days: { in: [1, 16] }, keyId: { in: ['', '*'] }, edition: 2 } }),
    ).toBe(0);
    expect(await charts(0)).toEqual(ofRows);
    expect(await differences()).toEqual([]);
  });

  it('of parts of hours are of no days whose minutes are gone', async () => {
    await forgetBlocks();
    const since = startAt + 30 * dayMs;
    await env.database.usageMinute.deleteMany({ where: { at: { lt: new Date(since) } } });
    const before = await charts(since);
    await rig.makeBlocks();
    const ofParts = (await pointsOf(1)).filter(({ until }) => until % 60 !== 0);
    expect(Math.min(...ofParts.map(({ at }) => at.getTime()))).toBe(since);
    expect(await charts(since)).toEqual(before);
    expect(await differences(since)).toEqual([]);
  });

  it('of parts of hours are of no days that have too many rows by minute to be added up in one go', async () => {
    await forgetBlocks();
    const day = startAt + 39 * dayMs;
    await env.database.$executeRaw`
      INSERT INTO usage_minute (key_id, at, model, account_id, requests, unpriced, input_tokens, output_tokens, cost_nano_usd)
      SELECT 'idle-' || one, ${new Date(day + 18 * hourMs)}, '', 'account-1', 0, 0, 0, 0, 0 FROM generate_series(1, 100001) AS one`;
    const before = await charts(0);
    await rig.makeBlocks();
    const days = new Set((await pointsOf(1)).map(({ at }) => at.getTime()));
    expect(days.has(day)).toBe(false);
    expect(days.has(day + 3 * dayMs)).toBe(true);
    expect(await charts(0)).toEqual(before);
  });

  it('of parts of hours go with the rows by minute that they were made of', async () => {
    const now = () => endAt + 65 * dayMs;
    const months = new EventMonths(env.databases, { retentionMonths: null }, now);
    await months.maintain();
    const kept = (await pointsOf(1)).map(({ at }) => at.getTime());
    expect(Math.min(...kept)).toBeGreaterThanOrEqual(months.minutesSinceMs());
    expect(months.minutesSinceMs()).toBeGreaterThan(startAt);
    const before = await charts(months.minutesSinceMs());
    expect(await differences(months.minutesSinceMs())).toEqual([]);
    await env.database.usageBlock.deleteMany();
    expect(await charts(months.minutesSinceMs())).toEqual(before);
  });

  it('of late usage are those of the block that is made anew, and go with it', async () => {
    await env
      .newIngest()
      .ingest([makeEvent({ keyId: 'key-1', accountId: 'account-1', endedAt: startAt + 21.5 * dayMs })]);
    const late = await charts(0);
    await rig.makeBlocks();
    expect(await charts(0)).toEqual(late);
    expect(await differences()).toEqual([]);
    await env.database.usageBlock.deleteMany();
    expect(await env.database.usageBlockPoints.count()).toBe(0);
  });

  it('are named by a recount where they are wrong', async () => {
    const { build } = await env.database.usageBlock.findFirstOrThrow({ where: { days: 16, keyId: '' } });
    await env.database.$executeRaw`
      UPDATE usage_block_points SET points = regexp_replace(points, '^([0-9]+)/[0-9]+/', '\\1/99/')
      WHERE build = ${build} AND until = 1440 AND dimension = 'key' AND name = 'key-1' AND model = '*'`;
    const [found] = await differences();
    expect(found).toMatchObject({ rollups: '99' });
    expect(found?.field).toMatch(
      /^block of account-1 2024-\d\d-\d\d 16 days points of key until minute 1440 of day \d+ "key-1 \* \*" requests$/,
    );
  });
});
