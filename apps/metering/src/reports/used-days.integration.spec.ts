import type { UsedDay } from '@tollgate/contracts/metering';
import { makeEvent } from '../testing/make-event';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { readSeries } from './series';
import { seriesWindow } from './series-window';
import { usedDays } from './used-days';

const today = new Date().toISOString().slice(0, 10);
const midnightMs = Date.parse(today);
const dayMs = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const [from, to] = [dayOf(midnightMs - 2 * dayMs), dayOf(midnightMs - dayMs)];

describe('what keys used by day', () => {
  let env: MeteringDatabase;
  beforeAll(async () => {
    env = await startMeteringDatabase();
    const ingest = env.newIngest();
    const at = (provider: string) => [{ deployment: 'd', provider, status: 200, error: null, latencyMs: 1 }];
    const events = [];
    for (const daysAgo of [1, 2, 3])
      for (const key of ['one', 'two'])
        for (const provider of ['azure', 'openai'])
          for (const offsetMs of [0, dayMs - 1]) {
            const endedAt = midnightMs - daysAgo * dayMs + offsetMs;
            const accountId = `account of ${key}`;
            events.push(
              makeEvent({ keyId: key, accountId, endedAt, attempts: at(provider), usage: { cachedInput: 4 } }),
            );
          }
    events.push(
      makeEvent({
        keyId: 'one',
        endedAt: midnightMs - dayMs,
        cached: true,
        attempts: [],
        usage: { input: 0, output: 0 },
      }),
    );
    const unpriced = { model: 'test/unpriced', attempts: at('openai'), usage: { reasoning: 2 } };
    events.push(makeEvent({ keyId: 'one', accountId: 'account of one', endedAt: midnightMs - dayMs, ...unpriced }));
    await ingest.ingest(events);
  });
  afterAll(() => env?.stop());

  async function all(
    limit: number,
    more: { accountId?: string; keyIds?: string[]; from?: string } = {},
  ): Promise<UsedDay[]> {
    const days: UsedDay[] = [];
    let after: string | undefined;
    do {
      const page = await usedDays(env.database, { from, to, limit, after, ...more });
      days.push(...page.days);
      after = page.next ?? undefined;
    } while (after !== undefined);
    return days;
  }

  it('has a row for each day, key, model and provider, in whole days of UTC, and none of the response cache', async () => {
    const days = await all(1_000);
    const names = days.map(({ day, keyId, model, provider }) => [day, keyId, model, provider].join(' '));
    expect(names).toEqual(
      [
        ...[from, to].flatMap((day) =>
          ['one', 'two'].flatMap((key) => ['azure', 'openai'].map((place) => `${day} ${key} test/priced ${place}`)),
        ),
      ].flatMap((name) =>
        name === `${to} one test/priced openai` ? [name, `${to} one test/unpriced openai`] : [name],
      ),
    );
    const usual = { requests: 2, unpricedRequests: 0, inputTokens: 20, cachedInputTokens: 8, outputTokens: 10 };
    expect(days[0]).toMatchObject({ accountId: 'account of one', ...usual, reasoningTokens: 0, costNanoUsd: '40000' });
    const [unpriced] = days.filter(({ model }) => model === 'test/unpriced');
    expect(unpriced).toMatchObject({ requests: 1, unpricedRequests: 1, reasoningTokens: 2, costNanoUsd: '0' });
  });

  it('adds up to what a series of these days tells, to the nano-dollar', async () => {
    const days = await all(1_000);
    const window = { startAt: Date.parse(from), endAt: Date.parse(to) + dayMs, step: 'day' as const, timeZone: 'UTC' };
    const whole = await seriesWindow(env.database, window, 0);
    const { totals } = await readSeries(env.databases.charts, whole, { groupBy: 'none', maxLines: 20 });
    const sum = (value: (day: UsedDay) => number | string) =>
      days.reduce((total, day) => total + BigInt(value(day)), 0n).toString();
    expect(sum(({ costNanoUsd }) => costNanoUsd)).toBe(totals.costNanoUsd);
    expect(sum(({ requests }) => requests)).toBe(String(totals.requests - totals.cachedRequests));
    expect(sum(({ inputTokens }) => inputTokens)).toBe(String(totals.inputTokens));
  });

  it('is the same in pages of any size, and of an account or of keys alone', async () => {
    const days = await all(1_000);
    for (const limit of [1, 2, 4]) expect(await all(limit)).toEqual(days);
    // A page reads so many days and no more: the first have nothing.
    const longAgo = { from: dayOf(midnightMs - 100 * dayMs) };
    const all100 = await all(1_000, longAgo);
    expect(all100.slice(-days.length)).toEqual(days);
    expect(all100.length).toBeGreaterThan(days.length);
    expect(await usedDays(env.database, { to, limit: 1_000, ...longAgo })).toMatchObject({
      ...{ days: [], next: expect.any(String) as string },
    });
    const ofTwo = days.filter(({ keyId }) => keyId === 'two');
    expect(await all(3, { accountId: 'account of two' })).toEqual(ofTwo);
    expect(await all(3, { keyIds: ['two'] })).toEqual(ofTwo);
    const backwards = usedDays(env.database, { from: to, to: from, limit: 1 });
    await expect(backwards).rejects.toThrow(`${from} is before the first day, ${to}`);
    await expect(usedDays(env.database, { from, to, limit: 1, after: 'none' })).rejects.toMatchObject({
      code: 'invalid',
    });
  });
});
