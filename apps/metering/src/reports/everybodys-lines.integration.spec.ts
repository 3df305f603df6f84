import { createHash } from 'node:crypto';
import { uuidv7 } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import type { SeriesStep } from '@tollgate/contracts/metering';
import { BlocksRig, startAt } from '../blocks/blocks-rig.fixture';
import { entry } from '../ingest/fold-rows';
import { makeEvent } from '../testing/make-event';
import { addPrice } from '../testing/metering-database';
import { readSeries } from './series';
import { seriesWindow } from './series-window';
import type { SeriesWindow } from './series-window';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A number from 0 up to, not including, `count`; the same each time. */
function draw(index: number, of: number, count: number): number {
  const drawn = createHash('sha256').update(`${index} ${of}`).digest().readUInt32BE();
  return Math.floor((drawn / 2 ** 32) * count);
}

/** The last is used in few hours. All cost the same. */
const models = ['test/priced', 'test/other', 'test/rare'];

/** Keys that go from account to account, in hours that midnights cut, too; no two lines cost the same. */
function eventsFrom(first: number, count: number): UsageEvent[] {
  return Array.from({ length: count }, (_, place) => {
    const index = first + place;
    const endedAt = startAt - dayMs + draw(index, 1, 34 * dayMs);
    const key = draw(index, 2, 8);
    return makeEvent({
      id: uuidv7(endedAt - 100),
      endedAt,
      startedAt: endedAt - 100,
      keyId: `key-${key}`,
      model: models[index % 40 === 0 ? 2 : draw(index, 5, 2)] ?? '',
      accountId: `account-${key < 4 ? key % 3 : Math.floor(endedAt / (7.3 * hourMs + key)) % 3}`,
      attempts: [
        { deployment: 'd', provider: `provider-${draw(index, 3, 2)}`, status: 200, error: null, latencyMs: 1 },
      ],
      usage: { input: 1 + draw(index, 4, 100_000), output: 0 },
    });
  });
}

interface Asked {
  groupBy: 'key' | 'account';
  maxLines: number;
  model?: string;
  provider?: string;
}

/** The tokens of each line in each step, from the events alone; lines as dear as they have tokens. */
function counted(events: readonly UsageEvent[], window: SeriesWindow, { groupBy, maxLines, model, provider }: Asked) {
  const nameOf = (event: UsageEvent) => (groupBy === 'key' ? event.keyId : event.accountId);
  const wanted = events.filter(
    (event) =>
      (provider === undefined || event.attempts[0]?.provider === provider) &&
      (model === undefined || event.model === model),
  );
  const wholeHours =
    window.step === 'day'
      ? { from: window.from - (window.from % hourMs), to: Math.ceil(window.to / hourMs) * hourMs }
      : window;
  const costs = new Map<string, number>();
  for (const event of wanted)
    if (event.endedAt >= wholeHours.from && event.endedAt < wholeHours.to)
      costs.set(nameOf(event), (costs.get(nameOf(event)) ?? 0) + event.usage.input);
  const largest = new Set(
    [...costs]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, maxLines)
      .map(([name]) => name),
  );
  const lines = new Map<string, Map<number, { requests: number; tokens: number }>>();
  for (const event of wanted) {
    if (event.endedAt < window.from || event.endedAt >= window.to) continue;
    const step = window.bounds.findLast((bound) => bound <= event.endedAt) ?? 0;
    const line = entry(
      lines,
      largest.has(nameOf(event)) ? nameOf(event) : 'other',
      () => new Map<number, { requests: number; tokens: number }>(),
    );
    const known = entry(line, step, () => ({ requests: 0, tokens: 0 }));
    known.requests++;
    known.tokens += event.usage.input;
  }
  return new Map([...lines].map(([name, line]) => [name, [...line].toSorted(([one], [other]) => one - other)]));
}

let rig: BlocksRig;
beforeEach(async () => {
  rig = await BlocksRig.start();
  for (const model of models.slice(1)) await addPrice(rig.env.catalog, model, { input: '1', output: '2' });
});
afterEach(() => rig.stop());

const zones = ['UTC', 'America/Los_Angeles', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Chatham', 'Europe/Berlin'];
const steps = ['day', 'day', 'day', 'hour', 'minute'] as const satisfies readonly SeriesStep[];

/** Charts of everything; `ofModels`: of a model, of a provider, or of both. */
async function expectCounted(
  events: readonly UsageEvent[],
  seed: number,
  most: number,
  ofModels = false,
): Promise<void> {
  for (let turn = 0; turn < most; turn++) {
    const number = (of: number, count: number) => draw(seed * 1_000 + turn, of, count);
    const step = ofModels ? 'day' : (steps[number(5, steps.length)] ?? 'day');
    const part = ofModels ? number(13, 3) : null;
    const from = startAt - 2 * dayMs + number(6, 32 * 24 * 60) * minuteMs;
    const to = from + (1 + number(7, step === 'minute' ? 2_000 : 36 * 24 * 60)) * minuteMs;
    const timeZone = zones[number(8, zones.length)] ?? 'UTC';
    const asked: Asked = {
      groupBy: number(9, ofModels ? 2 : 3) === 0 ? 'account' : 'key',
      maxLines: [1, 2, 3, 20][number(10, 4)] ?? 1,
      ...((part === null ? number(11, 4) === 0 : part > 0) && { provider: 'provider-1' }),
      ...((part === null ? number(12, 2) === 0 : part < 2) && { model: models[number(14, models.length)] ?? '' }),
    };
    const window = await seriesWindow(
      rig.env.database,
      { startAt: from, endAt: Math.min(to, from + 1_900 * hourMs), step, timeZone },
      0,
    );
    const { lines } = await readSeries(rig.env.databases.charts, window, asked);
    const told = new Map(
      lines.map(({ name, points }) => [
        name,
        points.map(({ at, requests, inputTokens }) => [at, { requests, tokens: inputTokens }]),
      ]),
    );
    const most = Math.max(1, Math.min(asked.maxLines, Math.floor(10_000 / window.bounds.length)));
    expect([asked, window.step, timeZone, from, to, told]).toEqual([
      asked,
      window.step,
      timeZone,
      from,
      to,
      counted(events, window, { ...asked, maxLines: most }),
    ]);
  }
}

it('charts of the largest of everybody say what a count of the events says, whatever blocks have of them', async () => {
  const events = eventsFrom(0, 1_200);
  await rig.env.newIngest().ingest(events);
  await expectCounted(events, 1, 15);
  await rig.makeHours(startAt + 34 * dayMs, 36 * 24);
  await expectCounted(events, 2, 15);
  await rig.env.database.$executeRaw`DELETE FROM usage_ended_hours WHERE extract(hour FROM at) % 3 = 0`;
  await rig.env.database.$executeRaw`DELETE FROM usage_ended_owners WHERE extract(hour FROM at) % 4 = 0`;
  await rig.makeBlocks();
  await expectCounted(events, 3, 20);
  await rig.makeHoursOfKeys(2);
  await rig.env.database.$executeRaw`DELETE FROM usage_ended_hours WHERE at < ${new Date(startAt + 20 * dayMs)}`;
  await rig.env.database.$executeRaw`DELETE FROM usage_ended_owners WHERE at < ${new Date(startAt + 20 * dayMs)}`;
  await expectCounted(events, 4, 10);
  await rig.makeBlocks();
  await expectCounted(events, 5, 20);
  // Half of them are of releases before, which have no hours of keys, and no owners.
  await rig.env.database.$executeRaw`
    DELETE FROM usage_block_points AS points USING usage_block AS block
    WHERE points.build = block.build AND block.build % 2 = 0 AND key_id = '*' AND dimension = 'key' AND (until < 1440 OR model <> '*')`;
  await rig.env.database.$executeRaw`
    DELETE FROM usage_block_owners AS owners USING usage_block AS block WHERE owners.build = block.build AND block.build % 2 = 0`;
  await rig.env.database.$executeRaw`UPDATE usage_block SET edition = 3 WHERE edition >= 5 AND build % 2 = 0`;
  await expectCounted(events, 6, 20);
  const late = eventsFrom(5_000, 30);
  await rig.env.newIngest().ingest(late);
  await expectCounted([...events, ...late], 7, 20);
  await rig.makeHours(startAt + 34 * dayMs);
  await expectCounted([...events, ...late], 8, 20);
});

it('so do those of a model, of a provider and of both, whatever blocks of accounts there are', async () => {
  const { database, newIngest } = rig.env;
  const events = eventsFrom(0, 1_200);
  await newIngest().ingest(events);
  const expectAll = (seed: number) => expectCounted(events, seed, 25, true);
  await expectAll(20);
  await rig.makeBlocks();
  await expectAll(21);
  // Of each model some keys have hours in everybody's blocks, and others do not.
  await rig.makeHoursOfKeys(4);
  await rig.makeBlocks();
  await expectAll(28);
  const keysOfModels = () => database.$queryRaw`
    SELECT build, count(DISTINCT (name, model)) FROM usage_block_points JOIN usage_block USING (build)
    WHERE key_id = '*' AND dimension = 'key' AND model <> '*' GROUP BY build ORDER BY build`;
  const told = await keysOfModels();
  expect(told).not.toEqual([]);
  // The edition before had none; some of its blocks got them since.
  const keysOfModelsGo = async (rest: number) => {
    await database.$executeRaw`
      DELETE FROM usage_block_points AS points USING usage_block AS block
      WHERE points.build = block.build AND key_id = '*' AND dimension = 'key' AND model <> '*' AND block.build % 2 = ${rest}`;
    await database.$executeRaw`UPDATE usage_block SET edition = 5 WHERE edition = 6 AND build % 2 = ${rest}`;
  };
  await keysOfModelsGo(0);
  await expectAll(29);
  await rig.makeBlocks();
  expect(await keysOfModels()).toEqual(told);
  await expectAll(30);
  await keysOfModelsGo(1);
  // Of 16 days some accounts have too many keys for points; those of one day had no rows by minute.
  await database.$executeRaw`
    DELETE FROM usage_block_points AS points USING usage_block AS block
    WHERE points.build = block.build AND key_id = '' AND block.build % 2 = 0 AND (dimension = 'key' OR days = 1)`;
  await expectAll(22);
  // Everybody's are missing in part, and those of accounts.
  await database.$executeRaw`DELETE FROM usage_block WHERE key_id = '*' AND days < 16 AND build % 3 = 0`;
  await database.$executeRaw`DELETE FROM usage_block WHERE key_id = '' AND days IN (1, 16) AND build % 4 = 0`;
  await expectAll(23);
  // The first edition had no lines, and the second no points.
  await database.$executeRaw`
    DELETE FROM usage_block_points AS points USING usage_block AS block WHERE points.build = block.build AND block.build % 5 < 2`;
  await database.$executeRaw`
    DELETE FROM usage_block_line AS line USING usage_block AS block WHERE line.build = block.build AND block.build % 5 = 0`;
  await database.$executeRaw`UPDATE usage_block SET edition = build % 5 + 1 WHERE build % 5 < 2`;
  await expectAll(24);
  await rig.makeBlocks();
  await expectAll(25);
  const late = eventsFrom(7_000, 12);
  await newIngest().ingest(late);
  events.push(...late);
  await expectAll(26);
  await rig.makeBlocks({ few: 4 });
  await expectAll(27);
});
