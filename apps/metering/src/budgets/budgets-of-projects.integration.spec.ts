import { uuidv7 } from '@tollgate/contracts';
import { eventNanos, makeBudget } from '../testing/make-budget';
import type { BudgetWish } from '../testing/make-budget';
import { makeEvent } from '../testing/make-event';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { BudgetLeases } from './budget-leases';

const minuteMs = 60_000;
const dayMs = 86_400_000;

let env: MeteringDatabase;
let leases: BudgetLeases;
beforeAll(async () => {
  env = await startMeteringDatabase();
  leases = new BudgetLeases(env.databases);
});
afterAll(() => env?.stop());

const make = (wish: BudgetWish = {}) => makeBudget(env.accounts, { project: 'web', keyIds: ['one'], ...wish });
const spentOf = async (id: string, of = leases) => (await of.states([id]))[id]?.spentNanoUsd;
const events = (count: bigint) => (count * eventNanos).toString();

/** As accounts does when keys come to the project, or leave it. */
const becomes = (id: string, keyIds: string[]) =>
  env.accounts.$transaction(async (transaction) => {
    const before = (await transaction.budget.findUniqueOrThrow({ where: { id } })).keyIds;
    await transaction.budget.update({ where: { id }, data: { keyIds } });
    const move = (key: string, joined: string[], left: string[]) =>
      transaction.$queryRaw`SELECT move_budget_sums(${key}, ${joined}::uuid[], ${left}::uuid[])::text`;
    for (const key of keyIds) if (!before.includes(key)) await move(key, [id], []);
    for (const key of before) if (!keyIds.includes(key)) await move(key, [], [id]);
  });

describe('a budget of a project', () => {
  it.each(['month', '1h', '31d', 'total'])('counts what its keys spent, whenever they came: %s', async (window) => {
    const { id, accountId } = await make({ window });
    const ingest = env.newIngest();
    const spend = (keyId: string) => ingest.ingest([makeEvent({ keyId: `${keyId} ${id}`, accountId })]);
    const [one, other] = [`one ${id}`, `other ${id}`];
    await becomes(id, [one]);
    await spend('one');
    await spend('other');
    expect(await spentOf(id)).toBe(events(1n));
    await becomes(id, [one, other]);
    expect(await spentOf(id)).toBe(events(2n));
    await spend('other');
    expect(await spentOf(id)).toBe(events(3n));
    await becomes(id, [other]);
    expect(await spentOf(id)).toBe(events(2n));
  });

  it('has every event once, of the keys of now, while keys come and leave, usage is stored and others ask', async () => {
    const { id, accountId } = await make({ limitNanoUsd: 0n });
    const [one, other] = [`one ${id}`, `other ${id}`];
    await becomes(id, [one]);
    const second = new BudgetLeases(env.databases);
    let isDone = false;
    const asking = [leases, second].map(async (of) => {
      while (!isDone) await spentOf(id, of);
    });
    const spending = [one, other].map(async (keyId) => {
      const ingest = env.newIngest();
      for (let round = 0; round < 40; round++) await ingest.ingest([makeEvent({ keyId, accountId })]);
    });
    const coming = (async () => {
      for (let round = 0; round < 15; round++) {
        await becomes(id, round % 2 ? [one] : [one, other]);
        await spentOf(id);
      }
    })();
    try {
      await Promise.all([...spending, coming]);
    } finally {
      isDone = true;
      await Promise.allSettled(asking);
    }
    await Promise.all(asking);
    expect(await spentOf(id)).toBe(events(80n));
    await becomes(id, [one]);
    expect(await spentOf(id)).toBe(events(40n));
  });

  it('goes on to hold what its requests reserved when a key comes', async () => {
    const { id, accountId } = await make();
    const [one, other] = [`one ${id}`, `other ${id}`];
    await becomes(id, [one]);
    const lease = `${id} lease`;
    const sums = { nanoUsd: '900000', leastNanoUsd: '900000' };
    await leases.acquire({ budgetId: id, leaseId: lease, edgeId: 'edge', sequence: 1, ...sums });
    await becomes(id, [one, other]);
    const budgets = [{ lease, nanoUsd: '300000' }];
    await env.newIngest().ingest([makeEvent({ keyId: one, accountId, budgets })]);
    expect((await leases.states([id]))[id]).toMatchObject({ heldNanoUsd: '600000', spentNanoUsd: events(1n) });
  });

  it.each([
    ['hour', 'UTC'],
    ['hour', 'Asia/Kolkata'],
    ['day', 'Asia/Kolkata'],
    ['month', 'UTC'],
    ['total', 'UTC'],
    ['1h', 'UTC'],
    ['7h', 'UTC'],
    ['3d', 'UTC'],
  ])('comes to what one has that was made with its keys of now: %s, %s', async (window, timeZone) => {
    const at = Date.now();
    const still = new BudgetLeases(env.databases, () => at);
    const wish = { window, timeZone, models: ['m*'], createdAt: new Date(at - 31.3 * 60 * minuteMs) };
    const { id, accountId } = await make(wish);
    const [one, other] = [`one ${id}`, `other ${id}`];
    await env.database.$executeRaw`
      INSERT INTO usage_minute (key_id, at, model, requests, unpriced, input_tokens, output_tokens, cost_nano_usd, account_id)
      SELECT key, date_trunc('minute', now()) - n * interval '7 minutes', model, 1, 0, 1, 1, 1000 + n, ${accountId}
      FROM generate_series(0, 500) AS n, unnest(${[one, other]}::text[]) AS key, unnest(ARRAY['m1', 'm2', 'x']) AS model`;
    await env.database.$executeRaw`
      INSERT INTO usage_hour (key_id, at, model, requests, unpriced, input_tokens, output_tokens, cost_nano_usd, account_id)
      SELECT key_id, date_trunc('hour', at, 'UTC'), model, 1, 0, 1, 1, sum(cost_nano_usd), account_id
      FROM usage_minute WHERE account_id = ${accountId} GROUP BY 1, 2, 3, account_id`;
    const madeOf = async (keyIds: string[]) => {
      const { id: _id, ...same } = await env.accounts.budget.findUniqueOrThrow({ where: { id } });
      const made = await env.accounts.budget.create({ data: { ...same, id: uuidv7(), name: keyIds.join(), keyIds } });
      return spentOf(made.id, still);
    };
    await env.accounts.budget.update({ where: { id }, data: { keyIds: [one] } });
    expect(await spentOf(id, still)).toBe(await madeOf([one]));
    await becomes(id, [one, other]);
    const both = await madeOf([one, other]);
    expect(await spentOf(id, still)).toBe(both);
    expect(BigInt(both ?? 0)).toBeGreaterThan(0n);
    await becomes(id, [other]);
    expect(await spentOf(id, still)).toBe(await madeOf([other]));
  });

  it('keeps what was spent in windows that are over, whoever comes or leaves', async () => {
    const { id } = await make({ window: 'day', createdAt: new Date(Date.now() - 40 * dayMs) });
    await env.database.$executeRaw`
      INSERT INTO budget_spent (budget_id, window_start, spent_nano_usd)
      SELECT ${id}::uuid, date_trunc('day', now(), 'UTC') - n * interval '24 hours', n FROM generate_series(2, 4) AS n`;
    await env.database.$executeRaw`
      INSERT INTO usage_hour (key_id, at, model, requests, unpriced, input_tokens, output_tokens, cost_nano_usd, account_id)
      SELECT 'other', window_start, 'm', 1, 0, 1, 1, 1000, account_id::text FROM budget_spent JOIN budget ON id = budget_id WHERE id = ${id}::uuid`;
    await becomes(id, ['one', 'other']);
    await becomes(id, ['other']);
    const { windows } = await leases.windows({ budgetId: id, limit: 10 });
    expect(windows.map(({ spentNanoUsd }) => spentNanoUsd)).toEqual(['2', '3', '4']);
  });

  it('whose minutes are kept no more counts the whole hour in which it was made, never less', async () => {
    const longAgo = Math.floor((Date.now() - 200 * dayMs) / (60 * minuteMs)) * 60 * minuteMs;
    const { id, accountId } = await make({ window: 'total', createdAt: new Date(longAgo + 30 * minuteMs) });
    const [keyId, other] = [`one ${id}`, `other ${id}`];
    await env.database.$executeRaw`
      INSERT INTO usage_hour (key_id, at, model, requests, unpriced, input_tokens, output_tokens, cost_nano_usd, account_id)
      SELECT key, ${new Date(longAgo)}::timestamptz + n * interval '1 hour', 'm', 1, 0, 1, 1, 1000, ${accountId}
      FROM generate_series(0, 1) AS n, unnest(${[keyId, other]}::text[]) AS key`;
    await becomes(id, [keyId]);
    expect(await spentOf(id)).toBe('2000');
    await becomes(id, [keyId, other]);
    expect(await spentOf(id)).toBe('4000');
    await becomes(id, [keyId]);
    expect(await spentOf(id)).toBe('3000');
  });
});
