import { uuidv7 } from '@tollgate/contracts';
import { digestOfName } from '@tollgate/contracts/metering';
import { LatePricing } from '../rating/late-pricing';
import { eventNanos, makeBudget, makeEventOfAccount as makeEvent } from '../testing/make-budget';
import type { BudgetWish } from '../testing/make-budget';
import { addPrice, startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { rowsRead } from '../testing/rows-read';
import { BudgetLeases } from './budget-leases';
import { openWindows } from './open-window';
import { forgetNames } from './forget-names';

describe('budgets that each name has alone', () => {
  let env: MeteringDatabase;
  let leases: BudgetLeases;
  beforeAll(async () => {
    env = await startMeteringDatabase();
    leases = new BudgetLeases(env.databases);
  });
  afterAll(() => env?.stop());

  const make = (wish: BudgetWish = {}): ReturnType<typeof makeBudget> => makeBudget(env.accounts, wish);

  /** A question for so much of a budget, of a lease of its own each time. */
  const ask = (budgetId: string, nanos: bigint) => {
    const sums = { nanoUsd: nanos.toString(), leastNanoUsd: nanos.toString() };
    return { budgetId, leaseId: uuidv7(), edgeId: 'edge', sequence: 1, ...sums };
  };
  const of = (budgetId: string, name: string, nanos: bigint) => {
    return { ...ask(budgetId, nanos), nameDigest: digestOfName(name) };
  };
  /** What a name spent and holds. */
  const standing = async (id: string, name: string, at = leases) => {
    const { state } = await at.acquire(of(id, name, 0n));
    return state && { spent: BigInt(state.spentNanoUsd), held: BigInt(state.heldNanoUsd) };
  };

  it('grant room for ten to each exactly ten times, although two hundred ask two instances at once', async () => {
    const { id } = await make({ limitNanoUsd: 1_000n, eachBy: 'end_user', eachNames: '*' });
    const other = new BudgetLeases(env.databases);
    const names = ['ann', 'bob'];
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        return (index % 4 < 2 ? other : leases).acquire(of(id, names[index % 2] ?? '', 100n));
      }),
    );
    const granted = replies.map(({ grantedNanoUsd }, index) => (grantedNanoUsd === '100' ? names[index % 2] : null));
    for (const name of names) expect(granted.filter((one) => one === name)).toHaveLength(10);
    expect(await standing(id, 'ann')).toEqual({ spent: 0n, held: 1_000n });
    // Nobody has it as a whole, and nobody has a part of one that is not divided.
    expect(await leases.states([id])).toEqual({});
    expect((await leases.acquire(ask(id, 1n))).state).toBeNull();
    expect((await leases.acquire(of((await make()).id, 'ann', 1n))).state).toBeNull();
  });

  it('count what is spent for each name that matches, more of them than reports tell apart', async () => {
    const wish = { eachBy: 'end_user', eachNames: 'user-*', models: ['test/*'], keyIds: ['mine'] };
    const { id, accountId } = await make(wish);
    const said = (endUser: string, changes: object = {}) =>
      makeEvent({ accountId, keyId: 'mine', attribution: { endUser, tags: ['user-tag'] }, ...changes });
    const ingest = env.newIngest();
    const names = Array.from({ length: 1_100 }, (_, index) => `user-${index}`);
    await ingest.ingest(names.map((name) => said(name)));
    const last = said('user-1099');
    await ingest.ingest([last, last, said('ann'), said('user-0', { keyId: 'other' })]);
    await ingest.ingest([said('user-0', { endedAt: Date.now() - 3 * 86_400_000 })]);
    expect(await standing(id, 'user-0')).toEqual({ spent: eventNanos, held: 0n });
    expect(await standing(id, 'user-1099')).toEqual({ spent: 2n * eventNanos, held: 0n });
    for (const name of ['ann', 'user-tag', 'user-']) expect(await standing(id, name)).toEqual({ spent: 0n, held: 0n });
    expect(await env.database.budgetNameSpent.count({ where: { budgetId: id } })).toBe(1_100);
  });

  it('count for each of several tags, what an answer costs that replaces an estimate, and free what is held', async () => {
    const { id, accountId } = await make({ eachBy: 'tag', eachNames: 'team=*' });
    const requests = ['team=a', 'team=b'].map((name) => of(id, name, 900_000n));
    for (const request of requests) await leases.acquire(request);
    const budgets = requests.map(({ leaseId: lease }) => ({ lease, nanoUsd: '900000' }));
    const attribution = { tags: ['team=a', 'prod', 'team=b'] };
    const usage = { input: 1, output: 1 };
    const estimate = makeEvent({ accountId, attribution, budgets, state: 'failed', estimated: true, usage });
    const ingest = env.newIngest();
    await ingest.ingest([estimate]);
    expect(await standing(id, 'team=a')).toEqual({ spent: 3_000n, held: 0n });
    await ingest.ingest([makeEvent({ ...estimate, state: 'completed', estimated: false, usage: {} })]);
    for (const name of ['team=a', 'team=b']) {
      expect(await standing(id, name)).toEqual({ spent: eventNanos, held: 0n });
    }
  });

  it('count what is priced late', async () => {
    const { id, accountId } = await make({ eachBy: 'end_user', eachNames: 'ann' });
    const model = `test/late-${uuidv7()}`;
    await env.newIngest().ingest([makeEvent({ accountId, model, attribution: { endUser: 'ann' } })]);
    expect(await standing(id, 'ann')).toEqual({ spent: 0n, held: 0n });
    await addPrice(env.catalog, model, { input: '1', output: '2' });
    await new LatePricing(env.databases).run();
    expect(await standing(id, 'ann')).toEqual({ spent: eventNanos, held: 0n });
  });

  it('begin with nothing when they are made, and anew with each window; what is over is forgotten', async () => {
    const wish = { eachBy: 'end_user', eachNames: '*', window: 'day' };
    const { id, accountId } = await make({ ...wish, createdAt: new Date(Date.now() - 60_000) });
    const said = (endedAt: number) => makeEvent({ accountId, attribution: { endUser: 'ann' }, endedAt });
    await env.newIngest().ingest([said(Date.now() - 90_000), said(Date.now())]);
    expect(await standing(id, 'ann')).toMatchObject({ spent: eventNanos });
    const later = new BudgetLeases(env.databases, () => Date.now() + 86_400_000);
    expect(await standing(id, 'ann', later)).toMatchObject({ spent: 0n });
    const count = () => env.database.budgetNameSpent.count({ where: { budgetId: id } });
    await later.forgetNames();
    expect(await count()).toBe(1);
    await new BudgetLeases(env.databases, () => Date.now() + 2 * 86_400_000).forgetNames();
    expect(await count()).toBe(0);
    await env.newIngest().ingest([said(Date.now())]);
    await env.accounts.budget.delete({ where: { id } });
    await leases.forgetNames();
    expect(await count()).toBe(0);
  });

  it('are forgotten window by window, without a look at what is not over', async () => {
    const day = 86_400_000;
    const today = Math.floor(Date.now() / day) * day;
    const wish = { eachBy: 'end_user', eachNames: '*', createdAt: new Date(today - 3 * day) };
    const forDays = (await make({ ...wish, window: 'day' })).id;
    const forEver = (await make({ ...wish, window: 'total' })).id;
    const gone = uuidv7();
    const fill = (id: string, windowStart: number, names: number) => env.database.$executeRaw`
      INSERT INTO budget_name_spent SELECT ${id}::uuid, md5(name::text), ${new Date(windowStart)}::timestamptz, 1
      FROM generate_series(1, ${names}::int) AS name`;
    await fill(forDays, today - 3 * day, 6_000);
    await fill(forDays, today - day, 10_000);
    await fill(forDays, today, 10_000);
    await fill(forEver, today - 3 * day, 20_000);
    await fill(gone, today, 100);
    await env.database.$executeRaw`ANALYZE budget_name_spent`;
    const read = await env.database.$transaction((transaction) =>
      rowsRead(transaction, 'budget_name_spent', () => forgetNames(transaction, new Date(today + day / 2))),
    );
    const left = (id: string) => env.database.budgetNameSpent.count({ where: { budgetId: id } });
    expect([await left(forDays), await left(forEver), await left(gone)]).toEqual([20_000, 20_000, 0]);
    // Each that goes is read once or twice.
    expect(read).toBeLessThan(3 * 6_100);
  });

  it('have no sum of all names, be there one of the release before', async () => {
    const { id, accountId } = await make({ eachBy: 'end_user', eachNames: '*', limitNanoUsd: eventNanos });
    await openWindows(env.database, [{ budgetId: id, at: new Date() }]);
    const sums = async () =>
      (await env.database.budgetSpent.findMany({ where: { budgetId: id } })).map(({ spentNanoUsd }) =>
        BigInt(spentNanoUsd.toFixed()),
      );
    expect(await sums()).toEqual([]);
    // As metering of that release leaves it, once an edge asked for money.
    await env.database.$executeRaw`
      INSERT INTO budget_spent (budget_id, window_start, spent_nano_usd)
      SELECT id, budget_window_start("window", time_zone, created_at, now()), limit_nano_usd FROM budget WHERE id = ${id}::uuid`;
    const { budgets } = await leases.reached({ percent: 50, limit: 1_000 });
    expect(budgets.filter(({ budgetId }) => budgetId === id)).toEqual([]);
    await env.newIngest().ingest([makeEvent({ accountId, attribution: { endUser: 'ann' } })]);
    expect(await sums()).toEqual([eventNanos]);
    expect(await standing(id, 'ann')).toMatchObject({ spent: eventNanos });
  });
});
