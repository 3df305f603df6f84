import { surfaceNames, uuidv7 } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { UnusableEventsError } from '@tollgate/messaging';
import { Registry } from 'prom-client';
import { Ledger } from '../ledger/ledger';
import { CurrentPrices } from '../rating/price-book';
import { metricsReport } from '../reports/metrics-report';
import { recount } from '../reports/recount';
import { makeEvent } from '../testing/make-event';
import { addPrice, startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';

describe('UsageIngest', () => {
  let env: MeteringDatabase;
  beforeAll(async () => (env = await startMeteringDatabase()));
  afterAll(() => env.stop());

  it('counts an event once, however often and by whomever it is reported', async () => {
    const ingest = env.newIngest();
    const event = makeEvent({ keyId: 'once' });
    const other = {
      ...event,
      startedAt: event.startedAt - 5_000,
      endedAt: event.endedAt + 5_000,
      reportedBy: 'edge' as const,
    };
    await ingest.ingest([event, event, other]);
    await ingest.ingest([event]);
    await ingest.ingest([other, { ...event, id: event.id.toUpperCase() }]);
    expect(await recount(env.database, 'once', 0)).toEqual({
      events: 1,
      requests: 1,
      inputTokens: 10,
      outputTokens: 5,
      costNanoUsd: '20000',
      differences: [],
    });
  });

  it('shows what providers may charge for what no caller pays, of each event once', async () => {
    const registry = new Registry();
    const tried = { deployment: 'test/model@acme', provider: 'acme', status: 500, error: 'http_500', latencyMs: 1 };
    const event = makeEvent({ state: 'failed', attempts: [{ ...tried, unbilled: { input: 1_000, output: 0 } }] });
    const ingest = env.newIngest(null, Date.now, registry);
    for (let times = 0; times < 2; times += 1) await ingest.ingest([event]);
    expect(await registry.metrics()).toContain('tollgate_metering_unbilled_usd_total{provider="acme"} 0.001');
  });

  it('bills a whole answer as such, also where another instance told before that it had cancelled it', async () => {
    const ingest = env.newIngest();
    const answer = (id: string) => makeEvent({ keyId: 'answer', id, lease: 'answer', firstTokenAt: Date.now() });
    const cancelled = (event: UsageEvent): UsageEvent => ({
      ...event,
      state: 'cancelled',
      status: 499,
      estimated: true,
      usage: { ...event.usage, input: 7, output: 0 },
      attempts: [{ deployment: 'other', provider: 'other', status: null, error: 'disconnected', latencyMs: 3 }],
      endedAt: event.endedAt - 3_600_000,
      firstTokenAt: event.startedAt,
    });
    const [later, together, apart, failed] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()].map(answer);
    if (!later || !together || !apart || !failed) throw new Error('There are four.');
    await ingest.ingest([cancelled(later), cancelled(apart)]);
    await Promise.all([ingest.ingest([later, together]), env.newIngest().ingest([apart, later])]);
    await ingest.ingest([cancelled(together), cancelled(later), later, apart]);
    await ingest.ingest([{ ...failed, state: 'failed', reportedBy: 'edge', usage: { ...failed.usage, output: 1 } }]);
    await ingest.ingest([failed]);
    const rows = await env.database.usageEvent.findMany({ where: { keyId: 'answer' }, orderBy: { state: 'asc' } });
    expect(rows.map(({ state, outputTokens }) => [state, outputTokens])).toEqual([
      ['completed', 5n],
      ['completed', 5n],
      ['completed', 5n],
      ['failed', 1n],
    ]);
    expect(await recount(env.database, 'answer', 0)).toEqual({
      events: 4,
      requests: 4,
      inputTokens: 40,
      outputTokens: 16,
      costNanoUsd: '72000',
      differences: [],
    });
  });

  it('stays exact, without deadlocks, when two instances store overlapping batches of the same keys', async () => {
    const events = Array.from({ length: 3_000 }, (_, index) =>
      makeEvent({
        keyId: `pair-${index % 7}`,
        model: index % 3 ? 'test/priced' : 'test/unpriced',
        lease: `lease-${index % 5}`,
      }),
    );
    const slices = (step: number) =>
      Array.from({ length: 40 }, (_, index) => events.slice((index * step) % 2_800, ((index * step) % 2_800) + 200));
    const one = env.newIngest();
    const two = env.newIngest();
    const rest = env.newIngest();
    await Promise.all([
      (async () => {
        for (const batch of slices(70)) await one.ingest(batch);
      })(),
      (async () => {
        for (const batch of slices(70).reverse()) await two.ingest([...batch].reverse());
      })(),
      rest.ingest([...events].reverse()),
    ]);
    const counted = await recount(env.database, null, 0);
    expect(counted.differences).toEqual([]);
    const [row] = await env.database.$queryRaw<{ events: bigint }[]>`
      SELECT count(*) AS events FROM usage_event WHERE key_id LIKE 'pair-%'`;
    expect(row?.events).toBe(3_000n);
  });

  it('rates by the price that held when the event started, also right after it changed', async () => {
    const ingest = env.newIngest();
    const change = new Date('2026-03-01T12:00:00Z');
    const old = await addPrice(env.catalog, 'test/changes', { input: '1', output: '1' }, new Date(0), change);
    await ingest.ingest([makeEvent({ keyId: 'change', model: 'test/changes' })]);
    const fresh = await addPrice(env.catalog, 'test/changes', { input: '3', output: '3' }, change);
    const at = change.getTime();
    await ingest.ingest([
      makeEvent({ keyId: 'change', model: 'test/changes', startedAt: at - 1, endedAt: at + 60_000 }),
      makeEvent({ keyId: 'change', model: 'test/changes', startedAt: at, endedAt: at + 60_001 }),
    ]);
    const rows = await env.database.usageEvent.findMany({ where: { keyId: 'change' }, orderBy: { endedAt: 'asc' } });
    expect(rows.map(({ priceId, costNanoUsd }) => [priceId, costNanoUsd])).toEqual([
      [old, 15_000n],
      [fresh, 45_000n],
      [null, null],
    ]);
  });

  it('keeps the surface that a request came by, and rates embeddings by their input alone', async () => {
    const ingest = env.newIngest();
    await addPrice(env.catalog, 'test/vectors', { input: '0.02', output: '0' });
    const usage = { input: 1_000, output: 0 };
    await ingest.ingest(
      surfaceNames.map((surface) => makeEvent({ keyId: 'surfaces', model: 'test/vectors', surface, usage })),
    );
    const rows = await env.database.usageEvent.findMany({ where: { keyId: 'surfaces' } });
    expect(rows.map(({ surface }) => surface).sort()).toEqual([...surfaceNames].sort());
    expect(rows.map(({ costNanoUsd }) => costNanoUsd)).toEqual(surfaceNames.map(() => 20_000n));
  });

  it('books what went with a key of its account for nothing, apart from the same provider’s, and slices still sum', async () => {
    const ingest = env.newIngest();
    const id = await addPrice(env.catalog, 'test/own', { input: '1', output: '1' });
    const asked = makeEvent({ keyId: 'own', model: 'test/own' });
    const attempts = asked.attempts.map((tried) => ({ ...tried, ownKey: true as const }));
    await ingest.ingest([asked, makeEvent({ keyId: 'own', model: 'test/own', attempts })]);
    const rows = await env.database.usageEvent.findMany({ where: { keyId: 'own' }, orderBy: { id: 'asc' } });
    expect(rows.map(({ priceId }) => priceId)).toEqual([id, id]);
    expect(rows.map((row) => Number(row.costNanoUsd)).toSorted((one, other) => one - other)).toEqual([0, 15_000]);
    expect(await recount(env.database, 'own', 0)).toMatchObject({ events: 2, inputTokens: 20, differences: [] });
    const hours = await env.database.usageHour.findMany({ where: { keyId: 'own' }, orderBy: { provider: 'asc' } });
    expect(hours.map(({ provider, requests, costNanoUsd }) => [provider, requests, Number(costNanoUsd)])).toEqual([
      ['test', 1n, 15_000],
      ['test (own key)', 1n, 0],
    ]);
  });

  it('books an answer from the response cache as a request without tokens, times and charge', async () => {
    const ingest = env.newIngest();
    const id = await addPrice(env.catalog, 'test/by-request', { input: '1', output: '1', perRequest: '0.01' });
    const asked = makeEvent({ keyId: 'cache', model: 'test/by-request', firstTokenAt: Date.now() });
    const none = { input: 0, output: 0 };
    const replayed = { keyId: 'cache', model: 'test/by-request', usage: none, attempts: [], cached: true };
    const hits = [makeEvent(replayed), makeEvent(replayed)];
    await ingest.ingest([asked, ...hits]);
    const rows = await env.database.usageEvent.findMany({ where: { keyId: 'cache' }, orderBy: { id: 'asc' } });
    expect(rows.filter(({ cached }) => cached).map((row) => [row.priceId, row.costNanoUsd])).toEqual([
      [id, 0n],
      [id, 0n],
    ]);
    expect(await recount(env.database, 'cache', 0)).toMatchObject({ events: 3, inputTokens: 10, differences: [] });
    const hours = await env.database.usageHour.findMany({ where: { keyId: 'cache' }, orderBy: { provider: 'asc' } });
    expect(hours.map((hour) => [hour.provider, hour.requests, hour.cachedRequests, hour.latency.length > 0])).toEqual([
      ['(cache)', 2n, 2n, false],
      ['test', 1n, 0n, true],
    ]);
    const report = await metricsReport(env.database, { keyId: 'cache', period: 'hour' }, Date.now() + 1_000);
    expect(report.totals).toMatchObject({ requests: 1, inputTokens: 10 });
    const [explained] = (await new Ledger(env.databases, new CurrentPrices(env.databases)).explain(hits[0]?.id ?? ''))
      .events;
    expect(explained).toMatchObject({ event: { cached: true }, lines: [], computedNanoUsd: '0', storedNanoUsd: '0' });
    const claim = makeEvent({ keyId: 'cache', cached: true });
    await expect(ingest.ingest([claim])).rejects.toThrow('claims tokens');
  });

  it('stores what it can of a batch, refuses the rest, and loses no usage over a strange name', async () => {
    const ingest = env.newIngest();
    const good = makeEvent({ keyId: 'poison', requestId: 'a\u0000b\ud800c', requestedModel: 'back\\u0000slash' });
    const bad = [
      makeEvent({ keyId: 'poison', id: 'not-a-uuid' }),
      makeEvent({ keyId: 'poison', startedAt: 1e300 }),
      makeEvent({ keyId: 'poison', usage: { input: 1e15 } }),
    ];
    await expect(ingest.ingest([...bad, good])).rejects.toThrow(UnusableEventsError);
    const rows = await env.database.usageEvent.findMany({ where: { keyId: 'poison' } });
    expect(rows.map(({ requestId, requestedModel }) => [requestId, requestedModel])).toEqual([
      ['a\ufffdb\ufffdc', 'back\\u0000slash'],
    ]);
  });

  it('finds the event whose value Postgres refuses, and stores all others', async () => {
    const ingest = env.newIngest();
    await addPrice(env.catalog, 'test/absurd', { input: '9000000000000', output: '0' });
    const absurd = makeEvent({ keyId: 'absurd', model: 'test/absurd', usage: { input: 9_000_000_000 } });
    const events = Array.from({ length: 50 }, () => makeEvent({ keyId: 'absurd' }));
    await expect(ingest.ingest([...events.slice(0, 20), absurd, ...events.slice(20)])).rejects.toThrow(absurd.id);
    expect(await recount(env.database, 'absurd', 0)).toMatchObject({ events: 50, differences: [] });
  });
});
