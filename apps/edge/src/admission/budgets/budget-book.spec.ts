import type { KeyBudget } from '@tollgate/contracts';
import { ControlError, GatewayError } from '@tollgate/contracts';
import { FakeClock } from '../../testing/fake-clock';
import { BudgetBook } from './budget-book';
import type { MeteringBudgets } from './metering-budgets';

const resetsAt = Date.UTC(2027, 0);

/** Metering with one sum for all budgets, as far as an edge sees it. */
class FakeBudgets implements Pick<MeteringBudgets, 'acquire'> {
  asked = 0;
  isAway = false;
  spent = 0n;
  held = 0n;
  resetsAt: number | null = resetsAt;

  constructor(public limit: bigint | null) {}

  acquire({
    nanoUsd,
    leastNanoUsd,
  }: Parameters<MeteringBudgets['acquire']>[0]): ReturnType<MeteringBudgets['acquire']> {
    this.asked++;
    if (this.isAway) return Promise.reject(new ControlError('unavailable', 'away'));
    if (this.limit === null) return Promise.resolve({ grantedNanoUsd: '0', ttlMs: 60_000, state: null });
    const left = this.limit - this.spent - this.held;
    const most = left < BigInt(nanoUsd) ? left : BigInt(nanoUsd);
    const granted = left < BigInt(leastNanoUsd) || left <= 0n ? 0n : most;
    this.held += granted;
    const state = {
      limitNanoUsd: this.limit.toString(),
      spentNanoUsd: this.spent.toString(),
      heldNanoUsd: this.held.toString(),
      resetsAt: this.resetsAt,
    };
    return Promise.resolve({ grantedNanoUsd: granted.toString(), ttlMs: 60_000, state });
  }
}

const budget = (id: string, limit: bigint): KeyBudget => ({ id, name: `${id}'s`, limitNanoUsd: limit.toString() });

function setUp(limit: bigint | null) {
  const clock = new FakeClock();
  const metering = new FakeBudgets(limit);
  const book = new BudgetBook(metering, clock);
  return { clock, metering, book, team: budget('team', limit ?? 100n) };
}

/** The refusal of a request. */
async function refused(asked: unknown): Promise<GatewayError> {
  const error: unknown = await Promise.resolve(asked).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof GatewayError)) throw new Error('it was not refused');
  return error;
}

describe('BudgetBook', () => {
  it('holds nothing for a key without budgets, and asks nobody', () => {
    const { book, metering } = setUp(100n);
    expect(book.reserve([], 5n)).toMatchObject({ holds: [] });
    expect(metering.asked).toBe(0);
  });

  it('asks once for a crowd that comes at once, and lets in as many as fit', async () => {
    const { book, metering, team } = setUp(1_000n);
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, async () => book.reserve([team], 100n)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(metering.held).toBe(1_000n);
    expect(metering.asked).toBeLessThanOrEqual(11);
  });

  it('reserves without a question out of what it holds', async () => {
    const { book, metering, team } = setUp(1_000_000_000n);
    await book.reserve([team], 1_000n);
    await book.reserve([team], 1_000n);
    const asked = metering.asked;
    expect(book.reserve([team], 1_000n)).not.toBeInstanceOf(Promise);
    expect(metering.asked).toBe(asked);
  });

  it('takes what a request without usage had, and not what one with usage had, which metering gives back', async () => {
    const { book, team } = setUp(100n);
    const first = await book.reserve([team], 100n);
    first.settle('none');
    const second = await book.reserve([team], 100n);
    second.settle('reported');
    second.settle('none');
    expect((await refused(book.reserve([team], 100n))).limit).toMatchObject({
      limit: 'budget',
      reason: 'budget_reserved',
    });
  });

  it('begins a new lease after a request of which nobody knows whether it has usage', async () => {
    const { book, metering, team } = setUp(1_000_000_000n);
    const lost = await book.reserve([team], 100n);
    lost.settle('unknown');
    const [spoilt] = book.leases();
    const next = await book.reserve([team], 100n);
    expect(next.holds[0]?.lease).not.toBe(lost.holds[0]?.lease);
    expect(book.leases()).toHaveLength(2);
    expect(spoilt && book.isRetired(spoilt)).toBe(true);
    expect(metering.asked).toBe(2);
  });

  it('takes of all budgets or of none', async () => {
    const { book, metering, team } = setUp(1_000n);
    const small = budget('small', 1_000n);
    await book.reserve([small], 900n);
    const error = await refused(book.reserve([team, small], 100n));
    expect(error.status).toBe(429);
    const held = book.leases().find(({ budgetId }) => budgetId === 'team');
    expect(held?.reserved ?? 0n).toBe(0n);
    expect(metering.held).toBeLessThanOrEqual(1_000n);
  });

  it('says which budget is spent and when it resets; one that never does has no time to wait', async () => {
    const { book, metering, team, clock } = setUp(100n);
    metering.spent = 95n;
    const error = await refused(book.reserve([team], 10n));
    const seconds = Math.ceil((resetsAt - clock.nowMs()) / 1_000);
    expect(error.message).toBe(`rate limit exceeded, retry after ${seconds} seconds`);
    expect(error.body.error.details).toEqual({
      reason: 'budget_exhausted',
      budget: "team's",
      resets_at: '2027-01-01T00:00:00.000Z',
    });
    metering.resetsAt = null;
    clock.advance(1_000);
    const total = await refused(book.reserve([team], 10n));
    expect(total).toMatchObject({ status: 429, retryAfterS: null });
    expect(total.message).toContain('does not reset');
  });

  it('asks again after a while, for what was held comes back', async () => {
    const { book, metering, team, clock } = setUp(100n);
    const one = await book.reserve([team], 100n);
    await refused(book.reserve([team], 100n));
    one.settle('reported');
    metering.held = 0n;
    metering.spent = 0n;
    clock.advance(250);
    await expect(Promise.resolve(book.reserve([team], 100n))).resolves.toMatchObject({ holds: [{ nanoUsd: '100' }] });
  });

  it('refuses for good what may cost more than the whole budget', async () => {
    const { book, metering, team } = setUp(100n);
    expect(await refused(book.reserve([team], 101n))).toMatchObject({ status: 400 });
    expect(metering.asked).toBe(0);
    const none = budget('none', 0n);
    metering.limit = 0n;
    expect(await refused(book.reserve([none], 1n))).toMatchObject({ status: 429 });
  });

  it('lets nothing through on its own while metering is away, but what it holds already', async () => {
    const { book, metering, team } = setUp(1_000_000_000n);
    await book.reserve([team], 1_000n);
    await book.reserve([team], 1_000n);
    metering.isAway = true;
    expect(book.reserve([team], 1_000n)).toMatchObject({ holds: [{ nanoUsd: '1000' }] });
    expect(await refused(book.reserve([team], 900_000_000n))).toMatchObject({ status: 503 });
  });

  it('holds nothing for a budget that was removed, until the key says so', async () => {
    const { book, metering, team } = setUp(null);
    expect(await book.reserve([team], 10n)).toMatchObject({ holds: [] });
    expect(await book.reserve([team], 10n)).toMatchObject({ holds: [] });
    expect(metering.asked).toBe(1);
  });
});
