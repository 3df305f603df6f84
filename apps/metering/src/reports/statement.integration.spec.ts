import { createMeteringDatabase } from '@tollgate/database/metering';
import { Ledger } from '../ledger/ledger';
import { CurrentPrices } from '../rating/price-book';
import { makeEvent } from '../testing/make-event';
import { addPrice, startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { readStatement } from './statement';

/** Last month is over, whenever this runs. */
const month = new Date(Date.parse(`${new Date().toISOString().slice(0, 7)}-01`) - 1).toISOString().slice(0, 7);
const start = Date.parse(`${month}-01T00:00:00Z`);
const firstDay = `${month}-01`;
const endOf = (ofMonth: string) => new Date(`${ofMonth}-01T00:00:00Z`).setUTCMonth(Number(ofMonth.slice(5)));
const lastDay = new Date(endOf(month) - 1).toISOString().slice(0, 10);
const hourMs = 3_600_000;

let env: MeteringDatabase;
beforeAll(async () => {
  env = await startMeteringDatabase();
  const mine = { accountId: 'mine', keyId: 'one' };
  const tried = [{ deployment: 'd', provider: 'openai', status: 200, error: null, latencyMs: 1 }];
  await env
    .newIngest()
    .ingest([
      makeEvent({ ...mine, attempts: tried, endedAt: start, usage: { input: 3, output: 1, cachedInput: 2 } }),
      makeEvent({ ...mine, attempts: tried, endedAt: start + 5 * hourMs, usage: { input: 1, output: 0 } }),
      makeEvent({ ...mine, keyId: 'two', attempts: tried, endedAt: start, usage: { input: 7, output: 7 } }),
      makeEvent({ ...mine, keyId: 'two', attempts: tried, endedAt: endOf(month) - 1 }),
      makeEvent({ ...mine, attempts: tried, endedAt: start, model: 'test/unpriced' }),
      makeEvent({ ...mine, attempts: [], endedAt: start, cached: true, usage: { input: 0, output: 0 } }),
      makeEvent({ ...mine, attempts: tried, endedAt: start - 1 }),
      makeEvent({ accountId: 'other', keyId: 'other', attempts: tried, endedAt: start }),
    ]);
});
afterAll(() => env?.stop());

const inLedger = async (keyIds: string[]) => {
  const events = await env.database.usageEvent.findMany({
    where: { keyId: { in: keyIds }, endedAt: { gte: new Date(start) } },
  });
  return events.reduce((sum, { costNanoUsd }) => sum + (costNanoUsd ?? 0n), 0n).toString();
};

it('has a line for each day and model of the account, which are together what the ledger has', async () => {
  const { lines, total, startAt, endAt } = await readStatement(env.databases, { accountId: 'mine', month });
  expect(lines.map(({ day, model, requests, unpricedRequests }) => [day, model, requests, unpricedRequests])).toEqual([
    [firstDay, 'test/priced', 3, 0],
    [firstDay, 'test/unpriced', 1, 1],
    [lastDay, 'test/priced', 1, 0],
  ]);
  expect(lines[0]).toMatchObject({ inputTokens: 11, cachedInputTokens: 2, outputTokens: 8 });
  expect(total.costNanoUsd).toBe(await inLedger(['one', 'two']));
  expect(BigInt(total.costNanoUsd)).toBeGreaterThan(0n);
  expect(total.requests).toBe(5);
  expect([startAt, endAt]).toEqual([start, endOf(month)]);
});

it('has each request at the price of the instant at which it began, to the nano-dollar, whatever was set since', async () => {
  const mine = { accountId: 'dated', keyId: 'dated', model: 'test/dated' };
  const tried = [{ deployment: 'd', provider: 'openai', status: 200, error: null, latencyMs: 1 }];
  const instant = start + 2 * hourMs;
  const [cheap, dear] = [
    { input: '0.000001', output: '7.654321' },
    { input: '1.234567', output: '15.308642' },
  ];
  await addPrice(env.catalog, mine.model, cheap, new Date(0), new Date(instant));
  await addPrice(env.catalog, mine.model, dear, new Date(instant));
  const used = { input: 1_001, output: 7 };
  const events = [instant - 1, instant, instant + 1].map((startedAt) =>
    makeEvent({ ...mine, attempts: tried, startedAt, endedAt: instant + 60_000, usage: used }),
  );
  const [before, at, after] = events;
  // 1001 x 1 + 7 x 7654321 pico-dollars, and 1001 x 1234567 + 7 x 15308642: rounded half up, once each.
  const [old, fresh] = [53_581n, 1_342_962n];
  await env.newIngest().ingest([at, before, after].filter((event) => event !== undefined));
  const ledger = new Ledger(env.databases, new CurrentPrices(env.databases));
  const check = async () => {
    const explained = await Promise.all(events.map(({ id }) => ledger.explain(id)));
    const costs = explained.map(({ events: [one] }) => [one?.storedNanoUsd, one?.computedNanoUsd]);
    expect(costs).toEqual([old, fresh, fresh].map((nanos) => [String(nanos), String(nanos)]));
    const { total } = await readStatement(env.databases, { accountId: 'dated', month });
    expect([total.requests, total.costNanoUsd]).toEqual([3, String(old + 2n * fresh)]);
  };
  await check();
  const later = await env.catalog.price.updateMany({
    where: { model: mine.model, validTo: null },
    data: { validTo: new Date(instant + hourMs) },
  });
  expect(later.count).toBe(1);
  await addPrice(env.catalog, mine.model, { input: '99', output: '99' }, new Date(instant + hourMs));
  await check();
});

it('is of some keys alone, where they are named, and of nobody’s who has none of them', async () => {
  const { total } = await readStatement(env.databases, { accountId: 'mine', keyIds: ['two', 'other'], month });
  expect(total).toMatchObject({ requests: 2, costNanoUsd: await inLedger(['two']) });
  expect(await readStatement(env.databases, { accountId: 'nobody', month })).toMatchObject({
    total: { requests: 0, costNanoUsd: '0' },
    lines: [],
  });
});

it('adds the models beyond those that it tells apart up, to the same sum', async () => {
  const accountId = 'many';
  const events = Array.from({ length: 103 }, (_, index) =>
    makeEvent({
      ...{ accountId, keyId: 'many', endedAt: start, model: `test/model-${index}` },
      attempts: [{ deployment: 'd', provider: 'openai', status: 200, error: null, latencyMs: 1 }],
    }),
  );
  await env.newIngest().ingest(events);
  const { lines, total } = await readStatement(env.databases, { accountId, month });
  expect(lines).toHaveLength(101);
  expect(lines.find(({ model }) => model === '(other)')).toMatchObject({ requests: 3 });
  expect(total.requests).toBe(103);
});

it('comes also where a day takes longer than an operation may', async () => {
  const asked = { accountId: 'mine', month };
  const hurried = createMeteringDatabase(env.postgres.url, { connectTimeoutMs: 60_000, statementTimeoutMs: 100 });
  const operations = new Proxy(env.database, {
    get: (target, name) => {
      if (name !== '$queryRaw') return Reflect.get(target, name) as unknown;
      days += 1;
      return days > 3 ? () => hurried.$queryRaw`SELECT pg_sleep(60)::text` : target.$queryRaw.bind(target);
    },
  });
  let days = 0;
  expect(await readStatement({ operations, recount: env.database }, asked)).toEqual(
    await readStatement(env.databases, asked),
  );
  expect(days).toBe(4);
  await expect(readStatement({ operations, recount: operations }, asked)).rejects.toThrow(/timeout/);
  await hurried.$disconnect();
});
