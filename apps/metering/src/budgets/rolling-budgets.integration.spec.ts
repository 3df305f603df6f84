import { uuidv7 } from '@tollgate/contracts';
import { Chance } from '@tollgate/testing';
import { eventNanos, makeBudget, makeEventOfAccount as makeEvent } from '../testing/make-budget';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { BudgetLeases } from './budget-leases';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

let env: MeteringDatabase;
beforeAll(async () => {
  env = await startMeteringDatabase();
});
afterAll(() => env?.stop());

const spendAt = (accountId: string, times: readonly number[]) =>
  env.newIngest().ingest(times.map((endedAt) => makeEvent({ accountId, endedAt })));
/** Each time by another instance, as after a restart. */
const at = (now: number) => new BudgetLeases(env.databases, () => now);
const stateAt = async (id: string, now: number) => (await at(now).states([id]))[id];
/** In events. */
const spentAt = async (id: string, now: number) =>
  Number(BigInt((await stateAt(id, now))?.spentNanoUsd ?? -1) / eventNanos);
const asking = (budgetId: string, events: bigint) => ({
  ...{ budgetId, leaseId: uuidv7(), edgeId: 'edge', sequence: 1, nanoUsd: (events * eventNanos).toString() },
  ...{ leastNanoUsd: (events * eventNanos).toString(), requestNanoUsd: (events * eventNanos).toString() },
});

describe('budgets of the last hours or days', () => {
  /** When a slice of a day begins, which is 24 minutes long. */
  const base = Math.floor(Date.now() / (24 * minuteMs)) * 24 * minuteMs;

  it('count what was spent for as long as that, and 24 minutes longer at most, before they were made too', async () => {
    const { id, accountId } = await makeBudget(env.accounts, { window: '24h' });
    await spendAt(accountId, [base - 24 * hourMs - 1, base - 24 * hourMs, base - 12 * hourMs, base]);
    expect(await spentAt(id, base + minuteMs)).toBe(3);
    expect(await spentAt(id, base + 24 * minuteMs - 1)).toBe(3);
    expect(await spentAt(id, base + 24 * minuteMs)).toBe(2);
    // Nobody asked in the slices of these.
    await spendAt(accountId, [base + 5 * hourMs, base + 9 * hourMs + 59 * minuteMs]);
    expect(await spentAt(id, base + 11 * hourMs)).toBe(4);
    expect(await spentAt(id, base + 13 * hourMs)).toBe(3);
    expect(await spentAt(id, base + 50 * hourMs)).toBe(0);
  });

  it('count what is told to have ended a moment ahead of the clock here', async () => {
    const { id, accountId } = await makeBudget(env.accounts, { window: '1h' });
    const minute = Math.floor(base / minuteMs) * minuteMs;
    expect(await spentAt(id, minute - 1_000)).toBe(0);
    await spendAt(accountId, [minute + 1_000]);
    expect(await spentAt(id, minute - 1_000)).toBe(1);
    expect(await spentAt(id, minute + 1_000)).toBe(1);
  });

  it.each(['1h', '5h', '7d', '31d'])(
    'equal what a plain sum over single requests says, whenever somebody asks: %s',
    async (window) => {
      const lengthMs = Number.parseInt(window, 10) * (window.endsWith('d') ? 24 * hourMs : hourMs);
      const sliceMs = lengthMs / 60;
      const sliceOf = (time: number) => Math.floor(time / sliceMs);
      const { id, accountId } = await makeBudget(env.accounts, { window, timeZone: 'Asia/Kolkata' });
      const chance = new Chance(lengthMs);
      const random = (below: number) => chance.below(below);
      const start = Math.floor(base / sliceMs) * sliceMs - 3 * lengthMs;
      const told: number[] = [];
      for (let now = start, step = 0; step < 25; step++, now += random(lengthMs / 4)) {
        // Some of it comes late.
        const times = Array.from({ length: 1 + random(4) }, () => now - random(sliceMs * (random(2) === 0 ? 1 : 10)));
        await spendAt(accountId, times);
        told.push(...times);
        const expected = told.filter((time) => sliceOf(time) >= sliceOf(now) - 60);
        if (random(3) > 0) expect([step, await spentAt(id, now)]).toEqual([step, expected.length]);
        // Nothing counts for less than the window.
        const within = told.filter((time) => time > now - lengthMs);
        expect(expected).toEqual(expect.arrayContaining(within));
      }
    },
  );

  it('tell when the first of what is spent leaves, and who is refused when enough has', async () => {
    const { id, accountId } = await makeBudget(env.accounts, { window: '24h', limitNanoUsd: 10n * eventNanos });
    const [early, late] = [base - 20 * hourMs, base - 10 * hourMs];
    await spendAt(accountId, [...Array<number>(4).fill(early), ...Array<number>(4).fill(late)]);
    const leaves = (time: number) => Math.floor(time / (24 * minuteMs)) * 24 * minuteMs + 24 * hourMs + 24 * minuteMs;
    expect((await stateAt(id, base))?.resetsAt).toBe(leaves(early));
    const refused = async (events: bigint) => {
      const { grantedNanoUsd, state } = await at(base).acquire(asking(id, events));
      expect(grantedNanoUsd).toBe('0');
      return state?.resetsAt;
    };
    expect(await refused(3n)).toBe(leaves(early));
    expect((await at(base).acquire(asking(id, 3n))).leaves).toEqual([
      { at: leaves(early), unspentNanoUsd: (6n * eventNanos).toString() },
      { at: leaves(late), unspentNanoUsd: (10n * eventNanos).toString() },
    ]);
    expect(await refused(6n)).toBe(leaves(early));
    expect(await refused(7n)).toBe(leaves(late));
    // Others hold all that is left of it: that is no matter of the window.
    const other = await makeBudget(env.accounts, { window: '24h', limitNanoUsd: 10n * eventNanos });
    await spendAt(other.accountId, [late]);
    await at(base).acquire(asking(other.id, 9n));
    expect((await at(base).acquire(asking(other.id, 9n))).state?.resetsAt).toBe(leaves(late));
    expect((await at(leaves(early) - 1).acquire(asking(id, 6n))).grantedNanoUsd).toBe('0');
    const then = await at(leaves(early)).acquire(asking(id, 6n));
    expect(then.grantedNanoUsd).toBe((6n * eventNanos).toString());
    const { id: fresh } = await makeBudget(env.accounts, { window: '24h' });
    expect((await stateAt(fresh, base))?.resetsAt).toBe(leaves(base));
  });

  it('grant no more than is left, although two hundred ask two instances at once while slices begin', async () => {
    const { id, accountId } = await makeBudget(env.accounts, { window: '1h', limitNanoUsd: 20n * eventNanos });
    await spendAt(accountId, Array<number>(10).fill(base - 30 * minuteMs));
    const [before, after, later] = [at(base - 1), at(base), at(base + minuteMs)];
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        (index % 3 === 0 ? before : index % 3 === 1 ? after : later).acquire(asking(id, 1n)),
      ),
    );
    expect(replies.filter(({ grantedNanoUsd }) => grantedNanoUsd !== '0')).toHaveLength(10);
  });

  it('come to a threshold, and refuse, once in so long', async () => {
    const { id, accountId } = await makeBudget(env.accounts, { window: '24h', limitNanoUsd: 4n * eventNanos });
    await spendAt(accountId, [base - 20 * hourMs, base]);
    await stateAt(id, base);
    const reachedAt = async (now: number) =>
      (await at(now).reached({ percent: 50, limit: 500 })).budgets.find(({ budgetId }) => budgetId === id);
    const first = await reachedAt(base);
    expect(first).toMatchObject({ spentNanoUsd: (2n * eventNanos).toString(), hasRefused: false });
    expect(first?.windowStart).toBe(Math.floor(base / (24 * hourMs)) * 24 * hourMs);
    expect(first?.resetsAt).toBeGreaterThan(base);
    await at(base).acquire(asking(id, 3n));
    expect(await reachedAt(base)).toMatchObject({ hasRefused: true });
    expect(await reachedAt(base + 6 * hourMs)).toBeUndefined();
  });

  it('tell for minutes of a refusal, also one of the last moment of a slice', async () => {
    const { id, accountId } = await makeBudget(env.accounts, { window: '1h', limitNanoUsd: 10n * eventNanos });
    await spendAt(accountId, Array<number>(8).fill(base - 10 * minuteMs));
    expect((await at(base - 1).acquire(asking(id, 3n))).grantedNanoUsd).toBe('0');
    const hasRefused = async (now: number) =>
      (await at(now).reached({ percent: 50, limit: 500 })).budgets.find(({ budgetId }) => budgetId === id)?.hasRefused;
    expect(await hasRefused(base - 1)).toBe(true);
    expect(await hasRefused(base + 4 * minuteMs)).toBe(true);
    expect(await hasRefused(base + 5 * minuteMs)).toBe(false);
  });

  it('forget slices that left long ago, those of budgets that are gone, and no other', async () => {
    const { id } = await makeBudget(env.accounts, { window: '5h' });
    const { id: month } = await makeBudget(env.accounts, { window: 'month' });
    const gone = uuidv7();
    const now = Date.now();
    const count = (budgetId: string) => env.database.budgetSpent.count({ where: { budgetId } });
    await stateAt(id, now - 12 * hourMs);
    const made = await count(id);
    await stateAt(id, now);
    await stateAt(month, now);
    expect(await count(id)).toBe(2 * made);
    await env.database.$executeRaw`
      INSERT INTO budget_spent (budget_id, window_start, spent_nano_usd)
      SELECT ${gone}::uuid, 'epoch'::timestamptz + n * interval '1 day', 1 FROM generate_series(1, 150) AS n`;
    await at(now).forgetSums();
    expect(await Promise.all([id, month, gone].map(count))).toEqual([made, 1, 0]);
  });
});
