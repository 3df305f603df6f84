import { uuidv7 } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { sliceDimensions } from '@tollgate/contracts/metering';
import type { Attribution, Series, SlicedWindow } from '@tollgate/contracts/metering';
import { EventMonths } from '../event-months';
import { LatePricing } from '../rating/late-pricing';
import { recount } from '../reports/recount';
import { readSeries } from '../reports/series';
import type { SeriesQuestion } from '../reports/series';
import { seriesWindow } from '../reports/series-window';
import { projectsWindowOf, slicedWindowOf } from '../slices/slices-report';
import { makeEvent } from '../testing/make-event';
import { addPrice } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { type BlocksRig, endAt, startAt, rigOfEachTest } from './blocks-rig.fixture';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let rig: BlocksRig;
let env: MeteringDatabase;
rigOfEachTest((made) => {
  rig = made;
  ({ env } = rig);
});

/** Usage of three keys of an account over 70 days, and of another account. */
function eventsOf(count: number): UsageEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const attribution: Attribution = {
      ...(index % 4 > 0 && { endUser: `user-${index % 13}` }),
      ...(index % 3 > 0 && { session: `session-${index % 97}` }),
      ...(index % 2 > 0 && { agent: 'codex' }),
      ...(index % 5 > 0 && { tags: ['all', `team=${index % 5}`].slice(0, 1 + (index % 2)) }),
    };
    return makeEvent({
      keyId: `key-${index % 3}`,
      accountId: index % 11 ? 'account-1' : 'account-2',
      endedAt: startAt - 3 * dayMs + ((index * 7_919_017) % (70 * dayMs)),
      model: index % 6 ? 'test/priced' : 'test/unpriced',
      ...(index % 7 === 0 && {
        attempts: [{ deployment: 'b', provider: 'other', status: 200, error: null, latencyMs: 9 }],
      }),
      usage: { input: 1_000 + index * 37, output: index * 11 },
      ...(Object.keys(attribution).length > 0 && { attribution }),
    });
  });
}

/** Keys are of one account. */
const ownKeys = (event: UsageEvent): UsageEvent =>
  event.accountId === 'account-1' ? event : { ...event, keyId: `other-${event.keyId}` };

const windows = [
  [startAt, endAt],
  [startAt - 2.3 * dayMs, endAt + 2.9 * dayMs],
  [startAt + 5 * hourMs, startAt + 37 * dayMs + 7 * hourMs],
  [startAt + 17 * dayMs, startAt + 18 * dayMs],
] as const;

/** Everything that reads blocks, of an account, in these windows. */
async function reports(asked: readonly (readonly [number, number])[] = windows): Promise<(SlicedWindow | Series)[]> {
  const accountId = 'account-1';
  const all: (SlicedWindow | Series)[] = [];
  for (const [from, to] of asked) {
    const window = { startAt: from, endAt: to, most: 3 };
    for (const dimension of sliceDimensions)
      for (const whose of [
        { accountId },
        { keyIds: ['key-1'] },
        { keyIds: ['key-1', 'key-2', 'unused'], accountId },
        { accountId, model: 'test/priced' },
      ])
        all.push(await slicedWindowOf(env.database, { ...window, ...whose, dimension }, 0));
    const projects = [
      { name: 'one', keyIds: ['key-0', 'key-2'] },
      { name: 'two', keyIds: ['key-1'] },
    ];
    all.push(await projectsWindowOf(env.database, { ...window, accountId, projects }, 0));
    for (const groupBy of ['none', 'model', 'provider', 'key', 'account'] as const)
      for (const whose of [{ accountId }, {}, { accountId, model: 'test/priced' }])
        all.push(await chart({ startAt: from, endAt: to, ...whose, groupBy }));
    for (const timeZone of ['Europe/Berlin', 'Asia/Kolkata'])
      for (const whose of [
        { accountId, groupBy: 'key' as const },
        { accountId, provider: 'other', groupBy: 'model' as const },
        { groupBy: 'account' as const },
      ])
        all.push(await chart({ startAt: from, endAt: to, timeZone, ...whose }));
  }
  return all;
}

async function chart({
  startAt: from,
  endAt: to,
  timeZone = 'UTC',
  ...question
}: Omit<SeriesQuestion, 'maxLines'> & { startAt: number; endAt: number; timeZone?: string }) {
  const asked = { startAt: from, endAt: to, step: 'day' as const, timeZone };
  return readSeries(env.databases.charts, await seriesWindow(env.database, asked, 0), { maxLines: 2, ...question });
}

async function differences() {
  return (await recount(env.database, null, 0)).differences;
}

async function staleBlocks() {
  const builds = await env.database.usageBlockStale.groupBy({ by: ['build'] });
  return env.database.usageBlock.findMany({ where: { build: { in: builds.map(({ build }) => build) } } });
}

function slicesOf(most = 1_000, accountId = 'account-1'): Promise<SlicedWindow> {
  return slicedWindowOf(env.database, { startAt, endAt, accountId, dimension: 'end_user', most }, 0);
}

function lateEvent(change: Partial<Parameters<typeof makeEvent>[0]> = {}): UsageEvent {
  const endedAt = startAt + 20.5 * dayMs;
  return makeEvent({ keyId: 'key-1', accountId: 'account-1', endedAt, attribution: { endUser: 'late' }, ...change });
}

describe('blocks of days that have ended', () => {
  it('tell what the rows tell that they were made of, whatever is asked', async () => {
    await env.newIngest().ingest(eventsOf(900).map(ownKeys));
    const before = await reports();
    await rig.makeBlocks();
    const made = await env.database.usageBlock.groupBy({
      by: ['days'],
      where: { keyId: '', accountId: 'account-1' },
      _count: true,
    });
    expect(Object.fromEntries(made.map(({ days, _count }) => [days, _count]))).toMatchObject({ 4: 18, 16: 5, 64: 2 });
    expect(await reports()).toEqual(before);
    expect(await differences()).toEqual([]);
  });

  it('of days of a time zone that have midnight twice tell what the rows tell', async () => {
    // The clocks of the Azores went from 01:00 back to 00:00, at 01:00 UTC; those of Cuba in the same way.
    const times = [Date.UTC(2024, 9, 27), Date.UTC(2024, 10, 3, 4)];
    await env
      .newIngest()
      .ingest(times.flatMap((at) => [-1, 1, 61].map((minutes) => lateEvent({ endedAt: at + minutes * 60_000 }))));
    const charts = () =>
      Promise.all(
        ['Atlantic/Azores', 'America/Havana'].map((timeZone) =>
          chart({ startAt, endAt, timeZone, accountId: 'account-1', groupBy: 'none' }),
        ),
      );
    const before = await charts();
    await rig.makeBlocks();
    expect(await charts()).toEqual(before);
  });

  it('are long where an account has enough usage for these only, also where a release before went over the days', async () => {
    const days = [0, 5, 10, 20, 30, 50];
    await env
      .newIngest()
      .ingest([
        ...days.map((day) => lateEvent({ endedAt: startAt + day * dayMs, keyId: `key-${day % 3}` })),
        ...days.slice(2).map((day) => lateEvent({ endedAt: startAt + day * dayMs, keyId: 'few', accountId: 'few' })),
        ...Array.from({ length: 64 }, (_, day) => day).flatMap((day) =>
          Array.from({ length: 6 }, (_, place) =>
            lateEvent({ endedAt: startAt + (day + place / 7) * dayMs, keyId: 'many', accountId: 'many' }),
          ),
        ),
      ]);
    // All of the days, and some of them; every window is asked for above.
    const asked = [windows[0], windows[2]];
    const before = await reports(asked);
    const blocks = () =>
      env.database.usageBlock.findMany({
        where: { accountId: { in: ['account-1', 'few'] } },
        select: { accountId: true, keyId: true, days: true, at: true },
        orderBy: [{ days: 'asc' }, { accountId: 'asc' }],
      });
    const long = (length: number) => ({ accountId: 'account-1', keyId: '', days: length, at: new Date(startAt) });
    await rig.makeBlocks({ few: 6 });
    expect(await blocks()).toEqual([long(64)]);
    await rig.makeBlocks({ few: 3 });
    expect(await blocks()).toEqual([long(64)]);
    // As a release before leaves it: it knows neither.
    await env.database.usageBlockMade.updateMany({ data: { accountsUntil: null } });
    await rig.makeBlocks({ few: 3 });
    expect(await blocks()).toEqual([long(16), long(64), { ...long(64), accountId: 'few' }]);
    expect(await reports(asked)).toEqual(before);
    expect(await differences()).toEqual([]);
  });

  it('are not made of days that have not ended, nor for few requests', async () => {
    const endedAt = Date.now() - 3 * dayMs;
    await env
      .newIngest()
      .ingest([
        makeEvent({ endedAt: Date.now() }),
        makeEvent({ endedAt }),
        makeEvent({ endedAt, keyId: 'other', accountId: 'two' }),
      ]);
    await rig.makeBlocks({ now: Date.now });
    const at = new Date(endedAt - (endedAt % dayMs));
    const blocks = await env.database.usageBlock.findMany({
      where: { days: 1, keyId: '' },
      orderBy: { accountId: 'asc' },
    });
    expect(blocks.map((block) => block.at)).toEqual([at, at]);
    await env.database.usageBlockMade.deleteMany();
    await env.database.usageBlock.deleteMany();
    await rig.makeBlocks({ now: Date.now, few: 2 });
    // Of everybody's two.
    expect(new Set((await env.database.usageBlock.findMany()).map(({ keyId }) => keyId))).toEqual(new Set(['*']));
  });

  it('make way for late usage in the moment in which it counts, and are made anew', async () => {
    await env.newIngest().ingest(eventsOf(300).map(ownKeys));
    await rig.makeBlocks();
    const before = await slicesOf();
    await env.newIngest().ingest([lateEvent()]);
    // Of one, four, 16 and 64 days, of the account, of everybody, and but for one day of the key.
    expect(await staleBlocks()).toHaveLength(11);
    const after = await slicesOf();
    const charts = [
      await chart({ startAt, endAt, accountId: 'account-1', groupBy: 'model' }),
      await chart({ startAt, endAt, groupBy: 'none' }),
    ];
    expect(charts[0]?.totals.requests).toBe(after.totals.requests);
    expect(after.totals.requests).toBe(before.totals.requests + 1);
    expect(after.slices.find(({ name }) => name === 'late')?.requests).toBe(1);
    await rig.makeBlocks();
    expect(await staleBlocks()).toEqual([]);
    expect(await slicesOf()).toEqual(after);
    expect(await chart({ startAt, endAt, accountId: 'account-1', groupBy: 'model' })).toEqual(charts[0]);
    expect(await chart({ startAt, endAt, groupBy: 'none' })).toEqual(charts[1]);
    expect(await differences()).toEqual([]);
  });

  it('are there wholly or not at all when their maker is killed', async () => {
    await env.newIngest().ingest(eventsOf(100).map(ownKeys));
    const before = await slicesOf();
    const maker = await rig.session();
    maker.on('error', () => undefined);
    const { rows } = await maker.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const mark = await rig.startBlock(maker, { days: 64, startMs: startAt });
    await maker.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await maker.query('SELECT finish_usage_block($1)', [mark]);
    await (await rig.session()).query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    expect(await slicesOf()).toEqual(before);
    await Promise.all([rig.makeBlocks(), rig.makeBlocks(), rig.makeBlocks()]);
    expect(await slicesOf()).toEqual(before);
    expect(await differences()).toEqual([]);
  });

  it('follow answers that take the place of estimates, and prices that come late', async () => {
    const answer = lateEvent({ id: uuidv7(startAt + 20.5 * dayMs), model: 'test/later' });
    const estimate = { ...answer, state: 'cancelled' as const, endedAt: answer.endedAt - 3 * hourMs, estimated: true };
    await env.newIngest().ingest([{ ...estimate, usage: { ...answer.usage, input: 7, output: 0 } }]);
    await rig.makeBlocks();
    await env.newIngest().ingest([answer]);
    await rig.makeBlocks();
    const late = { name: 'late', requests: 1, unpricedRequests: 1, inputTokens: 10, outputTokens: 5, costNanoUsd: '0' };
    expect((await slicesOf()).slices).toEqual([late]);
    await addPrice(env.catalog, 'test/later', { input: '3', output: '1' });
    await new LatePricing(env.databases).run();
    const priced = [{ ...late, unpricedRequests: 0, costNanoUsd: '35000' }];
    expect((await slicesOf()).slices).toEqual(priced);
    await rig.makeBlocks();
    expect((await slicesOf()).slices).toEqual(priced);
    expect(await differences()).toEqual([]);
  });

  it('tell of a name all that it used, also where it is not among the most costly of a block', async () => {
    const many = (part: number) =>
      Array.from({ length: 1_400 }, (_, index) =>
        lateEvent({
          keyId: `key-${index % 2}`,
          endedAt: startAt + part * 16 * dayMs + (index % 9) * hourMs,
          usage: { input: 10 + (part % 2 ? index : 1_400 - index), output: 0 },
          attribution: { endUser: `user-${index}`, tags: [`tag-${index}`, 'all'] },
        }),
      );
    const events = [0, 1, 2].flatMap(many);
    await env.newIngest().ingest(events);
    const asked = {
      startAt,
      endAt: startAt + 48 * dayMs,
      accountId: 'account-1',
      dimension: 'end_user' as const,
      most: 20,
    };
    const before = await slicedWindowOf(env.database, asked, 0);
    expect(before.slices[0]).toMatchObject({ name: 'user-0', requests: 3, inputTokens: 1_410 + 10 + 1_410 });
    await rig.makeBlocks();
    expect(await slicedWindowOf(env.database, asked, 0)).toEqual(before);
    const tags = await slicedWindowOf(env.database, { ...asked, dimension: 'tag' }, 0);
    expect([tags.slices[0]?.name, tags.slices[0]?.requests, tags.none.requests]).toEqual(['all', events.length, 0]);
  });

  it('and rows are read in one moment while late usage comes and blocks are made', async () => {
    await env.newIngest().ingest(eventsOf(300).map(ownKeys));
    let done = false;
    const storing = (async () => {
      for (let turn = 0; turn < 30; turn++) {
        await env.newIngest().ingest([lateEvent({ endedAt: startAt + (turn % 5) * 13.1 * dayMs })]);
        if (turn % 4 === 0) await rig.makeBlocks();
      }
      done = true;
    })();
    let seen = 0;
    while (!done) {
      const { slices, other, none, totals } = await slicesOf(2);
      const parts = [...slices, other, none];
      const sum = (of: 'requests' | 'inputTokens') => parts.reduce((total, part) => total + part[of], 0);
      expect([sum('requests'), sum('inputTokens')]).toEqual([totals.requests, totals.inputTokens]);
      expect(parts.reduce((total, { costNanoUsd }) => total + BigInt(costNanoUsd), 0n).toString()).toBe(
        totals.costNanoUsd,
      );
      expect(totals.requests).toBeGreaterThanOrEqual(seen);
      seen = totals.requests;
    }
    await storing;
    await rig.makeBlocks();
    expect(await differences()).toEqual([]);
  });

  it('of everybody are made also where an older release, which makes the short ones, has gone over the days', async () => {
    await env.newIngest().ingest(eventsOf(200).map(ownKeys));
    await rig.makeBlocks();
    const longer = { keyId: '*', days: { gt: 1 } };
    const count = await env.database.usageBlock.count({ where: longer });
    const before = await chart({ startAt, endAt, groupBy: 'key' });
    await env.database.usageBlock.deleteMany({ where: longer });
    await rig.makeBlocks();
    expect(await env.database.usageBlock.count({ where: longer })).toBe(count);
    expect(await chart({ startAt, endAt, groupBy: 'key' })).toEqual(before);
    expect(await differences()).toEqual([]);
  });

  it('are named by a recount where they are wrong', async () => {
    await env.newIngest().ingest([lateEvent()]);
    await rig.makeBlocks();
    const { build } = await env.database.usageBlock.findFirstOrThrow({ where: { days: 16, keyId: '' } });
    await env.database.usageBlockSum.updateMany({
      where: { build, dimension: 'end_user' },
      data: { inputTokens: 11n },
    });
    expect(await differences()).toEqual([
      {
        keyId: '',
        model: '',
        field: expect.stringMatching(/^block of account-1 2024-\d\d-\d\d 16 days end_user "late" inputTokens$/),
        events: '10',
        rollups: '11',
      },
    ]);
  });

  it('go with the names that they hold', async () => {
    const now = () => endAt + 40 * dayMs;
    const months = new EventMonths(env.databases, { retentionMonths: 2 }, now);
    await env.newIngest().ingest(eventsOf(100).map(ownKeys));
    await rig.makeBlocks();
    await months.maintain();
    await expect(
      env.database.usageBlock.count({ where: { at: { lt: new Date(months.keptSinceMs()) } } }),
    ).resolves.toBe(0);
    const builds = await env.database.usageBlock.findMany({ select: { build: true } });
    const sums = await env.database.usageBlockSum.groupBy({ by: ['build'] });
    expect(new Set(sums.map(({ build }) => build))).toEqual(new Set(builds.map(({ build }) => build)));
    await rig.makeBlocks({ now, retentionMonths: 2 });
    expect(await env.database.usageBlock.count({ where: { at: { lt: new Date(months.keptSinceMs()) } } })).toBe(0);
    expect((await recount(env.database, null, months.completeSinceMs())).differences).toEqual([]);
  });
});
