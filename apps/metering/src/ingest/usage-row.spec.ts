import { uuidv7 } from '@tollgate/contracts';
import { priceSheet } from '@tollgate/contracts/catalog';
import { makeEvent } from '../testing/make-event';
import { foldRows } from './fold-rows';
import { PriceBook } from '../rating/price-book';
import { toRateSheet } from '../rating/rate-sheet';
import { bucketOf } from '../reports/histogram';
import { postgresJson } from './postgres-json';
import { bornAt, toUsageRow, unusable } from './usage-row';

describe('usage rows', () => {
  it('take their partition from the id alone, so that one id cannot be in two', () => {
    expect(bornAt(uuidv7(1_763_668_800_123))).toBe(1_763_668_800_123);
    expect(bornAt('ffffffff-ffff-7000-8000-000000000000')).toBe(2 ** 48 - 1);
  });

  it.each([
    [{ id: 'x' }, 'not a UUID'],
    [{ id: 'ffffffff-ffff-7000-8000-000000000000' }, 'after the year 9999'],
    [{ startedAt: Number.MAX_VALUE }, 'not possible'],
    [{ usage: { output: 10_000_000_001 } }, 'tokens'],
    [{ keyId: 'k'.repeat(301) }, 'too long'],
    [{ keyId: '*' }, 'all keys'],
    [{ status: 1_000 }, 'HTTP status'],
  ])('say why %j cannot be stored', (changes, reason) => {
    expect(unusable(makeEvent(changes), 0)).toContain(reason);
  });

  it('let an ordinary event in, and not one whose month was dropped', () => {
    const event = makeEvent();
    expect(unusable(event, 0)).toBeNull();
    expect(unusable(event, event.endedAt)).toContain('METERING_RETENTION_MONTHS');
  });

  it('hold what the provider says that it charges beside what our prices make of it, without our own mark-up', () => {
    const attempts = [{ deployment: 'd', provider: 'openrouter', status: 200, error: null, latencyMs: 1 }];
    const served = { toldNanoUsd: '50000', discount: '0.5', markup: '1' };
    const event = makeEvent({ model: 'a/b', attempts, usage: { input: 10, output: 0, served } });
    expect(toUsageRow(event, PriceBook.of(0n, [])).told).toBeNull();
    const prices = { find: () => ({ id: 'p', sheet: toRateSheet(priceSheet.parse({ input: '4', output: '1' })) }) };
    expect(toUsageRow(event, prices)).toMatchObject({
      costNanoUsd: 40_000n,
      told: { provider: 'openrouter', toldUsd: 0.00005, ratedUsd: 0.00002 },
    });
  });

  it('hold apart, by provider, what an attempt may cost whose caller does not pay', () => {
    const tried = { deployment: 'a/b@acme', provider: 'acme', status: 500, error: 'http_500', latencyMs: 1 };
    const attempts = [
      { ...tried, unbilled: { input: 1_000, output: 0 } },
      { ...tried, provider: 'spare' },
    ];
    const event = makeEvent({ model: 'a/b', attempts, state: 'failed', usage: { input: 0, output: 0 } });
    const prices = { find: () => ({ id: 'p', sheet: toRateSheet(priceSheet.parse({ input: '4', output: '1' })) }) };
    expect(toUsageRow(event, prices)).toMatchObject({ costNanoUsd: 0n, unbilled: [{ provider: 'acme', usd: 0.004 }] });
  });

  it('count in the minute, hour and month in which the event ended', () => {
    const endedAt = Date.UTC(2026, 11, 31, 23, 59, 59, 999);
    const rows = [endedAt, endedAt + 0.9, endedAt + 1].map((time) =>
      toUsageRow(makeEvent({ endedAt: time, id: uuidv7(endedAt), lease: 'a' }), PriceBook.of(0n, [])),
    );
    const { minutes, hours, months, leases } = foldRows(rows);
    const ofKey = minutes.filter(({ key }) => key === 'key-1');
    expect(ofKey.map(({ at, requests }) => [new Date(at).toISOString(), requests])).toEqual([
      ['2026-12-31T23:59:00.000Z', 2],
      ['2027-01-01T00:00:00.000Z', 1],
    ]);
    expect(hours.map(({ key, requests, unpriced }) => [key, requests, unpriced])).toEqual([
      ['key-1', 2, 2],
      ['key-1', 1, 1],
      ['*', 2, 2],
      ['*', 1, 1],
    ]);
    expect(months).toEqual([
      { key: 'key-1', month: '2026-12-01', tokens: 30 },
      { key: 'key-1', month: '2027-01-01', tokens: 15 },
    ]);
    expect(leases).toEqual([{ id: 'a', tokens: 45 }]);
  });

  it('are summed of all keys as of each, times and costs too', () => {
    const at = Date.UTC(2026, 11, 31, 10, 30);
    const prices = { find: () => ({ id: 'p', sheet: toRateSheet(priceSheet.parse({ input: '4', output: '1' })) }) };
    const rowOf = (keyId: string, minute: number, latencyMs: number) =>
      toUsageRow(
        makeEvent({ keyId, startedAt: at + minute * 60_000 - latencyMs, endedAt: at + minute * 60_000 }),
        prices,
      );
    const added = [rowOf('one', 0, 5), rowOf('one', 1, 5_000), rowOf('two', 1, 5), rowOf('two', 1, 40)];
    const { minutes, hours } = foldRows(added, [rowOf('two', 1, 40)]);
    const told = (changes: typeof minutes) =>
      changes.map(({ key, requests, input, cost, latency }) => [
        ...[key, requests, input, cost],
        latency.reduce((sum, count) => sum + count, 0),
      ]);
    const one = Number(added[0]?.costNanoUsd);
    expect(told(minutes)).toEqual([
      ['one', 1, 10, `${one}`, 1],
      ['one', 1, 10, `${one}`, 1],
      ['two', 1, 10, `${one}`, 1],
      ['*', 1, 10, `${one}`, 1],
      ['*', 2, 20, `${2 * one}`, 2],
    ]);
    expect(told(hours)).toEqual([
      ['one', 2, 20, `${2 * one}`, 2],
      ['two', 1, 10, `${one}`, 1],
      ['*', 3, 30, `${3 * one}`, 3],
    ]);
    const ofOne = hours.find(({ key }) => key === 'one')?.latency;
    expect([ofOne?.[bucketOf(5)], ofOne?.[bucketOf(5_000)]]).toEqual([1, 1]);
  });

  it.each([
    ['\0', '\ufffd'],
    ['\\u0000', '\\u0000'],
    ['\\\0', '\\\ufffd'],
    ['\ud83d\ude00 and \ud83d', '\ud83d\ude00 and \ufffd'],
    ['\n"', '\n"'],
  ])('are written as JSON that Postgres can hold: %j', (name, held) => {
    expect(JSON.parse(postgresJson({ name }))).toEqual({ name: held });
  });
});
