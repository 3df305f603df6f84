import { createHash } from 'node:crypto';
import { uuidv7 } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import type { SeriesStep } from '@tollgate/contracts/metering';
import type { Statements } from '@tollgate/database';
import { BlocksRig, startAt } from '../blocks/blocks-rig.fixture';
import { entry } from '../ingest/fold-rows';
import { makeEvent } from '../testing/make-event';
import { addPrice } from '../testing/metering-database';
import { largestOwners } from './largest-owners';
import { seriesWindow } from './series-window';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const zones = ['UTC', 'America/Los_Angeles', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/St_Johns'];
const models = ['test/priced', 'test/other'];

/** Who used less in the days of a block has none: everybody has more in each day, most others have not. */
const few = 15;
/** More than blocks are asked for by their places, and more of a model than are kept in memory. */
const keyCount = 330;
const accountCount = 70;
/** Keys that cost much on all days, and those behind them, on some days alone. */
const costly = 6;
const costlyOnce = 12;

/** A number from 0 up to, not including, `count`; the same each time. */
function draw(index: number, of: number, count: number): number {
  const drawn = createHash('sha256').update(`${index} ${of}`).digest().readUInt32BE();
  return Math.floor((drawn / 2 ** 32) * count);
}

function tokensOf(index: number, key: number, day: number): number {
  if (key < costly) return 50_000 + draw(index, 4, 30_000);
  if (key < costlyOnce && day % 16 === key) return 200_000;
  // Many cost the same.
  return 1 + draw(index, 4, 4);
}

/** Some keys go from account to account. A tenth is answered from the response cache, and costs nothing. */
function eventsFrom(first: number, count: number): UsageEvent[] {
  return Array.from({ length: count }, (_, place) => {
    const index = first + place;
    const endedAt = startAt - dayMs + draw(index, 1, 36 * dayMs);
    const key = draw(index, 6, 4) === 0 ? draw(index, 7, costlyOnce) : index % keyCount;
    const cached = draw(index, 8, 10) === 0;
    return makeEvent({
      id: uuidv7(endedAt - 100),
      endedAt,
      startedAt: endedAt - 100,
      keyId: `key-${key}`,
      accountId: `account-${(key + (key % 9 === 0 ? Math.floor(endedAt / (50 * hourMs)) : 0)) % accountCount}`,
      model: models[draw(index, 5, 2)] ?? '',
      cached,
      usage: { input: cached ? 0 : tokensOf(index, key, Math.floor(endedAt / dayMs)), output: 0 },
    });
  });
}

interface Asked {
  groupBy: 'key' | 'account';
  most: number;
  model?: string;
  from: number;
  to: number;
  step: SeriesStep;
  timeZone: string;
}

/** The same of the events alone. Days count with the whole hours around them. */
function counted(events: readonly UsageEvent[], { groupBy, most, model, step }: Asked, from: number, to: number) {
  const unit = step === 'day' ? hourMs : 1;
  const [since, until] = [Math.floor(from / unit) * unit, Math.ceil(to / unit) * unit];
  const sums = new Map<string, { cost: number; requests: number }>();
  for (const { endedAt, keyId, accountId, cached, usage, ...event } of events) {
    if (endedAt < since || endedAt >= until || (model !== undefined && event.model !== model)) continue;
    const sum = entry(sums, groupBy === 'key' ? keyId : accountId, () => ({ cost: 0, requests: 0 }));
    sum.cost += usage.input;
    sum.requests += cached === true ? 0 : 1;
  }
  return [...sums]
    .toSorted(
      ([one, a], [other, b]) =>
        b.cost - a.cost || b.requests - a.requests || Buffer.compare(Buffer.from(one), Buffer.from(other)),
    )
    .slice(0, most)
    .map(([name]) => name)
    .toSorted();
}

let rig: BlocksRig;
beforeEach(async () => {
  rig = await BlocksRig.start();
  await addPrice(rig.env.catalog, 'test/other', { input: '1', output: '2' });
});
afterEach(() => rig.stop());

/** How it was found: by who leads in blocks (and whether that was enough), or among all. */
type Way = 'leading' | 'not sure' | 'all';

async function found(asked: Asked, events: readonly UsageEvent[]): Promise<Way> {
  const { database } = rig.env;
  const { from, to, step, timeZone, most, ...question } = asked;
  const statements: string[] = [];
  const queries: Statements = {
    $queryRaw: (query, ...values) => {
      statements.push('text' in query ? query.text : query.join('?'));
      return database.$queryRaw(query, ...values);
    },
    $executeRaw: (query, ...values) => database.$executeRaw(query, ...values),
  };
  const window = await seriesWindow(database, { startAt: from, endAt: to, step, timeZone }, 0);
  const owners = await largestOwners(queries, window, question, most);
  expect([asked, owners.map(({ name }) => name).toSorted()]).toEqual([
    asked,
    counted(events, asked, window.from, window.to),
  ]);
  const last = statements.at(-1) ?? '';
  if (last.includes('ahead AS')) return 'leading';
  return statements.some((text) => text.includes('ahead AS')) ? 'not sure' : 'all';
}

/** Asks many questions, and tells how often each way was taken. */
async function expectFound(events: readonly UsageEvent[], seed: number, turns: number, fixed: Partial<Asked> = {}) {
  const ways: Record<Way, number> = { leading: 0, 'not sure': 0, all: 0 };
  for (let turn = 0; turn < turns; turn++) {
    const number = (of: number, count: number) => draw(seed * 1_000 + turn, of, count);
    const from = startAt - dayMs + number(1, 3 * 24 * 60) * minuteMs;
    const asked: Asked = {
      groupBy: number(2, 3) === 0 ? 'account' : 'key',
      most: [1, 3, 6, 20, 40][number(3, 5)] ?? 1,
      ...(number(4, 2) === 0 && { model: models[number(5, 2)] ?? '' }),
      from,
      to: from + (18 * dayMs + number(6, 17 * 24 * 60) * minuteMs),
      step: number(7, 4) === 0 ? 'hour' : 'day',
      timeZone: zones[number(8, zones.length)] ?? 'UTC',
      ...fixed,
    };
    ways[await found(asked, events)]++;
  }
  return ways;
}

it('the largest are those of a count of the events, whoever leads in blocks', async () => {
  const events = eventsFrom(0, 1_500);
  await rig.env.newIngest().ingest(events);
  expect(await expectFound(events, 1, 6)).toEqual({ leading: 0, 'not sure': 0, all: 6 });
  await rig.makeBlocks({ few });
  const ways = await expectFound(events, 2, 40);
  // Many have as much as the last of those that are asked for: who they are is not plain without all.
  expect(Math.min(ways.leading, ways['not sure'])).toBeGreaterThan(2);
  await rig.makeHours(startAt + 35 * dayMs, 36 * 24);
  await expectFound(events, 3, 12);
  // Late usage makes blocks stale; they are read from rows, and made anew.
  const late = eventsFrom(8_000, 60);
  const all = [...events, ...late];
  await rig.env.newIngest().ingest(late);
  await expectFound(all, 3, 12);
  await rig.makeBlocks({ few });
  await expectFound(all, 3, 12);
});

it('what is kept of a model is not told of blocks that were made anew, or of others', async () => {
  const events = eventsFrom(0, 900);
  await rig.env.newIngest().ingest(events);
  await rig.makeBlocks({ few });
  const whole = {
    model: 'test/priced',
    from: startAt,
    to: startAt + 32 * dayMs,
    timeZone: 'UTC',
    step: 'day' as const,
  };
  const ask = (groupBy: 'key' | 'account', most: number, days = 32) =>
    found({ ...whole, to: startAt + days * dayMs, groupBy, most }, events);
  const askAll = async () => {
    for (const days of [32, 16]) for (const groupBy of ['key', 'account'] as const) await ask(groupBy, 3, days);
    return ask('key', 3);
  };
  expect(await askAll()).toBe('leading');
  expect(await askAll()).toBe('leading');
  const endedAt = startAt + 20 * dayMs;
  const of = { id: uuidv7(endedAt - 100), startedAt: endedAt - 100, keyId: 'key-300', accountId: 'account-20' };
  const late = makeEvent({ ...of, endedAt, model: 'test/priced', usage: { input: 3_000_000, output: 0 } });
  await rig.env.newIngest().ingest([late]);
  events.push(late);
  await askAll();
  await rig.makeBlocks({ few });
  expect(await askAll()).toBe('leading');
});
