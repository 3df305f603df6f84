import { uuidv7 } from '@tollgate/contracts';
import type { TokenUsage } from '@tollgate/contracts';
import { digestOfName } from '@tollgate/contracts/metering';
import { LatePricing } from '../rating/late-pricing';
import { eventNanos, eventTokens, makeBudget, makeEventOfAccount as makeEvent } from '../testing/make-budget';
import type { BudgetWish } from '../testing/make-budget';
import { addPrice, startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { BudgetLeases } from './budget-leases';
import { reachedBudgets } from './reached-budgets';

describe('budgets in tokens', () => {
  let env: MeteringDatabase;
  let leases: BudgetLeases;
  beforeAll(async () => {
    env = await startMeteringDatabase();
    leases = new BudgetLeases(env.databases);
  });
  afterAll(() => env?.stop());

  const make = (wish: BudgetWish = {}): ReturnType<typeof makeBudget> =>
    makeBudget(env.accounts, { unit: 'tokens', limitNanoUsd: 1_000n * eventTokens, ...wish });
  const spentOf = async (id: string) => (await leases.states([id]))[id]?.spentNanoUsd;
  const events = (count: bigint) => (count * eventTokens).toString();
  const ask = (budgetId: string, leaseId: string, tokens: bigint) => {
    const sums = { nanoUsd: tokens.toString(), leastNanoUsd: tokens.toString() };
    return { budgetId, leaseId: `${budgetId} ${leaseId}`, edgeId: 'edge', sequence: 1, ...sums };
  };

  it.each(['month', 'total', '1h', '31d'])(
    'count input and output of every model, with a price or without, before and after the window was opened: %s',
    async (window) => {
      const { id, accountId } = await make({ window });
      const ingest = env.newIngest();
      const spend = (usage: Partial<TokenUsage>, model: string) =>
        ingest.ingest([makeEvent({ accountId, model, usage })]);
      await spend({ input: 100, output: 20, cachedInput: 90, reasoning: 10 }, `unpriced/${window}`);
      expect(await spentOf(id)).toBe('120');
      await spend({ input: 3, output: 4 }, 'test/priced');
      await spend({ input: 1_000, output: 0 }, `unpriced/${window}`);
      expect(await spentOf(id)).toBe('1127');
    },
  );

  it('count what replaces an estimate in its place, and nothing anew where a price comes late', async () => {
    const { id, accountId } = await make();
    const ingest = env.newIngest();
    const model = `late/${uuidv7()}`;
    const estimate = makeEvent({ accountId, model, state: 'failed', estimated: true, usage: { input: 1, output: 1 } });
    await ingest.ingest([estimate]);
    expect(await spentOf(id)).toBe('2');
    await ingest.ingest([makeEvent({ ...estimate, state: 'completed', estimated: false, usage: {} })]);
    expect(await spentOf(id)).toBe(events(1n));
    await addPrice(env.catalog, model, { input: '1', output: '2' });
    await new LatePricing(env.databases).run();
    const [stored] = await env.database.usageEvent.findMany({ where: { accountId } });
    expect(stored?.costNanoUsd).toBe(eventNanos);
    expect(await spentOf(id)).toBe(events(1n));
  });

  it('stand beside one in dollars, and each counts in its unit', async () => {
    const { id, accountId } = await make();
    const dollars = uuidv7();
    const data = { name: 'dollars', keyIds: [], limitNanoUsd: 10n * eventNanos, window: 'month', timeZone: 'UTC' };
    await env.accounts.budget.create({ data: { ...data, id: dollars, accountId } });
    const ingest = env.newIngest();
    for (let index = 0; index < 3; index++) {
      await ingest.ingest([makeEvent({ accountId })]);
      const count = BigInt(index + 1);
      expect([await spentOf(id), await spentOf(dollars)]).toEqual([events(count), (count * eventNanos).toString()]);
    }
  });

  it('are of each name alone, without a price, too, and tell who came near the limit', async () => {
    const limitNanoUsd = 2n * eventTokens;
    const { id, accountId } = await make({ limitNanoUsd, eachBy: 'end_user', eachNames: '*' });
    const said = (endUser: string) => makeEvent({ accountId, model: 'unpriced/any', attribution: { endUser } });
    const ingest = env.newIngest();
    await ingest.ingest([said('ann'), said('ben')]);
    await ingest.ingest([said('ann')]);
    const { names } = await leases.names({ budgetId: id, limit: 10 });
    expect(names.map(({ name, state }) => [name, state.spentNanoUsd])).toEqual([
      ['ann', events(2n)],
      ['ben', events(1n)],
    ]);
    const more = await leases.acquire({ ...ask(id, 'one', 1n), nameDigest: digestOfName('ann') });
    expect(more.grantedNanoUsd).toBe('0');
    const told = (await leases.reachedNames({ limit: 500, refusals: false })).names.filter(
      ({ budgetId }) => budgetId === id,
    );
    expect(told.map(({ name, percent }) => `${name} ${percent}`).toSorted()).toEqual(['ann 100', 'ben 50']);
  });

  it.each(['month', '1h'])('of a project bring and take along what a key used: %s', async (window) => {
    const { id, accountId } = await make({ window, project: 'web', keyIds: ['none yet'] });
    const key = `one ${id}`;
    const ingest = env.newIngest();
    await ingest.ingest([makeEvent({ accountId, keyId: key, model: 'unpriced/any' })]);
    expect(await spentOf(id)).toBe('0');
    const move = (keyIds: string[], joined: string[], left: string[]) =>
      env.accounts.$transaction(async (transaction) => {
        await transaction.budget.update({ where: { id }, data: { keyIds } });
        await transaction.$queryRaw`SELECT move_budget_sums(${key}, ${joined}::uuid[], ${left}::uuid[])::text`;
      });
    await move([key, 'other'], [id], []);
    expect(await spentOf(id)).toBe(events(1n));
    await move(['other'], [], [id]);
    expect(await spentOf(id)).toBe('0');
  });

  it('are told of when so many percent of their tokens are used', async () => {
    const { id, accountId } = await make({ limitNanoUsd: 2n * eventTokens });
    expect(await spentOf(id)).toBe('0');
    await env.newIngest().ingest([makeEvent({ accountId, model: 'unpriced/any' })]);
    const after = `${id.slice(0, -12)}000000000000`;
    const { budgets } = await reachedBudgets(env.database, { percent: 50, limit: 500, after }, new Date());
    expect(budgets.find(({ budgetId }) => budgetId === id)).toMatchObject({
      limitNanoUsd: events(2n),
      spentNanoUsd: events(1n),
    });
  });
});
