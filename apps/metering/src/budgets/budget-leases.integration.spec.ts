import { uuidv7 } from '@tollgate/contracts';
import { modelPatternCases } from '@tollgate/testing';
import { eventNanos, eventTokens, makeBudget, makeEventOfAccount as makeEvent } from '../testing/make-budget';
import type { BudgetWish } from '../testing/make-budget';
import { addPrice, startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { LatePricing } from '../rating/late-pricing';
import { BudgetLeases } from './budget-leases';

describe('BudgetLeases', () => {
  let env: MeteringDatabase;
  let leases: BudgetLeases;
  beforeAll(async () => {
    env = await startMeteringDatabase();
    leases = new BudgetLeases(env.databases);
  });
  afterAll(() => env?.stop());

  const make = (wish: BudgetWish = {}): ReturnType<typeof makeBudget> => makeBudget(env.accounts, wish);
  const ask = (budgetId: string, leaseId: string, nanos: bigint, { sequence = 1, least = nanos } = {}) => {
    const sums = { nanoUsd: nanos.toString(), leastNanoUsd: least.toString() };
    return { budgetId, leaseId: `${budgetId} ${leaseId}`, edgeId: 'edge', sequence, ...sums };
  };
  const stateOf = async (id: string) => (await leases.states([id]))[id];
  const spentAt = async (id: string, atMs: number) =>
    (await new BudgetLeases(env.databases, () => atMs).states([id]))[id]?.spentNanoUsd;

  it('grant room for ten exactly ten times, although two hundred ask two instances at once', async () => {
    const { id } = await make({ limitNanoUsd: 1_000n });
    const other = new BudgetLeases(env.databases);
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 ? other : leases).acquire(ask(id, `${index}`, 100n))),
    );
    expect(replies.filter(({ grantedNanoUsd }) => grantedNanoUsd === '100')).toHaveLength(10);
    expect(await stateOf(id)).toMatchObject({ heldNanoUsd: '1000', spentNanoUsd: '0' });
  });

  it.each([
    ['usd', eventNanos],
    ['tokens', eventTokens],
  ] as const)(
    'in %s never let what is spent and held exceed the limit while usage is stored and others ask, and all of it can be spent',
    async (unit, ofEvent) => {
      const limitNanoUsd = 50n * ofEvent;
      const { id, accountId } = await make({ unit, limitNanoUsd });
      const ingest = env.newIngest();
      const bound = 3n * ofEvent;
      let isOver = false;
      /** Until less is left than a request may spend, whatever others hold meanwhile. */
      const spend = async (worker: number) => {
        for (let round = 1; ; round++) {
          const request = ask(id, `${worker}`, bound, { sequence: round });
          const { grantedNanoUsd, state } = await leases.acquire(request);
          const [spent, held] = [BigInt(state?.spentNanoUsd ?? 0), BigInt(state?.heldNanoUsd ?? 0)];
          if (spent + held > limitNanoUsd) isOver = true;
          if (limitNanoUsd - spent < bound) return;
          if (grantedNanoUsd === '0') continue;
          const budgets = [{ lease: request.leaseId, nanoUsd: bound.toString() }];
          await ingest.ingest([makeEvent({ accountId, keyId: `${worker}`, budgets })]);
        }
      };
      await Promise.all(Array.from({ length: 6 }, (_, worker) => spend(worker)));
      expect(isOver).toBe(false);
      expect(await stateOf(id)).toMatchObject({ spentNanoUsd: (48n * ofEvent).toString(), heldNanoUsd: '0' });
    },
  );

  it('hold what a request reserved until its usage is stored, and no longer, however often that comes', async () => {
    const { id, accountId } = await make();
    const ingest = env.newIngest();
    const request = ask(id, 'one', 900_000n);
    await leases.acquire(request);
    const event = makeEvent({ accountId, budgets: [{ lease: request.leaseId, nanoUsd: '300000' }] });
    await ingest.ingest([event]);
    await ingest.ingest([event]);
    expect(await stateOf(id)).toMatchObject({ heldNanoUsd: '600000', spentNanoUsd: eventNanos.toString() });
  });

  it('count what is spent with their models alone, before and after the window was opened, and free what any held', async () => {
    const models = ['acme/*_mini', 'acme/100%', 'a*\\*'];
    const { id, accountId } = await make({ models });
    const ingest = env.newIngest();
    const spend = async (model: string, budgets: { lease: string; nanoUsd: string }[] = []) => {
      await addPrice(env.catalog, model, { input: '1', output: '2' });
      await ingest.ingest([makeEvent({ accountId, model, budgets })]);
    };
    for (const model of ['acme/gpt_mini', 'acme/gpt-mini', 'acme/100%', 'acme/1000', 'a\\b']) await spend(model);
    expect(await stateOf(id)).toMatchObject({ spentNanoUsd: (3n * eventNanos).toString() });
    const request = ask(id, 'one', 600_000n);
    await leases.acquire(request);
    await spend('acme/other', [{ lease: request.leaseId, nanoUsd: '300000' }]);
    expect(await stateOf(id)).toMatchObject({ heldNanoUsd: '300000', spentNanoUsd: (3n * eventNanos).toString() });
    await spend('acme/a_mini', [{ lease: request.leaseId, nanoUsd: '300000' }]);
    expect(await stateOf(id)).toMatchObject({ heldNanoUsd: '0', spentNanoUsd: (4n * eventNanos).toString() });
  });

  it('count an answer once that takes the place of what was estimated of it', async () => {
    const { id, accountId } = await make();
    const ingest = env.newIngest();
    const request = ask(id, 'one', 900_000n);
    await leases.acquire(request);
    const budgets = [{ lease: request.leaseId, nanoUsd: '300000' }];
    const estimate = makeEvent({
      accountId,
      budgets,
      state: 'failed',
      estimated: true,
      usage: { input: 1, output: 1 },
    });
    await ingest.ingest([estimate]);
    await ingest.ingest([makeEvent({ ...estimate, state: 'completed', estimated: false, usage: {} })]);
    expect(await stateOf(id)).toMatchObject({ heldNanoUsd: '600000' });
    const events = await env.database.usageEvent.findMany({ where: { accountId } });
    const cost = events.reduce((sum, { costNanoUsd }) => sum + (costNanoUsd ?? 0n), 0n);
    expect((await stateOf(id))?.spentNanoUsd).toBe(cost.toString());
  });

  it('count what was spent before it was made in its month, and nothing before it of a total', async () => {
    const { id: first, accountId } = await make();
    const ingest = env.newIngest();
    await ingest.ingest([makeEvent({ accountId, endedAt: Date.now() - 120_000 })]);
    const data = { accountId, keyIds: [], limitNanoUsd: 1n, timeZone: 'UTC' };
    const [month, total] = [uuidv7(), uuidv7()];
    await env.accounts.budget.create({ data: { ...data, id: month, name: 'm', window: 'month' } });
    await env.accounts.budget.create({ data: { ...data, id: total, name: 't', window: 'total' } });
    const isSameMonth = new Date(Date.now() - 120_000).getUTCMonth() === new Date().getUTCMonth();
    expect((await stateOf(first))?.spentNanoUsd).toBe(isSameMonth ? eventNanos.toString() : '0');
    expect((await stateOf(month))?.spentNanoUsd).toBe(isSameMonth ? eventNanos.toString() : '0');
    expect(await stateOf(total)).toMatchObject({ spentNanoUsd: '0', resetsAt: null });
    await ingest.ingest([makeEvent({ accountId })]);
    expect((await stateOf(total))?.spentNanoUsd).toBe(eventNanos.toString());
  });

  it('count what was spent at another gateway in the window in which they were made, and in no other', async () => {
    const openingNanoUsd = 3n * eventNanos;
    const { id, accountId } = await make({ window: 'day', openingNanoUsd });
    await env.newIngest().ingest([makeEvent({ accountId })]);
    expect((await stateOf(id))?.spentNanoUsd).toBe((4n * eventNanos).toString());
    expect(await spentAt(id, Date.now() + 2 * 86_400_000)).toBe('0');
    const { id: total } = await make({ window: 'total', openingNanoUsd });
    expect(await spentAt(total, Date.now() + 2 * 86_400_000)).toBe(openingNanoUsd.toString());
  });

  it('count the spending of its keys alone', async () => {
    const { id, accountId } = await make({ keyIds: ['mine', 'successor'] });
    const ingest = env.newIngest();
    expect((await stateOf(id))?.spentNanoUsd).toBe('0');
    await ingest.ingest(['mine', 'other', 'successor'].map((keyId) => makeEvent({ accountId, keyId })));
    expect((await stateOf(id))?.spentNanoUsd).toBe((2n * eventNanos).toString());
  });

  it('begin days by the clock of their time zone, half hours and changes of summer time included', async () => {
    const at = Date.UTC(2026, 9, 25, 12);
    const day = async (timeZone: string) => {
      const { id } = await make({ window: 'day', timeZone });
      return new Date((await new BudgetLeases(env.databases, () => at).states([id]))[id]?.resetsAt ?? 0).toISOString();
    };
    // The day on which clocks go back in Berlin has 25 hours.
    expect(await day('Europe/Berlin')).toBe('2026-10-25T23:00:00.000Z');
    expect(await day('Asia/Kolkata')).toBe('2026-10-25T18:30:00.000Z');
    const { id, accountId } = await make({ window: 'day', timeZone: 'Asia/Kolkata' });
    const now = Date.now();
    const halfHourMs = 1_800_000;
    const midnight = Math.floor((now + 11 * halfHourMs) / 86_400_000) * 86_400_000 - 11 * halfHourMs;
    const ingest = env.newIngest();
    for (const endedAt of [midnight - 60_000, midnight + 60_000, midnight + 40 * 60_000])
      await ingest.ingest([makeEvent({ accountId, endedAt })]);
    expect(await spentAt(id, midnight + 3_600_000)).toBe((2n * eventNanos).toString());
    expect(await spentAt(id, midnight - 3_600_000)).toBe(eventNanos.toString());
  });

  it('begin hours by the clock of their time zone, too', async () => {
    const { id, accountId } = await make({ window: 'hour', timeZone: 'Asia/Kolkata' });
    const halfPast = Date.UTC(2026, 9, 4, 12, 30);
    const ingest = env.newIngest();
    for (const minutes of [-1, 0, 59, 60])
      await ingest.ingest([makeEvent({ accountId, endedAt: halfPast + minutes * 60_000 })]);
    expect(await spentAt(id, halfPast + 10 * 60_000)).toBe((2n * eventNanos).toString());
    const resetsAt = async (budgetId: string, now: number) =>
      (await new BudgetLeases(env.databases, () => now).states([budgetId]))[budgetId]?.resetsAt;
    expect(await resetsAt(id, halfPast + 10 * 60_000)).toBe(halfPast + 3_600_000);
    // Clocks of Berlin go back at 1:00 UTC: the hour before ends then, and the next has the same name.
    const backAt = Date.UTC(2026, 9, 25, 1);
    const { id: berlin } = await make({ window: 'hour', timeZone: 'Europe/Berlin' });
    expect(await resetsAt(berlin, backAt - 60_000)).toBe(backAt);
    expect(await resetsAt(berlin, backAt + 60_000)).toBe(backAt + 3_600_000);
  });

  it.each(modelPatternCases)('match models as edge does: %j and %s: %s', async (patterns, model, matches) => {
    expect(await env.database.$queryRaw`SELECT budget_counts(${patterns}::text[], ${model}) AS matches`).toEqual([
      { matches },
    ]);
  });

  it('count late prices, once they are known', async () => {
    const { id, accountId } = await make();
    const pricing = new LatePricing(env.databases);
    await pricing.run();
    await env.newIngest().ingest([makeEvent({ accountId, model: 'test/late' })]);
    expect((await stateOf(id))?.spentNanoUsd).toBe('0');
    await addPrice(env.catalog, 'test/late', { input: '1', output: '2' });
    await pricing.run();
    expect((await stateOf(id))?.spentNanoUsd).toBe(eventNanos.toString());
  });

  it('grant nothing where what is left is too little for the request that waits', async () => {
    const { id } = await make({ limitNanoUsd: 100n });
    expect((await leases.acquire(ask(id, 'one', 80n))).grantedNanoUsd).toBe('80');
    expect((await leases.acquire(ask(id, 'two', 80n, { least: 30n }))).grantedNanoUsd).toBe('0');
    expect((await leases.acquire(ask(id, 'three', 80n, { least: 20n }))).grantedNanoUsd).toBe('20');
  });

  it('answer a repeated request as the first time, refuse one that was overtaken, and say where there is no budget', async () => {
    const { id } = await make();
    expect((await leases.acquire(ask(id, 'r', 100n))).grantedNanoUsd).toBe('100');
    expect((await leases.acquire(ask(id, 'r', 100n))).grantedNanoUsd).toBe('100');
    expect((await stateOf(id))?.heldNanoUsd).toBe('100');
    expect((await leases.acquire(ask(id, 'r', 100n, { sequence: 2 }))).grantedNanoUsd).toBe('100');
    await expect(leases.acquire(ask(id, 'r', 100n))).rejects.toMatchObject({ code: 'conflict' });
    expect(await leases.acquire(ask(uuidv7(), 'x', 100n))).toMatchObject({ grantedNanoUsd: '0', state: null });
    expect(await leases.acquire(ask('no id', 'x', 100n))).toMatchObject({ grantedNanoUsd: '0', state: null });
  });

  it('hold what a lost edge held until long after its lease ran out, and give it back then', async () => {
    const { id } = await make({ limitNanoUsd: 100n });
    const brief = new BudgetLeases(env.databases, Date.now, 1);
    await brief.acquire(ask(id, 'lost', 100n));
    await leases.sweep(0);
    expect((await stateOf(id))?.heldNanoUsd).toBe('100');
    expect((await leases.acquire(ask(id, 'next', 100n))).grantedNanoUsd).toBe('0');
    await env.database
      .$executeRaw`UPDATE budget_lease SET expires_at = clock_timestamp() - interval '25 s' WHERE budget_id = ${id}::uuid`;
    await leases.sweep(10_000);
    expect((await stateOf(id))?.heldNanoUsd).toBe('100');
    await leases.sweep(1_000);
    expect((await leases.acquire(ask(id, 'then', 100n))).grantedNanoUsd).toBe('100');
  });

  it('give back what a lost edge held also while sums cannot be forgotten', async () => {
    const { id } = await make({ limitNanoUsd: 100n });
    await leases.acquire(ask(id, 'lost', 100n));
    await env.database
      .$executeRaw`UPDATE budget_lease SET expires_at = clock_timestamp() - interval '25 s' WHERE budget_id = ${id}::uuid`;
    await env.database.$transaction(async (transaction) => {
      await transaction.$executeRaw`LOCK TABLE budget_spent`;
      await leases.sweep(0);
    });
    expect((await stateOf(id))?.heldNanoUsd).toBe('0');
  });

  it('tell which have come so far, and which refused a request, in the window at hand and under the limit of now', async () => {
    const half = await make({ limitNanoUsd: 2n * eventNanos });
    const less = await make({ limitNanoUsd: 3n * eventNanos });
    for (const { id } of [half, less]) await stateOf(id);
    const ingest = env.newIngest();
    await ingest.ingest([half, less].map(({ accountId }) => makeEvent({ accountId })));
    const ours = new Map([half, less].map(({ id }, index) => [id, ['half', 'less'][index]]));
    const reached = async (by: BudgetLeases, percent = 50) => {
      const found = [];
      for (let after: string | undefined, isLast = false; !isLast;) {
        const page = await by.reached({ percent, limit: 1, after });
        found.push(...page.budgets.filter(({ budgetId }) => ours.has(budgetId)));
        [after, isLast] = [page.next ?? undefined, page.next === null];
      }
      return found.map(({ budgetId, hasRefused }) => [ours.get(budgetId), hasRefused]);
    };
    expect(await reached(leases)).toEqual([['half', false]]);
    const dear = { ...ask(less.id, 'one', eventNanos), requestNanoUsd: (3n * eventNanos).toString() };
    // What is only held comes back: that refuses nothing for long.
    await leases.acquire(ask(less.id, 'holder', 2n * eventNanos));
    await leases.acquire({ ...dear, requestNanoUsd: eventNanos.toString() });
    expect(await reached(leases)).toEqual([['half', false]]);
    await leases.acquire({ ...dear, sequence: 2 });
    expect(await reached(leases)).toEqual([
      ['half', false],
      ['less', true],
    ]);
    expect(await reached(leases, 51)).toEqual([['less', true]]);
    await env.accounts.budget.update({ where: { id: less.id }, data: { limitNanoUsd: 4n * eventNanos } });
    expect(await reached(leases)).toEqual([['half', false]]);
    const later = Date.now() + 40 * 86_400_000;
    await new BudgetLeases(env.databases, () => later).states([half.id]);
    expect(await reached(new BudgetLeases(env.databases, () => later))).toEqual([]);
  });

  describe('that refused requests', () => {
    const reachedOf = async (id: string) =>
      (await leases.reached({ percent: 0, limit: 500 })).budgets.find(({ budgetId }) => budgetId === id);
    const refusalOf = async (id: string) => {
      const told = (await reachedOf(id))?.refusal;
      return told && [told.mayCostNanoUsd, told.leftNanoUsd].map((amount) => BigInt(amount) / eventNanos);
    };
    const spend = (accountId: string, events: number) =>
      env.newIngest().ingest(Array.from({ length: events }, () => makeEvent({ accountId })));
    let sequence = 0;
    /** Asks for so many events' worth, of which there is not enough. */
    const refuse = async (id: string, events: bigint) => {
      sequence += 1;
      const requestNanoUsd = (events * eventNanos).toString();
      await leases.acquire({ ...ask(id, 'one', events * eventNanos), sequence, requestNanoUsd });
    };
    const makeSpent = async (events: number) => {
      const made = await make({ limitNanoUsd: 10n * eventNanos });
      await stateOf(made.id);
      await spend(made.accountId, events);
      return made;
    };

    it('tell what the first of them might have cost, and what was left, and of none when nothing was', async () => {
      const { id, accountId } = await makeSpent(3);
      expect(await refusalOf(id)).toBeNull();
      await refuse(id, 9n);
      await spend(accountId, 6);
      await refuse(id, 2n);
      expect(await refusalOf(id)).toEqual([9n, 7n]);
      const spent = await makeSpent(10);
      await refuse(spent.id, 2n);
      expect(await reachedOf(spent.id)).toMatchObject({ hasRefused: false, refusal: null });
    });

    it('tell no amounts of another limit, which a metering of the release before leaves', async () => {
      const { id } = await makeSpent(3);
      await refuse(id, 9n);
      const limitNanoUsd = 11n * eventNanos;
      await env.accounts.budget.update({ where: { id }, data: { limitNanoUsd } });
      await env.database.budgetSpent.updateMany({
        where: { budgetId: id },
        data: { refusedUnderNanoUsd: limitNanoUsd },
      });
      expect(await reachedOf(id)).toMatchObject({ hasRefused: true, refusal: null });
      await refuse(id, 10n);
      expect(await refusalOf(id)).toEqual([10n, 8n]);
    });

    it('are hard: a soft one refuses nothing, also where it was hard before', async () => {
      const { id } = await makeSpent(3);
      const set = (soft: boolean) => env.accounts.budget.update({ where: { id }, data: { soft } });
      await set(true);
      await refuse(id, 9n);
      await set(false);
      expect(await reachedOf(id)).toMatchObject({ hasRefused: false });
      await refuse(id, 9n);
      await set(true);
      expect(await reachedOf(id)).toMatchObject({ hasRefused: false, refusal: null });
    });
  });

  it('tell of those among so many budgets, be it none of them', async () => {
    const { id: after } = await make();
    const [none, spent] = [await make(), await make({ limitNanoUsd: eventNanos })];
    await stateOf(spent.id);
    await env.newIngest().ingest([makeEvent({ accountId: spent.accountId })]);
    expect(await leases.reached({ percent: 50, limit: 1, after })).toEqual({ budgets: [], next: none.id });
    const last = await leases.reached({ percent: 50, limit: 1, after: none.id });
    expect(last).toMatchObject({ budgets: [{ budgetId: spent.id }], next: null });
  });

  it('take back what an edge does not need, and extend the rest', async () => {
    const { id } = await make();
    const request = ask(id, 'renewed', 100n);
    await leases.acquire(request);
    const renew = (giveBackNanoUsd: string, close: boolean) =>
      leases.renew({ edgeId: 'edge', leases: [{ leaseId: request.leaseId, giveBackNanoUsd, close }] });
    expect((await renew('30', false)).renewed).toEqual([request.leaseId]);
    expect((await stateOf(id))?.heldNanoUsd).toBe('70');
    await renew('70', true);
    expect((await stateOf(id))?.heldNanoUsd).toBe('0');
    expect((await renew('0', false)).renewed).toEqual([]);
  });

  it('forget sums of windows that are long over, and none of a total', async () => {
    const [{ id: hourly }, { id: total }] = [await make({ window: 'hour' }), await make({ window: 'total' })];
    const sumOf = (budgetId: string, daysAgo: number) => ({
      ...{ budgetId, windowStart: new Date(Date.now() - daysAgo * 86_400_000), spentNanoUsd: 1 },
    });
    await env.database.budgetSpent.createMany({ data: [sumOf(hourly, 41), sumOf(hourly, 39), sumOf(total, 41)] });
    await leases.forgetSums();
    expect(await env.database.budgetSpent.count({ where: { budgetId: hourly } })).toBe(1);
    expect(await env.database.budgetSpent.count({ where: { budgetId: total } })).toBe(1);
  });

  it('forget what was spent of a budget that was removed', async () => {
    const { id } = await make();
    await stateOf(id);
    await env.accounts.budget.delete({ where: { id } });
    await leases.forgetSums();
    expect(await env.database.budgetSpent.count({ where: { budgetId: id } })).toBe(0);
    expect(await stateOf(id)).toBeUndefined();
  });
});
