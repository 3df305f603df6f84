import { ContentLog } from '../content-log/content-log';
import type { UsageIngest } from '../ingest/usage-ingest';
import { quotaRecord, usedTokens } from '../quota/quota-month';
import { makeEvent } from '../testing/make-event';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { lastUsedAt } from './last-used';
import { failures } from './failures';
import { metricsReport } from './metrics-report';
import { recount } from './recount';
import { listRequests } from './request-log';
import { usersOf } from './users-of';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describe('reports', () => {
  let env: MeteringDatabase;
  let ingest: UsageIngest;
  beforeAll(async () => {
    env = await startMeteringDatabase();
    ingest = env.newIngest();
  });
  afterAll(() => env.stop());

  it.each([
    ['hour', hourMs],
    ['day', dayMs],
    ['week', 7 * dayMs],
    ['month', 30 * dayMs],
  ] as const)('count exactly what ended within the %s, to the millisecond at both edges', async (period, lengthMs) => {
    const end = Date.UTC(2026, 4, 17, 13, 37, 42, 251);
    const keyId = `edges-${period}`;
    const moments = [end - lengthMs - 1, end - lengthMs, end - lengthMs + 1, end - 1, end, end + 1];
    await ingest.ingest(moments.map((endedAt) => makeEvent({ keyId, endedAt })));
    const report = await metricsReport(env.database, { keyId, period }, end);
    expect(report).toMatchObject({ startAt: end - lengthMs, endAt: end });
    expect(report.totals.requests).toBe(3);
  });

  it.each([
    ['in its middle', Date.UTC(2026, 4, 17, 13, 37, 42, 251)],
    ['in its first second', Date.UTC(2026, 4, 1, 0, 0, 0, 700)],
    ['in its last hour', Date.UTC(2026, 4, 31, 23, 59, 59, 999)],
  ])('count a calendar month from its first instant on, asked for %s', async (when, end) => {
    const keyId = `calendar ${when}`;
    const start = Date.UTC(2026, 4, 1);
    await ingest.ingest([start - 1, start, end - 1, end].map((endedAt) => makeEvent({ keyId, endedAt })));
    const report = await metricsReport(env.database, { keyId, period: 'month', calendar: true }, end);
    expect(report).toMatchObject({ startAt: start, endAt: end, totals: { requests: 2 } });
  });

  it('equal a count of the single events for windows that end anywhere', async () => {
    const keyId = 'anywhere';
    const base = Date.UTC(2026, 2, 10);
    const ends = Array.from({ length: 2_000 }, (_, index) => base + ((index * 7_919_777) % (3 * dayMs)));
    const events = ends.map((endedAt, index) =>
      makeEvent({ keyId, endedAt, usage: { input: index, output: index % 13 } }),
    );
    await ingest.ingest(events);
    // Whole minutes and hours, a millisecond beside them, and ragged moments.
    const moments = [0, 1, -1, 59_999, 60_000, 3_599_999, 12_345_678].map((offset) => base + 2 * dayMs + offset);
    for (const end of moments) {
      for (const [period, lengthMs] of [
        ['hour', hourMs],
        ['day', dayMs],
      ] as const) {
        const inside = events.filter(({ endedAt }) => endedAt >= end - lengthMs && endedAt < end);
        const { totals } = await metricsReport(env.database, { keyId, period }, end);
        expect(totals).toEqual({
          requests: inside.length,
          unpricedRequests: 0,
          inputTokens: inside.reduce((sum, { usage }) => sum + usage.input, 0),
          outputTokens: inside.reduce((sum, { usage }) => sum + usage.output, 0),
          costNanoUsd: inside
            .reduce((sum, { usage }) => sum + 1_000 * usage.input + 2_000 * usage.output, 0)
            .toString(),
        });
      }
    }
    expect((await recount(env.database, keyId, 0)).differences).toEqual([]);
  });

  it('show usage without a known price as unpriced, not as free, sort by cost, and filter by model', async () => {
    const keyId = 'models';
    const endedAt = Date.UTC(2026, 5, 1, 12);
    await ingest.ingest([
      makeEvent({ keyId, endedAt, model: 'test/unknown-b' }),
      makeEvent({ keyId, endedAt, model: 'test/unknown-a' }),
      makeEvent({ keyId, endedAt }),
    ]);
    const { byModel, totals } = await metricsReport(env.database, { keyId, period: 'hour' }, endedAt + 1);
    expect(byModel.map(({ model, unpricedRequests, costNanoUsd }) => [model, unpricedRequests, costNanoUsd])).toEqual([
      ['test/priced', 0, '20000'],
      ['test/unknown-a', 1, '0'],
      ['test/unknown-b', 1, '0'],
    ]);
    expect(totals).toMatchObject({ requests: 3, unpricedRequests: 2, costNanoUsd: '20000' });
    const one = await metricsReport(env.database, { keyId, period: 'hour', model: 'test/unknown-a' }, endedAt + 1);
    expect(one.totals.requests).toBe(1);
    const none = await metricsReport(env.database, { keyId, period: 'hour', model: 'test/never' }, endedAt + 1);
    expect(none).toMatchObject({ totals: { requests: 0, costNanoUsd: '0' }, byModel: [] });
  });

  it('tell when the last request of each key ended, in whichever month', async () => {
    const before = Date.UTC(2026, 2, 30, 12);
    const after = Date.UTC(2026, 3, 2, 12);
    await ingest.ingest([before, after].map((endedAt) => makeEvent({ keyId: 'lasting', endedAt })));
    await ingest.ingest([makeEvent({ keyId: 'early', endedAt: before })]);
    const asked = ['lasting', 'early', 'never'];
    expect(await lastUsedAt(env.database, asked)).toEqual({ lasting: after, early: before });
  });

  it('find a single request by the id of its event, and say what they are sorted by', async () => {
    const endedAt = Date.UTC(2026, 3, 5, 12);
    const attribution = { endUser: 'ann', session: 's-1', agent: 'codex', tags: ['team=search', 'prod'] };
    const one = makeEvent({ keyId: 'single', endedAt, attribution });
    await ingest.ingest([one, makeEvent({ keyId: 'single', endedAt })]);
    const window = { startAt: endedAt - dayMs, endAt: endedAt + dayMs, limit: 10 };
    const byId = await listRequests(env.database, { ...window, id: one.id });
    expect(byId).toMatchObject({ requests: [{ id: one.id, attribution }], next: null, orderedBy: 'startedAt' });
    const ofKey = await listRequests(env.database, { ...window, keyIds: ['single'] });
    expect([ofKey.requests.length, ofKey.orderedBy]).toEqual([2, 'endedAt']);
    expect(ofKey.requests.filter((request) => request.attribution)).toHaveLength(1);
  });

  describe('of single requests', () => {
    const endedAt = Date.UTC(2026, 3, 6, 12);
    const keyIds = ['narrow'];
    const attribution = { endUser: 'ann', session: 's-1', agent: 'codex', tags: ['team=search', 'prod'] };
    const attempt = { deployment: 'eu', provider: 'test', status: 503, error: 'overloaded', latencyMs: 1 };
    const plain = makeEvent({ keyId: 'narrow', endedAt, requestId: 'plain-100%' });
    const told = makeEvent({
      ...{ keyId: 'narrow', endedAt, requestId: 'told_one', surface: 'anthropic-messages' as const },
      ...{ attribution, startedAt: endedAt - 20_000 },
    });
    const failed = makeEvent({
      ...{ keyId: 'narrow', endedAt, requestId: 'failed', state: 'failed' as const, status: 502 },
      attempts: [{ ...attempt, error: 'timeout' }, attempt],
    });
    beforeAll(() => ingest.ingest([plain, told, failed]));

    it.each([
      ['a part of its own id', { idPart: 'ain-1' }, [plain]],
      ['a part that a pattern would read otherwise', { idPart: '0%' }, [plain]],
      ['a letter that a pattern would take for any', { idPart: 'd_o' }, [told]],
      ['the end of the id of its event', { idPart: failed.id.slice(-12) }, [failed]],
      ['its format', { surface: 'anthropic-messages' as const }, [told]],
      ['its end user', { endUser: 'ann' }, [told]],
      ['its session', { session: 's-1' }, [told]],
      ['its agent', { agent: 'codex' }, [told]],
      ['one of its tags', { tag: 'prod' }, [told]],
      ['a part of a tag, which is none', { tag: 'team' }, []],
      ['what its last attempt ran into', { error: 'overloaded' }, [failed]],
      ['what an earlier attempt ran into', { error: 'timeout' }, []],
      ['how long it took', { atLeastMs: 20_000 }, [told]],
      ['longer than any took', { atLeastMs: 20_001 }, []],
    ])('find one by %s', async (_what, wanted, expected) => {
      const window = { startAt: endedAt - hourMs, endAt: endedAt + hourMs, limit: 10 };
      const { requests } = await listRequests(env.database, { ...window, keyIds, ...wanted });
      expect(requests.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    });
  });

  it('find requests by words in what was logged, of one account', async () => {
    const endedAt = Date.now() - 60_000;
    const log = new ContentLog(env.databases);
    const events = [
      ...['said-1', 'said-2'].map((accountId) => makeEvent({ keyId: accountId, accountId, endedAt })),
      ...[0, 1, 2].map((ms) => makeEvent({ keyId: 'said-3', accountId: 'said-3', endedAt: endedAt + ms })),
    ];
    await ingest.ingest(events);
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'Über "Gates" and\nbridges' }] });
    await log.record(
      events.map(({ id, requestId, keyId, accountId, model, surface, startedAt, endedAt: at }) => ({
        ...{ id, requestId, keyId, accountId, model, surface, startedAt, endedAt: at, stream: false },
        ...{ state: 'completed' as const, status: 200, cached: false, redactions: 0, retentionDays: 1 },
        ...{ request: body, answer: '{"text":"Answered"}', requestTruncated: false, answerTruncated: false },
      })),
    );
    const window = { startAt: endedAt - hourMs, endAt: endedAt + hourMs, limit: 10 };
    const found = async (said: string) =>
      (await listRequests(env.database, { ...window, accountId: 'said-1', said })).requests.map(({ id }) => id);
    for (const said of ['Über "GATES"', 'and\nbridges', 'ANSWERED']) expect(await found(said)).toEqual([events[0]?.id]);
    expect(await found('gates%')).toEqual([]);
    // Only so many are looked through, and the answer says back to when.
    const question = { ...window, accountId: 'said-3', said: 'answered' };
    const all = await listRequests(env.database, question, { mostSearched: 3 });
    expect(all).toMatchObject({ requests: [{ endedAt: endedAt + 2 }, {}, {}], searchedBack: null });
    const some = await listRequests(env.database, question, { mostSearched: 2 });
    expect(some).toMatchObject({ requests: [{ endedAt: endedAt + 2 }, {}], searchedBack: endedAt + 1 });
    expect(some.requests).toHaveLength(2);
    expect(await listRequests(env.database, { ...question, said: undefined })).toMatchObject({ searchedBack: null });
    await expect(listRequests(env.database, { ...window, said: 'gates' })).rejects.toThrow('account');
  });

  it('tell why requests failed, by cause, each with the last of them', async () => {
    const endedAt = Date.UTC(2026, 3, 7, 12);
    const attempt = { deployment: 'eu', provider: 'test', status: 503, error: 'overloaded', latencyMs: 1 };
    const fail = (keyId: string, afterMs: number, reason: string, changes: object = {}) =>
      makeEvent({
        ...{ keyId, accountId: 'failing', endedAt: endedAt + afterMs, requestId: `at-${afterMs}` },
        ...{ state: 'failed' as const, status: 502, attempts: [{ ...attempt, reason }] },
        ...changes,
      });
    const last = fail('fails-2', 3_000, 'too much now');
    await ingest.ingest([
      fail('fails-1', 1_000, 'too much'),
      last,
      fail('fails-1', 2_000, 'too much'),
      fail('fails-1', 0, 'unheard of', { model: 'test/other' }),
      fail('fails-1', 0, '', { attempts: [], status: 504 }),
      fail('fails-1', 0, '', { state: 'completed', status: 200 }),
      fail('fails-1', hourMs, 'later'),
    ]);
    const window = { startAt: endedAt, endAt: endedAt + hourMs };
    const report = await failures(env.database, { ...window, accountId: 'failing' });
    const cause = { status: 502, error: 'overloaded', provider: 'test' };
    expect(report).toMatchObject({ counted: 5, isWhole: true });
    expect(report.causes).toEqual([
      {
        ...{ ...cause, model: 'test/priced', count: 3, keys: 2 },
        last: { id: last.id, requestId: 'at-3000', at: endedAt + 3_000, reason: 'too much now' },
      },
      expect.objectContaining({ ...cause, model: 'test/other', count: 1, keys: 1 }),
      expect.objectContaining({ status: 504, error: null, provider: null, count: 1 }),
    ]);
    const ofModel = await failures(env.database, { ...window, model: 'test/other' });
    expect(ofModel).toMatchObject({ counted: 1, causes: [{ model: 'test/other' }] });
    expect(await failures(env.database, { ...window, keyIds: ['fails-2'] })).toMatchObject({ counted: 1 });
    const nothing = { counted: 0, isWhole: true, causes: [] };
    expect(await failures(env.database, { ...window, keyIds: ['fails-3'] })).toEqual(nothing);
    await ingest.ingest([1, 2, 3].map((ms) => makeEvent({ keyId: 'fails-3', endedAt: endedAt + 5_000 + ms })));
    expect(await failures(env.database, { ...window, keyIds: ['fails-3'] })).toEqual(nothing);
    // What is looked at is bounded, not what is found: failures may be rare.
    const newest = { counted: 0, isWhole: false, causes: [] };
    expect(await failures(env.database, { ...window, keyIds: ['fails-3'] }, 2)).toEqual(newest);
    const oneOfEach = await failures(env.database, { ...window, keyIds: ['fails-2', 'fails-3'] }, 2);
    expect(oneOfEach).toMatchObject({ counted: 1, isWhole: false });
    expect(await failures(env.database, window, 1_000)).toMatchObject({ isWhole: true });
    expect(await failures(env.database, window, 3)).toMatchObject({ isWhole: false });
  });

  it('start the quota anew with the first instant of a UTC month, also after a leap day', async () => {
    const keyId = 'months';
    const march = Date.UTC(2028, 2);
    const leapDay = Date.UTC(2028, 1, 29, 23, 59, 59, 999);
    await ingest.ingest([
      makeEvent({ keyId, endedAt: leapDay }),
      makeEvent({ keyId, endedAt: march, usage: { input: 7, output: 0 } }),
      makeEvent({ keyId, endedAt: Date.UTC(2028, 11, 31, 23, 59, 59, 999), usage: { input: 3, output: 0 } }),
    ]);
    const record = async (now: number) => quotaRecord(await usedTokens(env.database, keyId, now), 10, now);
    expect(await record(leapDay)).toEqual({ used: 15, quota: 10, remaining: 0, resetsAt: march });
    expect(await record(march)).toEqual({ used: 7, quota: 10, remaining: 3, resetsAt: Date.UTC(2028, 3) });
    const newYear = Date.UTC(2029, 0);
    expect(await record(newYear - 1)).toEqual({ used: 3, quota: 10, remaining: 7, resetsAt: newYear });
    expect(await record(newYear)).toMatchObject({ used: 0, resetsAt: Date.UTC(2029, 1) });
  });

  it('tell which keys use a model, page by page, and not those of long ago, of other models, or everybody', async () => {
    const now = Date.UTC(2026, 8, 10, 12, 30);
    const used = (keyId: string, model: string, endedAt = now) => makeEvent({ keyId, model, endedAt });
    await ingest.ingest([
      ...[used('user-b', 'test/old'), used('user-b', 'test/older'), used('user-b', 'test/old', now - hourMs)],
      ...[used('user-a', 'test/old', now - 30 * dayMs), used('user-c', 'test/old'), used('user-d', 'test/new')],
      used('user-z', 'test/old', now - 31 * dayMs),
    ]);
    const question = { models: ['test/old', 'test/older', 'test/never'], since: now - 30 * dayMs, limit: 2 };
    const first = await usersOf(env.database, question);
    expect(first).toEqual({
      users: [
        { keyId: 'user-a', models: ['test/old'] },
        { keyId: 'user-b', models: ['test/old', 'test/older'] },
      ],
      next: 'user-b',
    });
    expect(await usersOf(env.database, { ...question, after: 'user-b' })).toEqual({
      users: [{ keyId: 'user-c', models: ['test/old'] }],
      next: null,
    });
  });

  it('tell where sums and events disagree', async () => {
    const keyId = 'spoiled';
    const endedAt = Date.UTC(2026, 6, 1, 12, 34);
    await ingest.ingest([makeEvent({ keyId, endedAt })]);
    await env.database.$executeRaw`UPDATE usage_minute SET cost_nano_usd = 1 WHERE key_id = ${keyId}`;
    await env.database.$executeRaw`DELETE FROM usage_hour WHERE key_id = ${keyId}`;
    await env.database.$executeRaw`UPDATE quota_month SET used_tokens = 16 WHERE key_id = ${keyId}`;
    const { differences } = await recount(env.database, keyId, 0);
    expect(differences.map(({ field, events, rollups }) => `${field}: ${events}, ${rollups}`).sort()).toEqual([
      'hour 2026-07-01T12:00Z costNanoUsd: 20000, 0',
      'hour 2026-07-01T12:00Z inputTokens: 10, 0',
      'hour 2026-07-01T12:00Z latencies: 1, 0',
      'hour 2026-07-01T12:00Z outputTokens: 5, 0',
      'hour 2026-07-01T12:00Z requests: 1, 0',
      'minute 2026-07-01T12:34Z costNanoUsd: 20000, 1',
      'month 2026-07 usedTokens: 15, 16',
    ]);
  });
});
