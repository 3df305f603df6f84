import { uuidv7 } from '@tollgate/contracts';
import { digestOfName } from '@tollgate/contracts/metering';
import { eventNanos, makeBudget, makeEventOfAccount as makeEvent } from '../testing/make-budget';
import type { BudgetWish } from '../testing/make-budget';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { rowsRead } from '../testing/rows-read';
import { BudgetLeases } from './budget-leases';
import { namesOfBudget } from './names-of-budget';
import { reachedNames } from './reached-names';

let env: MeteringDatabase;
let leases: BudgetLeases;
beforeAll(async () => {
  env = await startMeteringDatabase();
  leases = new BudgetLeases(env.databases);
});
afterAll(() => env?.stop());

const make = (wish: BudgetWish = {}) =>
  makeBudget(env.accounts, { eachBy: 'end_user', eachNames: '*', limitNanoUsd: 10n * eventNanos, ...wish });
/** So many events of each of these. */
const spend = (accountId: string, counts: Record<string, number>, changes: object = {}) =>
  env
    .newIngest()
    .ingest(
      Object.entries(counts).flatMap(([endUser, count]) =>
        Array.from({ length: count }, () => makeEvent({ accountId, attribution: { endUser }, ...changes })),
      ),
    );
const ask = (budgetId: string, name: string, nanos: bigint) => ({
  ...{ budgetId, nameDigest: digestOfName(name), leaseId: uuidv7(), edgeId: 'edge', sequence: 1 },
  ...{ nanoUsd: nanos.toString(), leastNanoUsd: nanos.toString(), requestNanoUsd: nanos.toString() },
});
const inEvents = (nanos: string) => Number(BigInt(nanos) / eventNanos);

describe('the names of a budget that each has alone', () => {
  const shown = async (budgetId: string, wish: { names?: string[]; keyId?: string; limit?: number } = {}) =>
    (await leases.names({ budgetId, limit: 20, ...wish })).names.map(({ name, state }) => {
      return [name, inEvents(state.spentNanoUsd), inEvents(state.heldNanoUsd)];
    });

  it('are told, those who spent the most first, with what they hold, or those who are asked for', async () => {
    const { id, accountId } = await make({ eachNames: '*n*' });
    await spend(accountId, { ann: 2, ben: 7, dan: 1, bob: 9 });
    await leases.acquire(ask(id, 'ann', 3n * eventNanos));
    expect(await shown(id)).toEqual([
      ['ben', 7, 0],
      ['ann', 2, 3],
      ['dan', 1, 0],
    ]);
    expect(await shown(id, { limit: 1 })).toEqual([['ben', 7, 0]]);
    // Bob has no part of it, and Nina spent nothing yet.
    expect(await shown(id, { names: ['nina', 'ann', 'ann', 'bob'] })).toEqual([
      ['ann', 2, 3],
      ['nina', 0, 0],
    ]);
    const [first] = (await leases.names({ budgetId: id, limit: 1 })).names;
    expect(first?.nameDigest).toBe(digestOfName('ben'));
    expect(first?.state).toMatchObject({ limitNanoUsd: (10n * eventNanos).toString() });
    expect(first?.state.resetsAt).toBeGreaterThan(Date.now());
  });

  it('are of the key that asks alone where that is said, and of the window at hand', async () => {
    const all = await make();
    const mine = await make({ keyIds: ['mine'], window: 'day' });
    await spend(all.accountId, { ann: 1 }, { keyId: 'mine' });
    await spend(mine.accountId, { ann: 1 }, { keyId: 'mine' });
    expect(await shown(all.id, { keyId: 'mine' })).toEqual([]);
    expect(await shown(mine.id, { keyId: 'mine' })).toEqual([['ann', 1, 0]]);
    expect(await shown(mine.id, { keyId: 'another' })).toEqual([]);
    const tomorrow = new BudgetLeases(env.databases, () => Date.now() + 86_400_000);
    expect((await tomorrow.names({ budgetId: mine.id, limit: 20 })).names).toEqual([]);
    const windowStart = new Date().setUTCHours(0, 0, 0, 0);
    const [ann] = (await tomorrow.names({ budgetId: mine.id, limit: 20, windowStart })).names;
    expect([ann?.name, ann?.state.resetsAt]).toEqual(['ann', windowStart + 86_400_000]);
    for (const budgetId of [uuidv7(), 'none', (await makeBudget(env.accounts, {})).id])
      expect(await shown(budgetId, { names: ['ann'] })).toEqual([]);
  });
});

describe('names that came to a threshold', () => {
  /** Of one budget, as `name percent`. */
  const reachedOf = async (budgetId: string) =>
    (await leases.reachedNames({ limit: 500, refusals: true })).names.filter((one) => one.budgetId === budgetId);
  const reached = async (budgetId: string) =>
    (await reachedOf(budgetId)).map(({ name, percent }) => `${name} ${percent}`).sort();
  const told = async (budgetId: string) => leases.namesTold({ names: await reachedOf(budgetId) });

  it('are told of until somebody was told of them: 50, 80 and 100 %, each once', async () => {
    const { id, accountId } = await make();
    await spend(accountId, { ann: 4, ben: 5 });
    expect(await reached(id)).toEqual(['ben 50']);
    expect(await reached(id)).toEqual(['ben 50']);
    const before = await reachedOf(id);
    await spend(accountId, { ann: 2, ben: 3 });
    // That they were told of 50 % says nothing of 80.
    await leases.namesTold({ names: before });
    expect(await reached(id)).toEqual(['ann 50', 'ben 80']);
    expect((await reachedOf(id)).map((one) => `${one.name} ${one.toldPercent}`).sort()).toEqual(['ann 0', 'ben 50']);
    await told(id);
    await spend(accountId, { ann: 1, ben: 1 });
    expect(await reached(id)).toEqual([]);
    await spend(accountId, { ann: 3, ben: 3 });
    expect(await reached(id)).toEqual(['ann 100', 'ben 100']);
    await told(id);
    await spend(accountId, { ann: 3 });
    await leases.namesTold({ names: before });
    expect(await reached(id)).toEqual([]);
  });

  it('are told of anew under another limit, as soon as they spend again', async () => {
    const { id, accountId } = await make();
    await spend(accountId, { ann: 5 });
    const before = await reachedOf(id);
    await env.accounts.budget.update({ where: { id }, data: { limitNanoUsd: 12n * eventNanos } });
    expect(await reached(id)).toEqual([]);
    await leases.namesTold({ names: before });
    await spend(accountId, { ann: 1 });
    expect(await reached(id)).toEqual(['ann 50']);
  });

  it('are told apart when a request was refused, unless the budget is soft or the request found others running', async () => {
    const [hard, soft] = [await make(), await make()];
    await env.accounts.budget.update({ where: { id: soft.id }, data: { soft: true } });
    for (const { id, accountId } of [hard, soft]) {
      await spend(accountId, { ann: 1, ben: 1 });
      await leases.acquire(ask(id, 'ben', 9n * eventNanos));
      // It waits for one that runs, and Cleo spent nothing.
      await leases.acquire(ask(id, 'ben', 1n * eventNanos));
      await leases.acquire(ask(id, 'cleo', 11n * eventNanos));
      for (let times = 0; times < 2; times++) await leases.acquire(ask(id, 'ann', 10n * eventNanos));
    }
    expect(await reached(hard.id)).toEqual(['ann 0']);
    expect((await reachedOf(hard.id))[0]?.refusal).toEqual({
      ...{ mayCostNanoUsd: (10n * eventNanos).toString(), leftNanoUsd: (9n * eventNanos).toString() },
    });
    // An accounts of the release before does not know them.
    const before = (await leases.reachedNames({ limit: 500, refusals: false })).names;
    expect(before.filter(({ budgetId }) => budgetId === hard.id)).toEqual([]);
    expect(await reached(soft.id)).toEqual([]);
    await told(hard.id);
    await leases.acquire(ask(hard.id, 'ann', 10n * eventNanos));
    expect(await reached(hard.id)).toEqual([]);
    // It spends on, and is told of that.
    await spend(hard.accountId, { ann: 4 });
    expect(await reached(hard.id)).toEqual(['ann 50']);
    await told(hard.id);
    await spend(hard.accountId, { ann: 5 });
    expect(await reached(hard.id)).toEqual(['ann 100']);
    await env.accounts.budget.update({ where: { id: hard.id }, data: { limitNanoUsd: 12n * eventNanos } });
    await leases.acquire(ask(hard.id, 'ann', 3n * eventNanos));
    expect(await reached(hard.id)).toEqual(['ann 0']);
  });

  it('are told of when a limit is lowered to what they spent or below, and they are refused', async () => {
    const { id, accountId } = await make();
    await spend(accountId, { ann: 5, ben: 5 });
    await told(id);
    await env.accounts.budget.update({ where: { id }, data: { limitNanoUsd: 4n * eventNanos } });
    for (let times = 0; times < 2; times++) await leases.acquire(ask(id, 'ann', eventNanos));
    expect(await reached(id)).toEqual(['ann 100']);
    expect((await reachedOf(id))[0]).toMatchObject({ toldPercent: 0, refusal: null });
    await told(id);
    await leases.acquire(ask(id, 'ann', eventNanos));
    expect(await reached(id)).toEqual([]);
    await env.accounts.budget.update({ where: { id }, data: { limitNanoUsd: 5n * eventNanos } });
    await leases.acquire(ask(id, 'ben', eventNanos));
    expect(await reached(id)).toEqual(['ben 100']);
  });

  it('are told of what they spend after a metering of the release before noted a refusal as 100 %', async () => {
    const { id, accountId } = await make();
    await spend(accountId, { ann: 1, ben: 6 });
    // As that one notes it: of Ann it was told, of Ben not yet.
    await env.database.$executeRaw`
      UPDATE budget_name_spent SET reached_percent = 100, told_percent = CASE name WHEN 'ann' THEN 100 ELSE 0 END
      WHERE budget_id = ${id}::uuid`;
    const before = await reachedOf(id);
    for (const name of ['ann', 'ben']) await leases.acquire(ask(id, name, 10n * eventNanos));
    expect(await reached(id)).toEqual(['ben 0', 'ben 50']);
    // Who was told of what it noted just now was told of what was spent.
    expect(before.map(({ name, percent }) => `${name} ${percent}`)).toEqual(['ben 100']);
    await leases.namesTold({ names: before });
    expect(await reached(id)).toEqual(['ben 0']);
    await told(id);
    await spend(accountId, { ann: 4 });
    expect(await reached(id)).toEqual(['ann 50']);
    await told(id);
    await spend(accountId, { ann: 5, ben: 4 });
    expect(await reached(id)).toEqual(['ann 100', 'ben 100']);
  });

  it('keep what people were told of 50 and 80 % when a correction lowers the sum, and they are refused', async () => {
    const { id, accountId } = await make();
    await spend(accountId, { ann: 8 });
    await told(id);
    await env.database.$executeRaw`
      UPDATE budget_name_spent SET spent_nano_usd = ${7n * eventNanos} WHERE budget_id = ${id}::uuid`;
    await leases.acquire(ask(id, 'ann', 9n * eventNanos));
    await told(id);
    await spend(accountId, { ann: 1 });
    expect(await reached(id)).toEqual([]);
  });

  it('are those of the window at hand, and what came late of one before is told to nobody', async () => {
    const { id, accountId } = await make({ window: 'day', createdAt: new Date(Date.now() - 3 * 86_400_000) });
    await spend(accountId, { ann: 10 }, { endedAt: Date.now() - 2 * 86_400_000 });
    expect(await reached(id)).toEqual([]);
    await spend(accountId, { ann: 5 });
    expect(await reached(id)).toEqual(['ann 50']);
  });
});

it('reads of twenty thousand names those alone that it tells', async () => {
  const { id } = await make({ window: 'month', createdAt: new Date(0) });
  await env.database.$executeRaw`
    INSERT INTO budget_name_spent (
      budget_id, name_digest, window_start, spent_nano_usd, name, reached_percent, told_percent, reached_under_nano_usd,
      refused_nano_usd, refused_left_nano_usd, refused_under_nano_usd
    )
    SELECT id, md5(number::text), budget_window_start("window", time_zone, created_at, now()), limit_nano_usd + number,
      number::text, 100, CASE WHEN number % 1000 = 0 OR number % 10 = 1 THEN 0 ELSE 100 END, limit_nano_usd,
      CASE WHEN number % 10 = 1 THEN 7 END, CASE WHEN number % 10 = 1 THEN 6 END,
      CASE WHEN number % 10 = 1 THEN limit_nano_usd END
    FROM budget CROSS JOIN generate_series(1, 20000) AS series (number) WHERE id = ${id}::uuid`;
  await env.database.$executeRaw`ANALYZE budget_name_spent`;
  // Those that were refused a request and used up before anybody was told are told as used up.
  for (let page = 0; page < 5; page++) {
    const due = await leases.reachedNames({ limit: 500, refusals: true });
    await leases.namesTold({ names: due.names.filter(({ name }) => name?.endsWith('1')) });
  }
  const names: { name: string | null }[] = [];
  const read = await env.database.$transaction((transaction) =>
    rowsRead(transaction, 'budget_name_spent', async () => {
      const nearest = await namesOfBudget(transaction, { budgetId: id, limit: 20 }, new Date());
      const due = await reachedNames(transaction, { limit: 500, refusals: true }, new Date());
      names.push(...nearest.names, ...due.names.filter(({ budgetId }) => budgetId === id));
    }),
  );
  expect(names.slice(0, 2).map(({ name }) => name)).toEqual(['20000', '19999']);
  expect(names).toHaveLength(40);
  expect(read).toBeLessThan(200);
});
