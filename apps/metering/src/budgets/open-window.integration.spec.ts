import { Prisma } from '@tollgate/database';
import type { Database, Queries } from '@tollgate/database';
import { mostConnections } from '../databases';
import { eventNanos, makeBudget, makeEventOfAccount as makeEvent } from '../testing/make-budget';
import type { BudgetWish } from '../testing/make-budget';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { BudgetLeases } from './budget-leases';

type Metering = Database<'metering'>;

const minuteMs = 60_000;
/** From this cost of a plan on Postgres compiles it, for seconds where the plan is large. */
const jitAboveCost = 100_000;

let env: MeteringDatabase;
beforeAll(async () => {
  env = await startMeteringDatabase();
});
afterAll(() => env?.stop());

/** Calls `see` with each statement before it runs. */
function watched(database: Metering, see: (queries: Queries<'metering'>, sql: Prisma.Sql) => Promise<void>): Metering {
  const watch = <Whole extends Queries<'metering'>>(queries: Whole): Whole =>
    new Proxy(queries, {
      get: (target, name) => {
        if (name === '$queryRaw' || name === '$executeRaw')
          return async (strings: TemplateStringsArray, ...values: unknown[]) => {
            await see(target, Prisma.sql(strings, ...values));
            return target[name](strings, ...values);
          };
        if (name === '$transaction')
          return (work: (transaction: Queries<'metering'>) => Promise<unknown>) =>
            database.$transaction((transaction) => work(watch(transaction)));
        return Reflect.get(target, name);
      },
    });
  return watch(database);
}

const leasesOn = (operations: Metering) => {
  const { databases } = env;
  const rest = { answers: () => databases.answers(), onApplicationShutdown: () => databases.onApplicationShutdown() };
  return new BudgetLeases({ ...databases, ...rest, operations });
};

const ask = (budgetId: string) => ({
  ...{ budgetId, leaseId: `${budgetId} one`, edgeId: 'edge', sequence: 1 },
  ...{ nanoUsd: '1', leastNanoUsd: '1' },
});

describe('opening the window of a budget', () => {
  it.each(['month', '1h', '24h', '31d'])(
    'is no plan that Postgres would compile first, however much usage there is: %s',
    async (window) => {
      const { id, accountId } = await makeBudget(env.accounts, { window });
      await env.database.$executeRaw`
        INSERT INTO usage_minute (key_id, at, model, requests, unpriced, input_tokens, output_tokens, cost_nano_usd, account_id)
        SELECT account || key, date_trunc('minute', now()) - m * interval '1 minute', 'm', 1, 0, 1, 1, 1000, account
        FROM unnest(ARRAY[${accountId}, 'other' || ${accountId}]) AS account, generate_series(1, 5) AS key, generate_series(1, 2000) AS m`;
      await env.database.$executeRaw`ANALYZE usage_minute`;
      const costs: number[] = [];
      const operations = watched(env.database, async (queries, sql) => {
        const [plan] = await queries.$queryRaw<{ 'QUERY PLAN': { Plan: { 'Total Cost': number } }[] }[]>`
          EXPLAIN (FORMAT JSON) ${sql}`;
        costs.push(plan?.['QUERY PLAN'][0]?.Plan['Total Cost'] ?? Infinity);
      });
      const leases = leasesOn(operations);
      expect(Object.keys(await leases.states([id]))).toEqual([id]);
      expect(costs.length).toBeGreaterThan(2);
      expect(Math.max(...costs)).toBeLessThan(jitAboveCost);
    },
  );

  it('goes on where it failed, since what was made stays', async () => {
    const { id, accountId } = await makeBudget(env.accounts, { window: '31d' });
    await env.newIngest().ingest([makeEvent({ accountId, endedAt: Date.now() - 60 * minuteMs })]);
    let lasting = 3;
    const operations = watched(env.database, async (_, { sql }) => {
      if (sql.includes('INSERT INTO budget_spent') && lasting-- === 0) throw new Error('it took too long');
      return Promise.resolve();
    });
    const leases = leasesOn(operations);
    await expect(leases.states([id])).rejects.toThrow('it took too long');
    const made = await env.database.budgetSpent.count({ where: { budgetId: id } });
    expect(made).toBeGreaterThan(0);
    expect((await leases.states([id]))[id]?.spentNanoUsd).toBe(eventNanos.toString());
    expect(await env.database.budgetSpent.count({ where: { budgetId: id } })).toBeGreaterThan(made);
  });

  it('is done at once for all budgets of a request, of which each asks for itself', async () => {
    const wishes: BudgetWish[] = Array.from({ length: 30 }, (_, index) => ({ window: index % 2 ? 'month' : 'day' }));
    const made = await Promise.all(wishes.map((wish) => makeBudget(env.accounts, wish)));
    let opened = 0;
    const operations = watched(env.database, (_, { sql }) => {
      if (sql.includes('INSERT INTO budget_spent')) opened++;
      return Promise.resolve();
    });
    const leases = leasesOn(operations);
    const replies = await Promise.all(made.map(({ id }) => leases.acquire(ask(id))));
    expect(replies.every(({ grantedNanoUsd }) => grantedNanoUsd === '1')).toBe(true);
    // The first begins at once, by itself; those that come meanwhile are made ten at a time.
    expect(opened).toBeLessThan(10);
    expect(await env.database.budgetSpent.count({ where: { budgetId: { in: made.map(({ id }) => id) } } })).toBe(30);
  });

  it('makes the sums of windows of all kinds together that it makes of each alone, also beside another instance', async () => {
    const now = Date.now();
    const made = await Promise.all(
      ['1h', '31d', 'day', 'month', 'total', '1h', '24h', 'week'].map((window) => makeBudget(env.accounts, { window })),
    );
    const ids = made.map(({ id }) => id);
    const used = made.flatMap(({ accountId }) =>
      [2, 30, 300].map((minutes) => makeEvent({ accountId, endedAt: now - minutes * minuteMs })),
    );
    await env.newIngest().ingest(used);
    const leases = () => new BudgetLeases(env.databases, () => now);
    const sums = () =>
      env.database.budgetSpent.findMany({
        where: { budgetId: { in: ids } },
        orderBy: [{ budgetId: 'asc' }, { windowStart: 'asc' }],
      });
    const [one, other] = [leases(), leases()];
    await Promise.all([one, other].flatMap((each) => ids.map((id) => each.states([id]))));
    const together = await sums();
    await env.database.budgetSpent.deleteMany({ where: { budgetId: { in: ids } } });
    for (const id of ids) await leases().states([id]);
    expect(together).toEqual(await sums());
    expect(together.some(({ spentNanoUsd }) => !spentNanoUsd.isZero())).toBe(true);
  });

  it('and its grants leave connections to others, however many budgets a request has', async () => {
    const made = await Promise.all(Array.from({ length: 40 }, () => makeBudget(env.accounts, { window: 'total' })));
    let [running, most] = [0, 0];
    const operations: Metering = new Proxy(env.database, {
      get: (target, name): unknown => {
        if (name !== '$transaction') return Reflect.get(target, name);
        return async (work: (transaction: Queries<'metering'>) => Promise<unknown>) => {
          most = Math.max(most, ++running);
          return target.$transaction(work).finally(() => running--);
        };
      },
    });
    const leases = leasesOn(operations);
    await Promise.all(made.map(({ id }) => leases.acquire(ask(id))));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThan(mostConnections.operations);
  });

  it('makes what slices need that come next, of budgets that began together not for as long', async () => {
    const made = async () => {
      const { id } = await makeBudget(env.accounts, { window: '1h' });
      await new BudgetLeases(env.databases).states([id]);
      return env.database.budgetSpent.count({ where: { budgetId: id } });
    };
    const counts = await Promise.all(Array.from({ length: 30 }, made));
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(71);
    expect(new Set(counts).size).toBeGreaterThan(2);
  });
});

describe('the windows of a budget', () => {
  const day = (n: number) => new Date(Date.UTC(2026, 10, n, 23));
  const sums = (budgetId: string) =>
    env.database.budgetSpent.createMany({
      data: [1, 2].map((n) => ({ budgetId, windowStart: day(n), spentNanoUsd: n * 1_000 })),
    });
  const windowsOf = async (wish: BudgetWish, limit = 20) => {
    const { id } = await makeBudget(env.accounts, wish);
    await sums(id);
    return (await new BudgetLeases(env.databases).windows({ budgetId: id, limit })).windows;
  };

  it('are told that have a sum, the newest first, with where each ends by its calendar', async () => {
    const ofDays = { window: 'day', timeZone: 'Europe/Berlin' };
    const [second, first] = await windowsOf(ofDays);
    expect(second).toEqual({ startAt: day(2).getTime(), endAt: day(3).getTime(), spentNanoUsd: '2000' });
    expect(first).toEqual({ startAt: day(1).getTime(), endAt: day(2).getTime(), spentNanoUsd: '1000' });
    expect(await windowsOf(ofDays, 1)).toEqual([second]);
  });

  it.each([{ window: 'total' }, { window: '24h' }, { eachBy: 'tag', eachNames: '*' }])('%j has none', async (wish) =>
    expect(await windowsOf(wish)).toEqual([]),
  );
});
