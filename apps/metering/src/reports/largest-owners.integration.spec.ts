import type { UsageEvent } from '@tollgate/contracts';
import type { SeriesStep } from '@tollgate/contracts/metering';
import { BlocksRig, endAt, startAt } from '../blocks/blocks-rig.fixture';
import { cutIntoHours } from '../blocks/ended-hours';
import { makeEvent } from '../testing/make-event';
import { addPrice } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { largestOwners } from './largest-owners';
import { recount } from './recount';
import { seriesWindow } from './series-window';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const zones = ['UTC', 'America/Los_Angeles', 'Asia/Kolkata'];

let rig: BlocksRig;
let env: MeteringDatabase;
beforeEach(async () => {
  rig = await BlocksRig.start();
  ({ env } = rig);
  await addPrice(env.catalog, 'test/other', { input: '1', output: '2' });
});
afterEach(() => rig.stop());

/** What a key used of a model, in thousandths of a dollar; each key is that of an account of its own. */
function used(key: string, hour: number, cost: number, change: Partial<UsageEvent> = {}): UsageEvent {
  const endedAt = startAt + hour * hourMs;
  const of = { keyId: key, accountId: `account of ${key}`, endedAt, startedAt: endedAt - 10 };
  return makeEvent({ ...of, ...change, usage: { input: cost * 1_000, output: 0 } });
}

interface Asked {
  from?: number;
  to?: number;
  most?: number;
  timeZone?: string;
  step?: SeriesStep;
  groupBy?: 'key' | 'account';
  model?: string | undefined;
}

/** Hours are counted from the first of the 64 days. */
async function owners({ from = 0, to = 64 * 24, most = 2, timeZone = 'UTC', step = 'day', ...asked }: Asked = {}) {
  const within = { startAt: startAt + from * hourMs, endAt: startAt + to * hourMs, step, timeZone };
  const question = { groupBy: 'key' as const, model: 'test/priced', ...asked };
  const found = await largestOwners(env.database, await seriesWindow(env.database, within, 0), question, most);
  return found.map(({ name, accountIds }) => ({ name, accountIds: accountIds.toSorted() }));
}

async function names(asked: Asked = {}): Promise<string[]> {
  return (await owners(asked)).map(({ name }) => name);
}

/** What blocks and hours there are have: how often they tell of a model. */
async function told(): Promise<[ofBlocks: number, ofHours: number]> {
  return [await env.database.usageBlockOwners.count(), await env.database.usageEndedOwners.count()];
}

async function differences() {
  return (await recount(env.database, null, 0)).differences;
}

describe('the largest of everybody of one model', () => {
  /** Who is the largest of all models is not that of one, and who is that of the first day not of the rest. */
  const events = () => [
    used('first', 2, 900),
    used('first', 30, 1),
    used('steady', 22, 30),
    used('steady', 700, 300),
    used('second', 40, 200),
    used('second', 900, 50),
    used('second', 900, 0, { cached: true }),
    used('of another model', 300, 5_000, { model: 'test/other' }),
    used('second', 300, 9_000, { model: 'test/other' }),
    used('last', 1_400.6, 240),
    used('too late', 1_500, 10_000),
  ];
  const right = async () => ({
    days: await Promise.all(zones.map((timeZone) => names({ from: 20, to: 1_401, timeZone, most: 3 }))),
    accounts: await names({ from: 20, to: 1_401, groupBy: 'account' }),
    hours: await names({ from: 20.5, to: 1_400.5, step: 'hour', most: 10 }),
    minutes: await names({ from: 1_380, to: 1_400.7, step: 'minute', most: 10 }),
    other: await names({ from: 20, to: 1_401, model: 'test/other', most: 10 }),
    none: await names({ from: 20, to: 1_401, model: 'test/none' }),
  });
  const expected = {
    days: Array.from({ length: 3 }, () => ['steady', 'second', 'last']),
    accounts: ['account of steady', 'account of second'],
    hours: ['steady', 'second', 'first'],
    minutes: ['last'],
    other: ['second', 'of another model'],
    none: [],
  };

  it('are found in rows, in blocks and in hours that are kept, in days of any time zone', async () => {
    await env.newIngest().ingest(events());
    expect(await right()).toEqual(expected);
    await rig.makeHours(startAt + 1_402 * hourMs, 1_402);
    expect(await right()).toEqual(expected);
    await rig.makeBlocks();
    expect(await right()).toEqual(expected);
    await env.database.usageEndedOwners.deleteMany();
    expect(await right()).toEqual(expected);
    expect(await differences()).toEqual([]);
  });

  it('are told from blocks, whose copies a recount compares with their rows', async () => {
    await env.newIngest().ingest(events());
    await rig.makeBlocks();
    // The cost of another of them, a billionth of a dollar more, and then by far the most.
    const add = async (more: number) => {
      await env.database.$executeRaw`
        UPDATE usage_block_owners SET costs[array_position(keys, 'second')] = costs[array_position(keys, 'second')] + ${more}::bigint
        WHERE model = 'test/priced' AND build = (SELECT build FROM usage_block WHERE key_id = '*' AND days = 64)`;
      // As whoever fills a block does.
      await env.database.$executeRaw`UPDATE usage_block SET edition = edition WHERE key_id = '*' AND days = 64`;
    };
    await add(1);
    expect(await differences()).toMatchObject([
      {
        keyId: '*',
        field: expect.stringContaining('64 days owner of test/priced "second account of second" costNanoUsd'),
      },
    ]);
    expect(await names({ most: 1 })).toEqual(['too late']);
    await add(20_000_000_000);
    expect(await names({ most: 1 })).toEqual(['second']);
  });

  it('are told from hours that are kept, whose copies a recount compares with their rows', async () => {
    await env
      .newIngest()
      .ingest([used('key-1', 0, 10), used('key-2', 0, 9), used('key-2', 0, 9, { model: 'test/other' })]);
    await rig.makeHours(startAt + 2 * hourMs);
    expect(await differences()).toEqual([]);
    await env.database.$executeRaw`
      UPDATE usage_ended_owners SET costs[array_position(keys, 'key-2')] = 10000001 WHERE model = 'test/priced'`;
    expect(await differences()).toEqual([
      {
        keyId: 'key-2',
        model: 'test/priced',
        field: 'kept hours 2024-09-02T00:00Z 1 costNanoUsd',
        events: '9000000',
        rollups: '10000001',
      },
    ]);
    expect(await names({ to: 24, most: 1 })).toEqual(['key-2']);
  });

  it('are told with all accounts of their keys', async () => {
    const moves = [
      used('key-1', 3, 100),
      used('key-1', 40, 100, { accountId: 'account-2' }),
      used('key-1', 1_000, 100, { accountId: 'account-3' }),
      used('key-1', 1_001, 100, { accountId: 'account-4', model: 'test/other' }),
      used('key-2', 22, 40),
    ];
    await env.newIngest().ingest(moves);
    const all = { name: 'key-1', accountIds: ['account of key-1', 'account-2', 'account-3'] };
    const alone = { name: 'key-2', accountIds: ['account of key-2'] };
    const expectTold = async () => {
      expect(await owners()).toEqual([all, alone]);
      expect(await owners({ from: 2, step: 'hour', most: 1 })).toEqual([all]);
      expect(await owners({ groupBy: 'account', most: 1 })).toEqual([
        { name: 'account of key-1', accountIds: ['account of key-1'] },
      ]);
      // Of the first day there is a part, which has nothing of the account of that day.
      const [first, second] = await owners({ from: 20 });
      expect([first?.name, first?.accountIds.includes('account-3'), second]).toEqual(['key-1', true, alone]);
    };
    await expectTold();
    await rig.makeHours(startAt + 1_002 * hourMs, 1_002);
    await expectTold();
    await rig.makeBlocks();
    await expectTold();
    expect(await owners({ model: undefined, most: 1 })).toEqual([{ name: 'key-1', accountIds: [] }]);
  });
});

describe('what everybody used of each model', () => {
  it('is missed by blocks of the release before, which are made anew', async () => {
    await env
      .newIngest()
      .ingest([used('key-1', 5, 10), used('key-2', 600, 9), used('key-2', 1_500, 9, { model: 'test/other' })]);
    await rig.makeBlocks();
    const before = await told();
    expect(await names()).toEqual(['key-1', 'key-2']);
    await env.database.usageBlockOwners.deleteMany();
    await env.database.$executeRaw`UPDATE usage_block SET edition = 4 WHERE key_id = '*' AND days IN (1, 16)`;
    await env.database.$executeRaw`UPDATE usage_block SET edition = 3 WHERE key_id = '*' AND days IN (4, 64)`;
    expect(await names()).toEqual(['key-1', 'key-2']);
    expect(await differences()).toEqual([]);
    await rig.makeBlocks();
    const older = await env.database.usageBlock.count({ where: { keyId: '*', edition: { lt: 5 } } });
    expect([older, await told()]).toEqual([0, before]);
    expect(await names()).toEqual(['key-1', 'key-2']);
    expect(await differences()).toEqual([]);
  });

  it('is made anew where late usage has changed it, and goes with its block', async () => {
    await env.newIngest().ingest([used('key-1', 5, 10), used('key-2', 600, 9)]);
    await rig.makeBlocks();
    await env.newIngest().ingest([used('key-2', 7, 5)]);
    expect(await names({ most: 1 })).toEqual(['key-2']);
    await rig.makeBlocks();
    expect(await names({ most: 1 })).toEqual(['key-2']);
    expect(await differences()).toEqual([]);
    await env.database.usageBlock.deleteMany();
    expect(await told()).toEqual([0, 0]);
  });

  it('is kept of hours apart from what a release before makes anew, and removed with it', async () => {
    await env
      .newIngest()
      .ingest([used('key-1', 0, 10), used('key-2', 0, 8), used('key-2', 1, 1, { model: 'test/other' })]);
    await rig.makeHours(startAt + 3 * hourMs);
    const kept = async (model?: string) =>
      (await cutIntoHours(env.database, [{ from: startAt, to: startAt + 12 * hourMs }], model)).kept.map(
        ({ at }) => (at - startAt) / hourMs,
      );
    expect([await kept(), await kept('test/priced'), await kept('test/other')]).toEqual([[0, 1], [0], [1]]);
    await env.newIngest().ingest([used('key-2', 0.5, 7)]);
    // As the release before does, which knows no models.
    await env.database.$executeRaw`
      UPDATE usage_ended_hours AS made SET made_at = now(), seen = (
        SELECT string_agg(hour.xmin::text, ' ' ORDER BY hour.at, hour.model, hour.provider) FROM usage_hour AS hour
        WHERE hour.key_id = '*' AND hour.at >= made.at AND hour.at < made.at + made.hours * interval '1 hour')`;
    expect([await kept(), await kept('test/priced'), await kept('test/other')]).toEqual([[0, 1], [], [1]]);
    expect(await names({ to: 24, most: 1 })).toEqual(['key-2']);
    await rig.makeHours(startAt + 3 * hourMs);
    expect([await kept(), await kept('test/priced'), await kept('test/other')]).toEqual([[0, 1], [0], [1]]);
    expect(await names({ to: 24, most: 1 })).toEqual(['key-2']);
    await rig.makeHours(endAt);
    expect([await told(), await env.database.usageEndedHours.count()]).toEqual([[0, 0], 0]);
  });

  it('of hours in which nobody used the model is not read at all', async () => {
    await env
      .newIngest()
      .ingest([
        used('key-1', 3, 1),
        used('key-1', 4, 1),
        used('key-1', 9, 1),
        used('key-2', 6, 1, { model: 'test/other' }),
      ]);
    const range = { from: startAt, to: startAt + dayMs };
    const { ranges } = await cutIntoHours(
      env.database,
      [range, { from: range.to, to: range.to + dayMs }],
      'test/priced',
    );
    expect(ranges.map(({ from, to }) => [(from - startAt) / hourMs, (to - startAt) / hourMs])).toEqual([
      [3, 5],
      [9, 10],
    ]);
  });
});
