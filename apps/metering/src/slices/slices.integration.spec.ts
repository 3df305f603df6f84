import { uuidv7 } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { sliceDimensions } from '@tollgate/contracts/metering';
import type { Attribution, MetricsPeriod, MetricsReport, SliceDimension } from '@tollgate/contracts/metering';
import { LatePricing } from '../rating/late-pricing';
import { recount } from '../reports/recount';
import { makeEvent } from '../testing/make-event';
import { addPrice, startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { dividedReport, projectsWindowOf, reportOfSlice, slicedWindowOf } from './slices-report';
import { mostNames } from './told-apart';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** In the middle of a day, an hour and a minute. */
const endAt = Date.UTC(2026, 8, 17, 14, 25, 13, 77);

type Counters = MetricsReport['totals'];

const nothing: Counters = { requests: 0, unpricedRequests: 0, inputTokens: 0, outputTokens: 0, costNanoUsd: '0' };

function sumOf(all: readonly Counters[]): Counters {
  return all.reduce(
    (sum, one) => ({
      requests: sum.requests + one.requests,
      unpricedRequests: sum.unpricedRequests + one.unpricedRequests,
      inputTokens: sum.inputTokens + one.inputTokens,
      outputTokens: sum.outputTokens + one.outputTokens,
      costNanoUsd: (BigInt(sum.costNanoUsd) + BigInt(one.costNanoUsd)).toString(),
    }),
    nothing,
  );
}

const namesOf = ({ endUser, session, agent, tags = [] }: Attribution, dimension: SliceDimension): string[] => {
  if (dimension === 'tag') return tags;
  const name = { end_user: endUser, session, agent }[dimension];
  return name === undefined ? [] : [name];
};

let env: MeteringDatabase;
beforeAll(async () => {
  env = await startMeteringDatabase();
});
afterAll(() => env.stop());

/** An event of a few, which differ by their index in all that slices are made of. */
function eventOf(keyId: string, index: number, endedAt: number): UsageEvent {
  const attribution: Attribution = {
    ...(index % 4 > 0 && { endUser: `user-${index % 4}` }),
    ...(index % 3 > 0 && { session: `session-${index % 7}` }),
    ...(index % 2 > 0 && { agent: 'codex' }),
    ...(index % 5 > 0 && { tags: ['all', `team=${index % 5}`].slice(0, 1 + (index % 2)) }),
  };
  return makeEvent({
    keyId,
    endedAt,
    model: index % 6 ? 'test/priced' : 'test/unpriced',
    usage: { input: 1_000 + index * 37, output: index * 11 },
    ...(Object.keys(attribution).length > 0 && { attribution }),
  });
}

/** Events at random times of more than a month before the window ends, and in its last hours. */
function eventsOf(keyId: string, count: number): UsageEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const back = index % 2 ? index * 7_919_017 : index * 97_013;
    return eventOf(keyId, index, endAt - 1 - (back % (33 * dayMs)));
  });
}

async function expectWhole(keyId: string, period: MetricsPeriod, events: readonly UsageEvent[]): Promise<void> {
  const startAt = (await reportOf(keyId, period, 'agent')).startAt;
  const within = events.filter(({ endedAt }) => endedAt >= startAt && endedAt < endAt);
  for (const dimension of sliceDimensions) {
    const { totals, sliced } = await reportOf(keyId, period, dimension);
    if (!sliced) throw new Error('It is not divided.');
    expect([totals.requests, totals.inputTokens]).toEqual([
      within.length,
      within.reduce((sum, { usage }) => sum + usage.input, 0),
    ]);
    const { slices, other, none } = sliced;
    if (dimension !== 'tag') expect(sumOf([...slices, other, none])).toEqual(totals);
    expect(none.requests).toBe(
      within.filter(({ attribution = {} }) => namesOf(attribution, dimension).length === 0).length,
    );
    for (const { name, ...counters } of slices) {
      const own = within.filter(({ attribution = {} }) => namesOf(attribution, dimension).includes(name));
      const tokens = own.reduce((sum, { usage }) => sum + usage.input + usage.output, 0);
      expect([counters.requests, counters.inputTokens + counters.outputTokens]).toEqual([own.length, tokens]);
      const alone = await reportOfSlice(env.database, { keyId, period }, { dimension, name }, endAt);
      expect(alone.totals).toEqual(counters);
      expect(sumOf(alone.byModel.map(({ model: _, ...one }) => one))).toEqual(counters);
    }
  }
}

/** The keys of an account in whole hours, and in whole days where hours are not kept. */
async function expectWholeHours(events: readonly UsageEvent[]): Promise<void> {
  const window = { startAt: endAt - 9.4 * dayMs, endAt: endAt - 2.2 * dayMs };
  for (const [hoursSinceMs, unit] of [
    [0, hourMs],
    [endAt, dayMs],
  ] as const)
    for (const dimension of sliceDimensions) {
      const asked = { ...window, accountId: 'account-1', dimension, most: 2 };
      const told = await slicedWindowOf(env.database, asked, hoursSinceMs);
      expect([told.startAt % unit, told.endAt % unit]).toEqual([0, 0]);
      const within = events.filter(({ endedAt }) => endedAt >= told.startAt && endedAt < told.endAt);
      expect(told.totals.requests).toBe(within.length);
      if (dimension !== 'tag') expect(sumOf([...told.slices, told.other, told.none])).toEqual(told.totals);
      expect(told.none.requests).toBe(
        within.filter(({ attribution = {} }) => namesOf(attribution, dimension).length === 0).length,
      );
      for (const { name, requests } of told.slices)
        expect(requests).toBe(
          within.filter(({ attribution = {} }) => namesOf(attribution, dimension).includes(name)).length,
        );
      expect(told.slices.length).toBe(dimension === 'agent' ? 1 : 2);
    }
}

function reportOf(keyId: string, period: MetricsPeriod, dimension: SliceDimension): Promise<MetricsReport> {
  return dividedReport(env.database, { keyId, period }, dimension, endAt);
}

describe('the slices of a report', () => {
  it('sum to the whole for every window, whoever stores the events how often', async () => {
    const events = eventsOf('whole', 900);
    const instances = [env.newIngest(), env.newIngest(), env.newIngest()];
    await Promise.all(
      instances.map(async (ingest, turn) => {
        const ordered = turn % 2 ? [...events].reverse() : events;
        for (let from = 0; from < ordered.length; from += 90)
          await ingest.ingest(ordered.slice(from, from + 150 + turn * 20));
      }),
    );
    for (const period of ['hour', 'day', 'week', 'month'] as const) await expectWhole('whole', period, events);
    await expectWholeHours(events);
    expect((await recount(env.database, 'whole', 0)).differences).toEqual([]);
  });

  it.each(['hour', 'week'] as const)(
    'of the last %s come the most costly first, those without a price last',
    async (period) => {
      const events = ['unpriced', 'priced', 'priced', 'dear'].map((endUser, index) =>
        makeEvent({
          keyId: `order ${period}`,
          endedAt: period === 'hour' ? endAt - 60_000 - index : endAt - 2 * dayMs,
          model: endUser === 'unpriced' ? 'test/unpriced' : 'test/priced',
          usage: { input: endUser === 'dear' ? 1_000_000 : 10, output: 5 },
          attribution: { endUser },
        }),
      );
      await env.newIngest().ingest(events);
      const { sliced } = await reportOf(`order ${period}`, period, 'end_user');
      expect(sliced?.slices.map(({ name }) => name)).toEqual(['dear', 'priced', 'unpriced']);
    },
  );

  it('of keys and an account are of the keys of that account alone', async () => {
    const endedAt = endAt - 2 * hourMs;
    const events = ['nine', 'ten'].map((accountId) =>
      makeEvent({ keyId: `key-${accountId}`, accountId, endedAt, attribution: { agent: 'codex' } }),
    );
    await env.newIngest().ingest(events);
    const asked = { startAt: endedAt - hourMs, endAt, dimension: 'agent' as const, most: 5 };
    const read = async (whose: { keyIds?: string[]; accountId?: string }) => {
      const { totals, slices, none } = await slicedWindowOf(env.database, { ...asked, ...whose }, 0);
      return [totals.requests, slices.map(({ requests }) => requests), none.requests];
    };
    const keyIds = ['key-nine', 'key-ten'];
    expect(await read({ keyIds, accountId: 'nine' })).toEqual([1, [1], 0]);
    expect(await read({ keyIds: ['key-ten'], accountId: 'nine' })).toEqual([0, [], 0]);
    expect(await read({ keyIds })).toEqual([2, [2], 0]);
    await expect(read({})).rejects.toMatchObject({ code: 'invalid' });
  });

  it('by project are of the keys that are of each, the most costly first, and sum to the whole', async () => {
    const endedAt = endAt - 2 * hourMs;
    const used: [keyId: string, output: number, accountId?: string][] = [
      ['web-1', 100],
      ['web-2', 300],
      ['search-1', 200],
      ['tests-1', 1],
      ['free', 50],
      ['foreign', 900, 'another'],
    ];
    await env
      .newIngest()
      .ingest(
        used.map(([keyId, output, accountId = 'of-projects']) =>
          makeEvent({ keyId, accountId, endedAt, model: 'test/priced', usage: { input: 0, output } }),
        ),
      );
    const projects = [
      { name: 'search', keyIds: ['search-1'] },
      { name: 'tests', keyIds: ['tests-1'] },
      { name: 'unused', keyIds: ['never'] },
      { name: 'web', keyIds: ['web-1', 'web-2', 'foreign'] },
    ];
    const asked = { accountId: 'of-projects', projects, startAt: endedAt - hourMs, endAt, most: 2 };
    const told = await projectsWindowOf(env.database, asked, 0);
    expect(told.slices.map(({ name, requests, outputTokens }) => [name, requests, outputTokens])).toEqual([
      ['web', 2, 400],
      ['search', 1, 200],
    ]);
    expect([told.other.outputTokens, told.none.outputTokens, told.totals.outputTokens]).toEqual([1, 50, 651]);
    expect(sumOf([...told.slices, told.other, told.none])).toEqual(told.totals);
    expect(await projectsWindowOf(env.database, { ...asked, projects: [] }, 0)).toMatchObject({
      slices: [],
      none: told.totals,
    });
    expect(await projectsWindowOf(env.database, { ...asked, model: 'test/unpriced' }, 0)).toMatchObject({
      slices: [],
      totals: nothing,
    });
  });

  it('follow an answer that takes the place of an estimate, and prices that come late', async () => {
    const endedAt = endAt - 2 * dayMs;
    const attribution = { endUser: 'late', tags: ['a', 'b'] };
    const model = 'test/late';
    const answer = makeEvent({ keyId: 'late', id: uuidv7(endedAt), endedAt, model, attribution });
    const cancelled = { ...answer, state: 'cancelled' as const, endedAt: endedAt - 3 * hourMs, estimated: true };
    const ingest = env.newIngest();
    await ingest.ingest([{ ...cancelled, usage: { ...answer.usage, input: 7, output: 0 } }]);
    await ingest.ingest([answer]);
    const read = async () => (await reportOf('late', 'week', 'end_user')).sliced?.slices;
    const tokens = { name: 'late', requests: 1, inputTokens: 10, outputTokens: 5 };
    expect(await read()).toEqual([{ ...tokens, unpricedRequests: 1, costNanoUsd: '0' }]);
    await addPrice(env.catalog, model, { input: '3', output: '1' });
    await new LatePricing(env.databases).run();
    expect(await read()).toEqual([{ ...tokens, unpricedRequests: 0, costNanoUsd: '35000' }]);
    expect((await recount(env.database, 'late', 0)).differences).toEqual([]);
  });

  it('tell names apart up to the most of a day, whoever brings them first, and the rest as one', async () => {
    const endedAt = endAt - dayMs;
    const events = Array.from({ length: mostNames + 300 }, (_, index) =>
      makeEvent({
        keyId: 'many',
        endedAt: endedAt - (index % 9) * hourMs,
        attribution: { session: `s-${index}`, tags: [`t-${index}`, `u-${index}`] },
      }),
    );
    const parts = [0, 1, 2, 3].map((part) => events.filter((_, index) => index % 4 === part));
    await Promise.all(parts.map((part) => env.newIngest().ingest(part)));
    // Names that were not taken in stay out, and those that were stay in.
    await env.newIngest().ingest(events.map((event) => ({ ...event, id: uuidv7(event.startedAt) })));
    const { totals, sliced } = await reportOf('many', 'week', 'session');
    expect(sliced?.slices).toHaveLength(mostNames);
    expect(sliced?.slices.every(({ requests }) => requests === 2)).toBe(true);
    expect(sliced?.other.requests).toBe(600);
    expect(totals.requests).toBe(2 * events.length);
    const tags = (await reportOf('many', 'week', 'tag')).sliced;
    // Each has two tags, of which 1,000 are told apart: none is without any.
    expect(tags?.slices).toHaveLength(mostNames);
    expect(tags?.none.requests).toBe(0);
    const left = await reportOfSlice(
      env.database,
      { keyId: 'many', period: 'week' },
      { dimension: 'session', name: 'nobody' },
      endAt,
    );
    expect([left.totals.requests, left.sliced?.other.requests]).toEqual([0, 600]);
    expect((await recount(env.database, 'many', 0)).differences).toEqual([]);
  });

  it('hold no answers from the response cache, and a recount tells where they are wrong', async () => {
    const attribution = { agent: 'codex' };
    const event = makeEvent({ keyId: 'cache', endedAt: endAt - dayMs, attribution });
    const fromCache = makeEvent({ keyId: 'cache', endedAt: endAt - dayMs, attribution, cached: true, attempts: [] });
    await env.newIngest().ingest([event, { ...fromCache, usage: { ...fromCache.usage, input: 0, output: 0 } }]);
    const { sliced } = await reportOf('cache', 'week', 'agent');
    expect([sliced?.slices.map(({ requests }) => requests), sliced?.none.requests]).toEqual([[1], 0]);
    await env.database.usageSliceDay.updateMany({ where: { keyId: 'cache' }, data: { inputTokens: 11n } });
    expect((await recount(env.database, 'cache', 0)).differences).toEqual([
      {
        keyId: 'cache',
        model: 'test/priced',
        field: 'day 2026-09-16T00:00Z agent "codex" inputTokens',
        events: '10',
        rollups: '11',
      },
    ]);
  });
});
