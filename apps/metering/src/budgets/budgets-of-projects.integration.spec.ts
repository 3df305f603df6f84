import { createDatabase } from '@tollgate/database';
import type { Database } from '@tollgate/database';
import { eventNanos, makeBudget } from '../testing/make-budget';
import type { BudgetWish } from '../testing/make-budget';
import { makeEvent } from '../testing/make-event';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { BudgetLeases } from './budget-leases';

const minuteMs = 60_000;
const dayMs = 86_400_000;

let env: MeteringDatabase;
let accounts: Database<'accounts'>;
let leases: BudgetLeases;
beforeAll(async () => {
  env = await startMeteringDatabase();
  accounts = createDatabase(env.postgres.url, 'accounts', env.times);
  leases = new BudgetLeases(env.databases);
});
afterAll(async () => {
  await accounts?.$disconnect();
  await env?.stop();
});

const make = (wish: BudgetWish = {}) => makeBudget(accounts, { project: 'web', keyIds: ['one'], ...wish });
const spentOf = async (id: string, of = leases) => (await of.states([id]))[id]?.spentNanoUsd;
const events = (count: bigint) => (count * eventNanos).toString();

/** As accounts does when a key comes to the project, or leaves it. */
const becomes = (id: string, keyIds: string[]) =>
  accounts.$transaction(async (transaction) => {
    await transaction.budget.update({ where: { id }, data: { keyIds } });
    await transaction.$queryRaw`SELECT forget_budget_sums(ARRAY[${id}::uuid])::text`;
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
      for (let round = 0; round < 9; round++) {
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

  it('whose minutes are kept no more counts the whole hour in which it was made, never less', async () => {
    const longAgo = Math.floor((Date.now() - 200 * dayMs) / (60 * minuteMs)) * 60 * minuteMs;
    const { id, accountId } = await make({ window: 'total', createdAt: new Date(longAgo + 30 * minuteMs) });
    const keyId = `one ${id}`;
    await env.database.$executeRaw`
      INSERT INTO usage_hour (key_id, at, model, requests, unpriced, input_tokens, output_tokens, cost_nano_usd, account_id)
      SELECT ${keyId}, ${new Date(longAgo)}::timestamptz + n * interval '1 hour', 'm', 1, 0, 1, 1, 1000, ${accountId} FROM generate_series(0, 1) AS n`;
    await becomes(id, [keyId]);
    expect(await spentOf(id)).toBe('2000');
  });
});
