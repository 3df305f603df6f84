import { lastMs, uuidv7 } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import type { SeriesStep } from '@tollgate/contracts/metering';
import { Prisma } from '@tollgate/database';
import type { UsageIngest } from '../ingest/usage-ingest';
import { makeEvent } from '../testing/make-event';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { countTime, percentiles } from './histogram';
import { metricsReport } from './metrics-report';
import { recount } from './recount';
import { listRequests } from './request-log';
import { readSeries } from './series';
import { seriesWindow } from './series-window';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const none = { groupBy: 'none', maxLines: 20 } as const;

describe('series', () => {
  let env: MeteringDatabase;
  let ingest: UsageIngest;
  beforeAll(async () => {
    env = await startMeteringDatabase();
    ingest = env.newIngest();
  });
  afterAll(() => env.stop());

  const read = async (
    question: Partial<Parameters<typeof readSeries>[2]>,
    window: { startAt: number; endAt: number; step: SeriesStep; timeZone?: string },
  ) => {
    const whole = await seriesWindow(env.database, { timeZone: 'UTC', ...window }, 0);
    return readSeries(env.databases.charts, whole, { ...none, ...question });
  };

  /** Events spread over a time, of several models, providers and states. */
  const scatter = (keyId: string, startAt: number, lengthMs: number, count: number): UsageEvent[] =>
    Array.from({ length: count }, (_, index) => {
      const endedAt = startAt + ((index * 7_919_777_333) % lengthMs);
      const latencyMs = 5 + ((index * 37) % 4_000);
      return makeEvent({
        keyId,
        accountId: `account of ${keyId}`,
        endedAt,
        id: uuidv7(endedAt - latencyMs),
        startedAt: endedAt - latencyMs,
        firstTokenAt: index % 4 === 0 ? null : endedAt - latencyMs + 3,
        model: index % 3 === 0 ? 'test/unpriced' : 'test/priced',
        state: index % 10 === 0 ? 'failed' : index % 11 === 0 ? 'cancelled' : 'completed',
        usage: { input: index, output: index % 13, cachedInput: index % 5, reasoning: index % 2 },
        attempts: [
          { deployment: 'a', provider: 'first', status: 500, error: 'status', latencyMs: 1 },
          { deployment: 'b', provider: index % 2 ? 'second' : 'third', status: 200, error: null, latencyMs },
        ],
      });
    });

  // Berlin has a day of 25 hours within, Kolkata begins its days at 18:30 UTC, Lord Howe's summer time is
  // half an hour.
  it.each(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/St_Johns'])(
    'sums up each day of %s, to the token and the nano-dollar',
    async (timeZone) => {
      const startAt = Date.UTC(2026, 9, 20, 5);
      const keyId = `days in ${timeZone}`;
      const events = scatter(keyId, startAt, 9 * dayMs, 3_000);
      await ingest.ingest(events);
      const { lines, totals } = await read(
        { keyIds: [keyId] },
        { startAt, endAt: startAt + 9 * dayMs, step: 'day', timeZone },
      );
      const dayOf = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
      const days = new Map<string, UsageEvent[]>();
      for (const event of events) {
        const day = dayOf.format(event.endedAt);
        days.set(day, [...(days.get(day) ?? []), event]);
      }
      expect(lines[0]?.points.map(({ at, requests }) => [dayOf.format(at), requests])).toEqual(
        [...days].sort(([one], [other]) => (one < other ? -1 : 1)).map(([day, ofDay]) => [day, ofDay.length]),
      );
      for (const point of lines[0]?.points ?? []) {
        const ofDay = days.get(dayOf.format(point.at)) ?? [];
        expect(point).toMatchObject(countersOf(ofDay));
      }
      expect(totals).toMatchObject(countersOf(events));
    },
  );

  it('counts the first hour of a day that has two hours after midnight', async () => {
    // The clocks of the Azores went from 01:00 back to 00:00, at 01:00 UTC.
    const midnight = Date.UTC(2026, 9, 25);
    const keyId = 'midnight twice';
    const at = [-1, 1, 61].map((minutes) => midnight + minutes * 60_000);
    await ingest.ingest(at.map((endedAt) => makeEvent({ keyId, endedAt })));
    for (const startAt of [midnight - 2 * dayMs, midnight]) {
      const asked = { startAt, endAt: midnight + dayMs, step: 'day', timeZone: 'Atlantic/Azores' } as const;
      const { lines } = await read({ keyIds: [keyId] }, asked);
      const days = lines[0]?.points.map((point) => [point.at, point.requests]);
      expect(days).toEqual([...(startAt < midnight ? [[midnight - dayMs, 1]] : []), [midnight, 2]]);
    }
  });

  it.each([
    ['hour', 'minute', hourMs, false],
    ['day', 'hour', dayMs, false],
    ['week', 'hour', 7 * dayMs, false],
    ['month', 'day', 30 * dayMs, false],
    ['month', 'day', 12 * dayMs + 9 * hourMs + 27 * 60_000, true],
  ] as const)(
    'of the window of a %s (by %s) comes to what /api/metrics tells of it, in whatever time zone',
    async (period, step, lengthMs, calendar) => {
      const endAt = Date.UTC(2026, 9, 13, 9, 27);
      const startAt = endAt - lengthMs;
      const keyId = `${period} of ${calendar ? 'the calendar' : 'its length'}`;
      // Before and behind it, too: what is within whole days, and not in the window.
      await ingest.ingest(scatter(keyId, startAt - 20 * hourMs, lengthMs + 30 * hourMs, 900));
      const { totals: told } = await metricsReport(env.database, { keyId, period, calendar }, endAt);
      for (const timeZone of ['UTC', 'Asia/Kolkata']) {
        const { totals } = await read({ keyIds: [keyId] }, { startAt, endAt, step, timeZone });
        const { requests, inputTokens, outputTokens, costNanoUsd, unpricedRequests } = totals;
        expect({ requests, inputTokens, outputTokens, costNanoUsd, unpricedRequests }).toEqual(told);
      }
    },
  );

  it('of a zone whose days begin within hours counts these hours whole, once their minutes are gone', async () => {
    const startAt = Date.UTC(2026, 3, 3, 18, 30);
    const keyId = 'minutes gone';
    await ingest.ingest(scatter(keyId, startAt - 2 * hourMs, 6 * dayMs, 700));
    const asked = { startAt, endAt: startAt + 3 * dayMs, step: 'day', timeZone: 'Asia/Kolkata' } as const;
    const window = await seriesWindow(env.database, asked, startAt + 2 * dayMs);
    await env.database.usageMinute.deleteMany({ where: { keyId, at: { lt: new Date(startAt + 2 * dayMs) } } });
    const { totals, lines } = await readSeries(env.databases.charts, window, { ...none, keyIds: [keyId] });
    const hours = await env.database.usageHour.aggregate({
      where: { keyId, at: { gte: new Date(startAt), lt: new Date(startAt + 2 * dayMs) } },
      _sum: { requests: true },
    });
    const older = lines[0]?.points.filter(({ at }) => at < startAt + 2 * dayMs) ?? [];
    expect(older.reduce((sum, { requests }) => sum + requests, 0)).toBe(Number(hours._sum.requests));
    expect(totals.requests).toBeGreaterThan(Number(hours._sum.requests));
  });

  it('of minutes names whose usage is the largest in these, not in their hour', async () => {
    const startAt = Date.UTC(2026, 6, 9, 10);
    const minute = 60_000;
    const used = (keyId: string, minutes: number, input: number) =>
      makeEvent({ keyId, accountId: 'of minutes', endedAt: startAt + minutes * minute, usage: { input, output: 0 } });
    await ingest.ingest([used('before', 5, 1_000), used('small', 31, 10), used('large', 32, 20)]);
    const { lines } = await read(
      { accountId: 'of minutes', groupBy: 'key', maxLines: 1 },
      { startAt: startAt + 30 * minute, endAt: startAt + 40 * minute, step: 'minute' },
    );
    expect(lines.map(({ name, totals }) => [name, totals.inputTokens])).toEqual([
      ['large', 20],
      ['other', 10],
    ]);
  });

  it('has minutes and hours, and divides by model, provider, key and account', async () => {
    const startAt = Date.UTC(2026, 6, 1, 10);
    const events = [...scatter('one', startAt, 2 * hourMs, 500), ...scatter('two', startAt, 2 * hourMs, 300)];
    await ingest.ingest(events);
    const window = { startAt, endAt: startAt + 2 * hourMs };
    const scope = { keyIds: ['one', 'two'] };
    const minutes = await read(scope, { ...window, step: 'minute' });
    expect(minutes.lines[0]?.points.length).toBeGreaterThan(100);
    expect(minutes.totals).toMatchObject(countersOf(events));
    const hours = await read(scope, { ...window, step: 'hour' });
    expect(hours.lines[0]?.points.map(({ at }) => at)).toEqual([startAt, startAt + hourMs]);
    expect(hours.totals).toEqual(minutes.totals);
    const namesBy = {
      model: (event: UsageEvent) => event.model,
      provider: (event: UsageEvent) => event.attempts[1]?.provider,
      key: (event: UsageEvent) => event.keyId,
      account: (event: UsageEvent) => event.accountId,
    };
    for (const groupBy of ['model', 'provider', 'key', 'account'] as const) {
      const { lines } = await read({ ...scope, groupBy }, { ...window, step: 'hour' });
      expect(lines).toHaveLength(2);
      for (const { name, totals } of lines)
        expect(totals).toMatchObject(countersOf(events.filter((event) => namesBy[groupBy](event) === name)));
    }
    const all = await read({ groupBy: 'model' }, { ...window, step: 'hour' });
    expect(all.totals).toMatchObject(countersOf(events));
    expect(all.totals.latency).toEqual(hours.totals.latency);
    const byKey = await read({ groupBy: 'key' }, { ...window, step: 'hour' });
    expect(byKey.lines.map(({ name, totals }) => [name, totals.requests])).toEqual([
      ['one', 500],
      ['two', 300],
    ]);
    const ofAccount = await read({ accountId: 'account of two' }, { ...window, step: 'hour' });
    expect(ofAccount.totals.requests).toBe(300);
    const foreign = await read({ keyIds: ['one'], accountId: 'account of two' }, { ...window, step: 'hour' });
    expect(foreign.totals.requests).toBe(0);
    const filtered = await read({ ...scope, model: 'test/priced', provider: 'third' }, { ...window, step: 'hour' });
    expect(filtered.totals).toMatchObject(
      countersOf(events.filter(({ model, attempts }) => model === 'test/priced' && attempts[1]?.provider === 'third')),
    );
  });

  it('adds the smallest lines up into one, which comes last', async () => {
    const endedAt = Date.UTC(2026, 5, 1, 12);
    const events = Array.from({ length: 30 }, (_, index) =>
      makeEvent({ keyId: `small-${index}`, accountId: 'many', endedAt, usage: { input: index + 1, output: 0 } }),
    );
    await ingest.ingest(events);
    const window = { startAt: endedAt, endAt: endedAt + hourMs, step: 'hour' } as const;
    const { lines, grouped, totals } = await read({ accountId: 'many', groupBy: 'key', maxLines: 5 }, window);
    expect(grouped).toBe(true);
    expect(lines.map(({ name }) => name)).toEqual([
      'small-29',
      'small-28',
      'small-27',
      'small-26',
      'small-25',
      'other',
    ]);
    expect(lines.at(-1)?.totals.requests).toBe(25);
    expect(totals.inputTokens).toBe(465);
  });

  it('folds late events in, and prices that came late', async () => {
    const endedAt = Date.UTC(2026, 4, 1, 12);
    const window = { startAt: endedAt, endAt: endedAt + hourMs, step: 'minute' } as const;
    await ingest.ingest([makeEvent({ keyId: 'late', endedAt: endedAt + 5 })]);
    expect((await read({ keyIds: ['late'] }, window)).totals.requests).toBe(1);
    await ingest.ingest([makeEvent({ keyId: 'late', endedAt: endedAt + 4, firstTokenAt: endedAt })]);
    const { totals } = await read({ keyIds: ['late'] }, window);
    expect(totals).toMatchObject({ requests: 2, costNanoUsd: '40000', latency: { p50: expect.closeTo(100, -1.7) } });
    expect(totals.firstToken?.p99).toBeGreaterThan(0);
  });

  it('reads and adds to histograms of before, which begin with the first bucket, as to those that begin later', async () => {
    const startAt = Date.UTC(2026, 3, 1, 12);
    const half = (keyId: string, part: number) =>
      scatter(keyId, startAt, 2 * hourMs, 400).filter((_, index) => index % 2 === part);
    const histograms = (keyId: string, table: 'usage_minute' | 'usage_hour') =>
      env.database.$queryRaw<{ first: number; whole: boolean }[]>(Prisma.sql`
        SELECT array_lower(latency, 1) AS first, array_position(latency, NULL) IS NULL AND latency[array_lower(latency, 1)] > 0 AS whole
        FROM ${Prisma.raw(table)} WHERE key_id = ${keyId} AND cardinality(latency) > 0`);
    for (const keyId of ['as before', 'of now']) await ingest.ingest(half(keyId, 0));
    for (const table of ['usage_minute', 'usage_hour'] as const)
      for (const column of ['latency', 'first_token'])
        await env.database.$executeRaw(Prisma.sql`
          UPDATE ${Prisma.raw(table)} AS sum SET ${Prisma.raw(column)} = ARRAY(
            SELECT coalesce(sum.${Prisma.raw(column)}[i], 0) FROM generate_series(1, array_upper(sum.${Prisma.raw(column)}, 1)) AS i ORDER BY i)
          WHERE key_id = 'as before' AND extract(minute FROM at)::int % 3 = 0`);
    for (const keyId of ['as before', 'of now']) {
      await ingest.ingest(half(keyId, 1));
      expect(await recount(env.database, keyId, 0)).toMatchObject({ events: 400, differences: [] });
    }
    for (const table of ['usage_minute', 'usage_hour'] as const) {
      const now = await histograms('of now', table);
      expect(now.every(({ first, whole }) => first > 1 && whole)).toBe(true);
      expect((await histograms('as before', table)).some(({ first }) => first === 1)).toBe(true);
    }
    for (const step of ['minute', 'hour', 'day'] as const) {
      const window = { startAt, endAt: startAt + 2 * hourMs, step };
      const [before, now] = await Promise.all(
        ['as before', 'of now'].map((keyId) => read({ keyIds: [keyId], groupBy: 'provider' }, window)),
      );
      expect(before).toEqual(now);
      expect(now?.totals).toMatchObject(countersOf([...half('of now', 0), ...half('of now', 1)]));
      const times = half('of now', 0).concat(half('of now', 1));
      expect(now?.totals.latency).toEqual(percentilesOf(times));
    }
  });

  it('adds histograms that do not touch, and fills up what lies between', async () => {
    const [row] = await env.database.$queryRaw<Record<string, string>[]>`
      SELECT add_counts('[5:6]={1,2}', '[9:9]={3}')::text AS apart, add_counts('[9:9]={3}', '{0,1}')::text AS old,
        add_counts('{}', '[4:4]={1}')::text AS nothing, add_counts('[4:4]={1}', '{}')::text AS kept,
        add_counts('{1,0,2}', '{0,0,0,5}')::text AS both`;
    expect(row).toEqual({
      apart: '[5:9]={1,2,0,0,3}',
      old: '{0,1,0,0,0,0,0,0,3}',
      nothing: '[4:4]={1}',
      kept: '[4:4]={1}',
      both: '{1,0,2,5}',
    });
  });

  it('refuses what it cannot tell', async () => {
    const window = { startAt: 0, endAt: dayMs, step: 'hour', timeZone: 'UTC' } as const;
    await expect(seriesWindow(env.database, { ...window, timeZone: 'Mars/Base' }, 0)).rejects.toThrow('Mars/Base');
    await expect(seriesWindow(env.database, { ...window, endAt: 0 }, 0)).rejects.toThrow('empty');
    await expect(seriesWindow(env.database, { ...window, endAt: 1_000 * dayMs }, 0)).rejects.toThrow('steps');
    await expect(seriesWindow(env.database, { ...window, step: 'minute' }, hourMs)).rejects.toThrow('kept since');
    const nothing = await read({ keyIds: ['nobody'] }, window);
    expect(nothing).toMatchObject({ lines: [], totals: { requests: 0, costNanoUsd: '0', latency: null } });
  });

  describe('the log of requests', () => {
    const startAt = Date.UTC(2026, 7, 1);
    const window = { startAt, endAt: startAt + dayMs, limit: 40 };
    let events: UsageEvent[];
    beforeAll(async () => {
      events = [...scatter('log-one', startAt, dayMs, 150), ...scatter('log-two', startAt, dayMs, 60)];
      await ingest.ingest(events);
    });

    const readAll = async (question: Omit<Parameters<typeof listRequests>[1], 'after'>) => {
      const found: Awaited<ReturnType<typeof listRequests>>['requests'] = [];
      let after: string | undefined;
      do {
        const page = await listRequests(env.database, { ...question, after });
        expect(page.requests.length).toBeLessThanOrEqual(question.limit);
        found.push(...page.requests);
        after = page.next ?? undefined;
      } while (after !== undefined);
      return found;
    };

    it.each([
      ['keys', { keyIds: ['log-one', 'log-two'] }, 210],
      ['an account', { accountId: 'account of log-two' }, 60],
      ['everybody', {}, 210],
    ])('gives the requests of %s once each, page by page, newest first', async (_, scope, count) => {
      const found = await readAll({ ...window, ...scope });
      expect(found).toHaveLength(count);
      expect(new Set(found.map(({ id }) => id)).size).toBe(count);
      const times = found.map(({ endedAt, startedAt }) =>
        'keyIds' in scope || 'accountId' in scope ? endedAt : startedAt,
      );
      expect(times).toEqual([...times].sort((a, b) => b - a));
    });

    it('shows requests of everybody that began long before the window, and those whose clocks differ a little', async () => {
      const at = startAt + 30 * dayMs;
      const ids = [-dayMs + 1_000, -1_000, 1_000, 30_000].map((ms) => uuidv7(at + ms));
      const made = ids.map((id, i) => makeEvent({ id, keyId: `edge-${i}`, endedAt: at + i }));
      const outside = [-1, 10_000].map((ms) => makeEvent({ keyId: 'outside', endedAt: at + ms }));
      await ingest.ingest([...made, ...outside]);
      const found = await readAll({ startAt: at, endAt: at + 10_000, limit: 3 });
      expect(found.map(({ id }) => id)).toEqual([...ids].reverse());
      for (const endAt of [Number.MAX_SAFE_INTEGER / 2, lastMs]) {
        const always = await listRequests(env.database, { startAt: 0, endAt, limit: 1 });
        expect(always.requests).toHaveLength(1);
      }
    });

    it('filters, and shows what is kept of a request', async () => {
      const failed = await readAll({ ...window, keyIds: ['log-one'], state: 'failed', provider: 'third' });
      expect(failed).toHaveLength(15);
      const [event] = events;
      const one = await readAll({ ...window, keyIds: ['log-one'], model: 'test/unpriced', status: 200 });
      expect(one.find(({ id }) => id === event?.id)).toMatchObject({
        provider: 'third',
        costNanoUsd: null,
        attempts: event?.attempts,
        usage: event?.usage,
        firstTokenAt: null,
      });
      const keyIds = ['log-one'];
      expect(await readAll({ ...window, keyIds, accountId: 'account of log-two' })).toEqual([]);
      expect(await readAll({ ...window, keyIds, accountId: 'account of log-one' })).toHaveLength(150);
      await expect(listRequests(env.database, { ...window, after: 'nonsense' })).rejects.toThrow('after');
    });
  });
});

function countersOf(events: UsageEvent[]) {
  const sum = (value: (event: UsageEvent) => number) => events.reduce((total, event) => total + value(event), 0);
  const priced = events.filter(({ model }) => model === 'test/priced');
  return {
    requests: events.length,
    failed: events.filter(({ state }) => state === 'failed').length,
    cancelled: events.filter(({ state }) => state === 'cancelled').length,
    unpricedRequests: events.length - priced.length,
    inputTokens: sum(({ usage }) => usage.input),
    outputTokens: sum(({ usage }) => usage.output),
    cachedInputTokens: sum(({ usage }) => usage.cachedInput),
    reasoningTokens: sum(({ usage }) => usage.reasoning),
    tokensPerSecond: speedOf(events),
    costNanoUsd: priced.reduce((total, { usage }) => total + 1_000 * usage.input + 2_000 * usage.output, 0).toString(),
  };
}

/** Tokens by the second of answers that were streamed for a tenth of a second at least, without reasoning. */
function speedOf(events: UsageEvent[]): number | null {
  const measured = events.flatMap(({ state, firstTokenAt, endedAt, usage }) =>
    state === 'completed' && firstTokenAt !== null && usage.reasoning === 0 && endedAt - firstTokenAt >= 100
      ? [{ tokens: usage.output, ms: endedAt - firstTokenAt }]
      : [],
  );
  const [tokens, ms] = [
    measured.reduce((sum, one) => sum + one.tokens, 0),
    measured.reduce((sum, one) => sum + one.ms, 0),
  ];
  return ms === 0 ? null : (tokens * 1_000) / ms;
}

/** What the charts say of the times of completed requests, from the times themselves. */
function percentilesOf(events: UsageEvent[]) {
  const histogram: number[] = [];
  for (const { state, startedAt, endedAt } of events)
    if (state === 'completed') countTime(histogram, endedAt - startedAt);
  const [p50, p90, p99] = percentiles(histogram, [0.5, 0.9, 0.99]) ?? [];
  return { p50, p90, p99 };
}
