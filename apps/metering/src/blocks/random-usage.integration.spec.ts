import { uuidv7 } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { sliceDimensions } from '@tollgate/contracts/metering';
import { recount } from '../reports/recount';
import { readSeries } from '../reports/series';
import { seriesWindow } from '../reports/series-window';
import { slicedWindowOf } from '../slices/slices-report';
import { makeEvent } from '../testing/make-event';
import type { MeteringDatabase } from '../testing/metering-database';
import { type BlocksRig, startAt, rigOfEachTest } from './blocks-rig.fixture';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Hours, halves and quarters of them from UTC; in all but the first the clocks change meanwhile. */
const timeZones = ['Asia/Kathmandu', 'Pacific/Chatham', 'America/St_Johns', 'Australia/Lord_Howe', 'Europe/Berlin'];
/** Clocks go back to midnight, or forward from it. */
const midnightZones = ['Atlantic/Azores', 'America/Havana', 'America/Santiago', 'Asia/Beirut', 'Africa/Cairo'];
/** Some of them are patterns of the others. */
const models = ['test/priced', 'test/unpriced', 'a_b', 'ab', 'a%', '%'];

let rig: BlocksRig;
let env: MeteringDatabase;
rigOfEachTest((made) => {
  rig = made;
  ({ env } = rig);
});

/** The same numbers each time: from 0 up to 1. */
function numbersFrom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  const below = (count: number): number => Math.floor(next() * count);
  const oneOf = <One>(all: readonly One[]): One => {
    const one = all[below(all.length)];
    if (one === undefined) throw new Error('there is nothing to choose from');
    return one;
  };
  return { next, below, oneOf };
}
type Numbers = ReturnType<typeof numbersFrom>;

/** At any time of the 64 days and two before and behind them, of any of seven keys of two accounts. */
function eventOf({ next, below, oneOf }: Numbers): UsageEvent {
  const endedAt = startAt - 2 * dayMs + below(68 * dayMs);
  const [latencyMs, key, cached] = [1 + below(5_000), below(7), next() < 0.1];
  return makeEvent({
    id: uuidv7(endedAt - latencyMs),
    startedAt: endedAt - latencyMs,
    endedAt,
    firstTokenAt: next() < 0.5 ? null : endedAt - Math.floor(latencyMs / 2),
    keyId: `key-${key}`,
    accountId: `account-${key % 2}`,
    model: oneOf(models),
    cached,
    state: oneOf(['completed', 'failed', 'cancelled'] as const),
    attempts: [{ deployment: 'b', provider: oneOf(['one', 'two']), status: 200, error: null, latencyMs }],
    usage: cached ? { input: 0, output: 0 } : { input: below(1_000), output: below(100), cachedInput: below(10) },
    attribution: { endUser: `user-${below(30)}`, ...(next() < 0.3 && { tags: ['all', 'all%'] }), agent: 'codex' },
  });
}

/** Any chart by the day and any report of slices. */
function questionsOf({ next, below, oneOf }: Numbers, zones: readonly string[]) {
  const from = startAt - 3 * dayMs + below(66 * 96) * (hourMs / 4) + (next() < 0.2 ? 77_777 : 0);
  const to = from + 1 + below(next() * 66 * dayMs);
  const accountId = oneOf(['account-0', 'account-1']);
  const keyIds = [`key-${below(7)}`, `key-${below(7)}`];
  const ofModel = next() < 0.4 ? { model: oneOf(models) } : {};
  const chart = {
    ...oneOf([{}, { accountId }, { keyIds }, { keyIds, accountId }]),
    ...ofModel,
    ...(next() < 0.2 && { provider: 'two' }),
    groupBy: oneOf(['none', 'model', 'provider', 'key', 'account'] as const),
    maxLines: oneOf([1, 2, 20]),
  };
  const asked = { startAt: from, endAt: to, step: 'day' as const, timeZone: oneOf(zones) };
  const minutesSince = next() < 0.3 ? startAt + below(40) * dayMs : 0;
  const slices = {
    startAt: from,
    endAt: to,
    accountId,
    ...ofModel,
    dimension: oneOf(sliceDimensions),
    most: oneOf([1, 50]),
  };
  return { chart, asked, minutesSince, slices };
}

/** What is said with blocks, and what without any. */
async function expectSame({ chart, asked, minutesSince, slices }: ReturnType<typeof questionsOf>): Promise<void> {
  const read = async () => ({
    asked: { chart, asked, minutesSince, slices },
    chart: await readSeries(env.databases.charts, await seriesWindow(env.database, asked, minutesSince), chart),
    slices: await slicedWindowOf(env.database, slices, 0),
  });
  const ofBlocks = await read();
  const never = new Date(Date.UTC(2040, 0));
  await env.database.$executeRaw`INSERT INTO usage_block_stale (build, since) SELECT build, ${never} FROM usage_block`;
  await env.database.$executeRaw`UPDATE usage_ended_hours SET seen = 'not ' || seen`;
  await env.database.$executeRaw`UPDATE usage_ended_owners SET seen = 'not ' || seen`;
  expect(ofBlocks).toEqual(await read());
  await env.database.usageBlockStale.deleteMany({ where: { since: never } });
  await env.database.$executeRaw`UPDATE usage_ended_hours SET seen = substr(seen, 5)`;
  await env.database.$executeRaw`UPDATE usage_ended_owners SET seen = substr(seen, 5)`;
}

/** An older release makes some blocks while it may. Usage that is late waits for each. */
async function makeAsOlder({ below, oneOf }: Numbers, isDone: () => boolean): Promise<void> {
  const older = await rig.session();
  for (let made = 0; made < 60 && !isDone(); made++) {
    const days = oneOf([1, 4, 16, 64]);
    const at = new Date(startAt + below(64 / days) * days * dayMs);
    const [account, key] = oneOf([['account-1', ''] as const, ['', '*'] as const, ['account-1', 'key-1'] as const]);
    await older.query('SELECT make_usage_block($1, $2, $3, $4)', [account, key, days, at]);
  }
}

describe('reports of random usage', () => {
  it.each([
    ['zones of all kinds', timeZones, 1, 100, 1],
    ['zones whose clocks change at midnight', midnightZones, 2, 100, 1],
    ['zones of all kinds, where few keys have hours', timeZones, 3, 2, 1],
    ['zones of all kinds, where accounts have long blocks only', timeZones, 4, 100, 50],
    ['zones whose clocks change at midnight, where accounts have long blocks only', midnightZones, 5, 2, 50],
  ])(
    'say with blocks what they say without, in %s, while these are made and usage comes late',
    async (_, zones, seed, keysWithHours, few) => {
      await rig.makeHoursOfKeys(keysWithHours);
      const numbers = numbersFrom(seed);
      const events = (count: number) => Array.from({ length: count }, () => eventOf(numbers));
      const makeHours = () => rig.makeHours(startAt + 40 * dayMs, 30 * 24);
      const compare = async () => {
        for (let turn = 0; turn < 10; turn++) await expectSame(questionsOf(numbers, zones));
      };
      await env.newIngest().ingest(events(1_000));
      await rig.makeBlocks({ few });
      const made = (days: number) => env.database.usageBlock.count({ where: { keyId: '', days } });
      expect([(await made(1)) > 0, (await made(4)) > 0, (await made(16)) > 0]).toEqual([few === 1, few === 1, true]);
      await makeHours();
      await compare();
      let isDone = false;
      const makers = [
        makeAsOlder(numbersFrom(seed), () => isDone),
        rig.makeBlocks({ few }),
        rig.makeBlocks({ few }),
        makeHours(),
        makeHours(),
      ];
      const late = async () => {
        for (let turn = 0; turn < 6; turn++) await env.newIngest().ingest(events(3));
      };
      await Promise.all([late(), late()]);
      isDone = true;
      await Promise.all(makers);
      await compare();
      await rig.makeBlocks({ few });
      await makeHours();
      expect(await env.database.usageBlockStale.count()).toBe(0);
      await compare();
      expect((await recount(env.database, null, 0)).differences).toEqual([]);
    },
  );
});
