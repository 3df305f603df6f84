import { ControlError, GatewayError, monthStartMs } from '@tollgate/contracts';
import fc from 'fast-check';
import { FakeClock } from '../../testing/fake-clock';
import { BudgetReservations } from './budget-reservations';
import { LeaseRounds } from './lease-rounds';
import type { MeteringLeases } from './metering-leases';
import type { Reservation } from './quota-reservations';
import { QuotaReservations } from './quota-reservations';

type AcquireRequest = Parameters<MeteringLeases['acquireTokens']>[0];
type LeaseChanges = Parameters<MeteringLeases['renewTokens']>[0];

/** Metering's side of the contract, in memory, without settling. */
class FakeMetering implements Pick<MeteringLeases, 'acquireTokens' | 'renewTokens'> {
  used = 0;
  isAway = false;
  asked = 0;
  readonly held = new Map<string, number>();

  constructor(private readonly clock: FakeClock) {}

  get heldTokens(): number {
    return [...this.held.values()].reduce((sum, tokens) => sum + tokens, 0);
  }

  async acquireTokens({ leaseId, tokens, quotaTokens }: AcquireRequest) {
    this.asked += 1;
    if (this.isAway) throw new ControlError('unavailable', 'away');
    const granted = Math.max(0, Math.min(tokens, quotaTokens - this.used - this.heldTokens));
    this.held.set(leaseId, (this.held.get(leaseId) ?? 0) + granted);
    const remaining = Math.max(0, quotaTokens - this.used);
    const record = { used: this.used, quota: quotaTokens, remaining, resetsAt: monthStartMs(this.clock.nowMs(), 1) };
    return { granted, ttlMs: 60_000, record };
  }

  async renewTokens(leases: LeaseChanges) {
    if (this.isAway) throw new ControlError('unavailable', 'away');
    const renewed: string[] = [];
    for (const { leaseId, giveBack, close } of leases) {
      const held = this.held.get(leaseId);
      if (held === undefined) continue;
      renewed.push(leaseId);
      if (close) this.held.delete(leaseId);
      else this.held.set(leaseId, held - Number(giveBack));
    }
    return { renewed, ttlMs: 60_000 };
  }

  /** A usage event arrives: its tokens move from the lease to the month. */
  settle(leaseId: string | null, tokens: number): void {
    this.used += tokens;
    if (leaseId !== null) this.held.set(leaseId, Math.max(0, (this.held.get(leaseId) ?? 0) - tokens));
  }
}

function setUp() {
  const clock = new FakeClock();
  const metering = new FakeMetering(clock);
  const quotas = new QuotaReservations(metering, clock);
  return { clock, metering, quotas, rounds: roundsOf(quotas, metering, clock) };
}

function roundsOf(quotas: QuotaReservations, metering: FakeMetering, clock: FakeClock): LeaseRounds {
  // Without budgets, only these two methods are used of it.
  const methods = metering as unknown as MeteringLeases;
  return new LeaseRounds(quotas, new BudgetReservations(methods, clock), methods, clock);
}

const key = (quotaTokens: number | null, id = 'k') => ({ id, quotaTokens });

async function refusal(reservation: Reservation | Promise<Reservation>): Promise<GatewayError> {
  const error: unknown = await Promise.resolve(reservation).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof GatewayError) return error;
  throw new Error('it was not refused');
}

describe('quota', () => {
  it('is never overspent by concurrent requests: of 200 with room for ten, ten pass', async () => {
    const { quotas, metering } = setUp();
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, async () => quotas.reserve(key(10_000), 1_000)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(metering.asked).toBeLessThan(30);
  });

  it('keeps used plus held within the quota, whatever comes in whatever order over two edges', async () => {
    const act = fc.record({
      edge: fc.integer({ min: 0, max: 1 }),
      tokens: fc.integer({ min: 1, max: 3_000 }),
      use: fc.double({ min: 0, max: 1, noNaN: true }),
      finish: fc.boolean(),
      waitMs: fc.integer({ min: 0, max: 20_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 60 }), async (acts) => {
        const { clock, metering, quotas } = setUp();
        const books = [quotas, new QuotaReservations(metering, clock)];
        const keepers = books.map((each) => roundsOf(each, metering, clock));
        const running: { reservation: Reservation; tokens: number }[] = [];
        const quotaTokens = 20_000;
        for (const { edge, tokens, use, finish, waitMs } of acts) {
          clock.advance(waitMs);
          await keepers[edge]?.round('quotas');
          const reservation = await Promise.resolve(books[edge])
            .then((each) => each?.reserve(key(quotaTokens), tokens))
            .catch(() => undefined);
          if (reservation) running.push({ reservation, tokens });
          const ended = finish ? running.shift() : undefined;
          if (ended) {
            const used = Math.floor(ended.tokens * use);
            ended.reservation.settle(used);
            metering.settle(ended.reservation.leaseId, used);
          }
          const outstanding = running.reduce((sum, each) => sum + each.tokens, 0);
          expect(metering.used + outstanding).toBeLessThanOrEqual(quotaTokens);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('asks metering once for many requests that wait, and not at all while the lease has room', async () => {
    const { quotas, metering } = setUp();
    await Promise.all(Array.from({ length: 20 }, async () => quotas.reserve(key(1_000_000), 100)));
    expect(metering.asked).toBe(1);
    const reservation = quotas.reserve(key(1_000_000), 100);
    expect(reservation).not.toBeInstanceOf(Promise);
  });

  it('can be used again as soon as a request used less than it reserved', async () => {
    const { quotas } = setUp();
    const first = await quotas.reserve(key(1_000), 900);
    expect((await refusal(quotas.reserve(key(1_000), 900))).status).toBe(429);
    first.settle(50);
    await expect(Promise.resolve(quotas.reserve(key(1_000), 900))).resolves.toBeDefined();
  });

  it('refuses with the seconds until it resets, so that the client that waits them finds a new month', async () => {
    const { quotas, clock } = setUp();
    const error = await refusal(quotas.reserve(key(10), 11));
    const seconds = error.retryAfterS ?? 0;
    expect(error.message).toBe(`rate limit exceeded, retry after ${seconds} seconds`);
    clock.advance(seconds * 1_000);
    expect(new Date(clock.nowMs()).getUTCMonth()).toBe(7);
  });

  it('frees a raised quota at once, also while a refusal is remembered', async () => {
    const { quotas } = setUp();
    await refusal(quotas.reserve(key(10), 500));
    await expect(Promise.resolve(quotas.reserve(key(1_000), 500))).resolves.toBeDefined();
  });

  it('costs nothing where there is none', () => {
    const { quotas, metering } = setUp();
    expect(quotas.reserve(key(null), 1e12)).toMatchObject({ leaseId: null });
    expect(metering.asked).toBe(0);
    expect(quotas.leases.all()).toHaveLength(0);
  });

  it('counts a reservation as used when nobody knows how much was, and settles only once', async () => {
    const { quotas } = setUp();
    const reservation = await quotas.reserve(key(1_000_000), 100);
    reservation.settle(null);
    reservation.settle(0);
    expect(quotas.record(key(1_000_000))?.used).toBe(100);
  });
});

describe('while metering is away', () => {
  it('goes on within what was last known to be left, then refuses', async () => {
    const { quotas, metering, clock } = setUp();
    (await quotas.reserve(key(10_000), 9_000)).settle(6_000);
    metering.isAway = true;
    clock.advance(61_000);
    await expect(Promise.resolve(quotas.reserve(key(10_000), 3_000))).resolves.toMatchObject({ leaseId: null });
    expect((await refusal(quotas.reserve(key(10_000), 3_000))).status).toBe(429);
  });

  it('lets a part of the quota through for a key of which nothing is known, then answers 503', async () => {
    const { quotas, metering } = setUp();
    metering.isAway = true;
    await expect(Promise.resolve(quotas.reserve(key(100_000), 4_000))).resolves.toBeDefined();
    expect((await refusal(quotas.reserve(key(100_000), 4_000))).status).toBe(503);
  });

  it('is asked at most once a second', async () => {
    const { quotas, metering, clock } = setUp();
    metering.isAway = true;
    for (let i = 0; i < 50; i++) (await quotas.reserve(key(1_000_000), 10)).settle(10);
    expect(metering.asked).toBe(1);
    clock.advance(1_001);
    metering.isAway = false;
    expect(await quotas.reserve(key(1_000_000), 10)).toMatchObject({ leaseId: expect.any(String) });
    expect(metering.asked).toBe(2);
  });
});

describe('leases', () => {
  it('are given back within 40 seconds of the last request', async () => {
    const { quotas, metering, clock, rounds } = setUp();
    (await quotas.reserve(key(1_000_000), 100)).settle(0);
    clock.advance(20_000);
    await rounds.round('quotas');
    expect(metering.heldTokens).toBe(0);
    expect(quotas.leases.all()).toHaveLength(0);
  });

  it('live as long as a request runs, and a new one is taken when metering has lost them', async () => {
    const { quotas, metering, clock, rounds } = setUp();
    const long = await quotas.reserve(key(1_000_000), 100);
    for (let i = 0; i < 10; i++) {
      clock.advance(20_000);
      await rounds.round('quotas');
    }
    expect(metering.held.has(long.leaseId ?? '')).toBe(true);
    metering.held.clear();
    await rounds.round('quotas');
    const next = await quotas.reserve(key(1_000_000), 100);
    expect(next.leaseId).not.toBe(long.leaseId);
    long.settle(40);
    expect(quotas.leases.all().map(({ reserved }) => reserved)).toEqual([100]);
  });

  it('that ran out unrenewed are not used any more', async () => {
    const { quotas, clock } = setUp();
    const first = await quotas.reserve(key(1_000_000), 100);
    clock.advance(60_001);
    expect((await quotas.reserve(key(1_000_000), 100)).leaseId).not.toBe(first.leaseId);
  });

  it('of a changed quota end, and their tokens go back when their requests are over', async () => {
    const { quotas, metering, rounds } = setUp();
    const old = await quotas.reserve(key(1_000_000), 100);
    const next = await quotas.reserve(key(500_000), 100);
    expect(next.leaseId).not.toBe(old.leaseId);
    old.settle(0);
    await rounds.round('quotas');
    expect([...metering.held.keys()]).toEqual([next.leaseId]);
  });

  it('are all given back at a stop', async () => {
    const { quotas, metering, rounds } = setUp();
    for (const id of ['a', 'b', 'c']) (await quotas.reserve(key(1_000_000, id), 100)).settle(30);
    expect(metering.heldTokens).toBeGreaterThan(0);
    await rounds.close();
    expect(metering.heldTokens).toBe(0);
  });
});

describe('a refusal for the quota', () => {
  const refused = { status: 429, limit: { limit: 'tokens' } };

  it('says the end of the month where the quota is used, and its reason', async () => {
    const { quotas, metering } = setUp();
    metering.used = 9_500;
    const error = await refusal(quotas.reserve(key(10_000), 1_000));
    expect(error).toMatchObject({ ...refused, limit: { limit: 'tokens', reason: 'quota_exhausted' } });
    expect(error.retryAfterS).toBeGreaterThan(60);
  });

  it('says about when a request of its like ends, where others only hold what is left', async () => {
    const { quotas, clock } = setUp();
    const first = await quotas.reserve(key(10_000), 6_000);
    clock.advance(4_000);
    const early = await refusal(quotas.reserve(key(10_000), 6_000));
    expect(early).toMatchObject({ ...refused, retryAfterS: 6, limit: { limit: 'tokens', reason: 'tokens_reserved' } });
    clock.advance(26_000);
    expect((await refusal(quotas.reserve(key(10_000), 6_000))).retryAfterS).toBe(1);
    first.settle(10);
    await quotas.reserve(key(10_000), 6_000);
    expect((await refusal(quotas.reserve(key(10_000), 6_000))).retryAfterS).toBe(16);
  });

  it('says when another edge gives back what nobody uses there', async () => {
    const { quotas, metering } = setUp();
    metering.held.set('of another edge', 9_000);
    expect((await refusal(quotas.reserve(key(10_000), 6_000))).retryAfterS).toBe(40);
  });
});
