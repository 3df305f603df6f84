import { ControlError, GatewayError } from '@tollgate/contracts';
import fc from 'fast-check';
import { FakeClock } from '../testing/fake-clock';
import { LeaseKeeper } from './lease-keeper';
import type { MeteringLeases } from './metering-leases';
import type { Reservation } from './quota-book';
import { nextMonthMs, QuotaBook } from './quota-book';

type AcquireRequest = Parameters<MeteringLeases['acquire']>[0];
type RenewedLeases = Parameters<MeteringLeases['renew']>[0];

/** Metering's side of the contract, in memory, without settling. */
class LeaseOffice implements Pick<MeteringLeases, 'acquire' | 'renew'> {
  used = 0;
  isAway = false;
  asked = 0;
  readonly held = new Map<string, number>();

  constructor(private readonly clock: FakeClock) {}

  get heldTokens(): number {
    return [...this.held.values()].reduce((sum, tokens) => sum + tokens, 0);
  }

  async acquire({ leaseId, tokens, quotaTokens }: AcquireRequest) {
    this.asked += 1;
    if (this.isAway) throw new ControlError('unavailable', 'away');
    const granted = Math.max(0, Math.min(tokens, quotaTokens - this.used - this.heldTokens));
    this.held.set(leaseId, (this.held.get(leaseId) ?? 0) + granted);
    const remaining = Math.max(0, quotaTokens - this.used);
    const record = { used: this.used, quota: quotaTokens, remaining, resetsAt: nextMonthMs(this.clock.nowMs()) };
    return { granted, ttlMs: 60_000, record };
  }

  async renew(leases: RenewedLeases) {
    if (this.isAway) throw new ControlError('unavailable', 'away');
    const renewed = new Set<string>();
    for (const { leaseId, giveBackTokens, close } of leases) {
      const held = this.held.get(leaseId);
      if (held === undefined) continue;
      renewed.add(leaseId);
      if (close) this.held.delete(leaseId);
      else this.held.set(leaseId, held - giveBackTokens);
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
  const office = new LeaseOffice(clock);
  // Only these two methods are used of it.
  const metering = office as unknown as MeteringLeases;
  const book = new QuotaBook(metering, clock);
  return { clock, office, book, keeper: new LeaseKeeper(book, metering, clock) };
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
    const { book, office } = setUp();
    const results = await Promise.allSettled(Array.from({ length: 200 }, async () => book.reserve(key(10_000), 1_000)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(office.asked).toBeLessThan(30);
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
        const { clock, office, book } = setUp();
        const books = [book, new QuotaBook(office as unknown as MeteringLeases, clock)];
        const keepers = books.map((each) => new LeaseKeeper(each, office as unknown as MeteringLeases, clock));
        const running: { reservation: Reservation; tokens: number }[] = [];
        const quotaTokens = 20_000;
        for (const { edge, tokens, use, finish, waitMs } of acts) {
          clock.advance(waitMs);
          await keepers[edge]?.round();
          const reservation = await Promise.resolve(books[edge])
            .then((each) => each?.reserve(key(quotaTokens), tokens))
            .catch(() => undefined);
          if (reservation) running.push({ reservation, tokens });
          const ended = finish ? running.shift() : undefined;
          if (ended) {
            const used = Math.floor(ended.tokens * use);
            ended.reservation.settle(used);
            office.settle(ended.reservation.leaseId, used);
          }
          const outstanding = running.reduce((sum, each) => sum + each.tokens, 0);
          expect(office.used + outstanding).toBeLessThanOrEqual(quotaTokens);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('asks metering once for many requests that wait, and not at all while the lease has room', async () => {
    const { book, office } = setUp();
    await Promise.all(Array.from({ length: 20 }, async () => book.reserve(key(1_000_000), 100)));
    expect(office.asked).toBe(1);
    const reservation = book.reserve(key(1_000_000), 100);
    expect(reservation).not.toBeInstanceOf(Promise);
  });

  it('can be used again as soon as a request used less than it reserved', async () => {
    const { book } = setUp();
    const first = await book.reserve(key(1_000), 900);
    expect((await refusal(book.reserve(key(1_000), 900))).status).toBe(429);
    first.settle(50);
    await expect(Promise.resolve(book.reserve(key(1_000), 900))).resolves.toBeDefined();
  });

  it('refuses with the seconds until it resets, so that the client that waits them finds a new month', async () => {
    const { book, clock } = setUp();
    const error = await refusal(book.reserve(key(10), 11));
    const seconds = error.retryAfterS ?? 0;
    expect(error.message).toBe(`rate limit exceeded, retry after ${seconds} seconds`);
    clock.advance(seconds * 1_000);
    expect(new Date(clock.nowMs()).getUTCMonth()).toBe(7);
  });

  it('frees a raised quota at once, also while a refusal is remembered', async () => {
    const { book } = setUp();
    await refusal(book.reserve(key(10), 500));
    await expect(Promise.resolve(book.reserve(key(1_000), 500))).resolves.toBeDefined();
  });

  it('costs nothing where there is none', () => {
    const { book, office } = setUp();
    expect(book.reserve(key(null), 1e12)).toMatchObject({ leaseId: null });
    expect(office.asked).toBe(0);
    expect(book.leases()).toHaveLength(0);
  });

  it('counts a reservation as used when nobody knows how much was, and settles only once', async () => {
    const { book } = setUp();
    const reservation = await book.reserve(key(1_000_000), 100);
    reservation.settle(null);
    reservation.settle(0);
    expect(book.record(key(1_000_000))?.used).toBe(100);
  });
});

describe('while metering is away', () => {
  it('goes on within what was last known to be left, then refuses', async () => {
    const { book, office, clock } = setUp();
    (await book.reserve(key(10_000), 9_000)).settle(6_000);
    office.isAway = true;
    clock.advance(61_000);
    await expect(Promise.resolve(book.reserve(key(10_000), 3_000))).resolves.toMatchObject({ leaseId: null });
    expect((await refusal(book.reserve(key(10_000), 3_000))).status).toBe(429);
  });

  it('lets a part of the quota through for a key of which nothing is known, then answers 503', async () => {
    const { book, office } = setUp();
    office.isAway = true;
    await expect(Promise.resolve(book.reserve(key(100_000), 4_000))).resolves.toBeDefined();
    expect((await refusal(book.reserve(key(100_000), 4_000))).status).toBe(503);
  });

  it('is asked at most once a second', async () => {
    const { book, office, clock } = setUp();
    office.isAway = true;
    for (let i = 0; i < 50; i++) (await book.reserve(key(1_000_000), 10)).settle(10);
    expect(office.asked).toBe(1);
    clock.advance(1_001);
    office.isAway = false;
    expect(await book.reserve(key(1_000_000), 10)).toMatchObject({ leaseId: expect.any(String) });
    expect(office.asked).toBe(2);
  });
});

describe('leases', () => {
  it('are given back within 40 seconds of the last request', async () => {
    const { book, office, clock, keeper } = setUp();
    (await book.reserve(key(1_000_000), 100)).settle(0);
    clock.advance(20_000);
    await keeper.round();
    expect(office.heldTokens).toBe(0);
    expect(book.leases()).toHaveLength(0);
  });

  it('live as long as a request runs, and a new one is taken when metering has lost them', async () => {
    const { book, office, clock, keeper } = setUp();
    const long = await book.reserve(key(1_000_000), 100);
    for (let i = 0; i < 10; i++) {
      clock.advance(20_000);
      await keeper.round();
    }
    expect(office.held.has(long.leaseId ?? '')).toBe(true);
    office.held.clear();
    await keeper.round();
    const next = await book.reserve(key(1_000_000), 100);
    expect(next.leaseId).not.toBe(long.leaseId);
    long.settle(40);
    expect(book.leases().map(({ reserved }) => reserved)).toEqual([100]);
  });

  it('that ran out unrenewed are not used any more', async () => {
    const { book, clock } = setUp();
    const first = await book.reserve(key(1_000_000), 100);
    clock.advance(60_001);
    expect((await book.reserve(key(1_000_000), 100)).leaseId).not.toBe(first.leaseId);
  });

  it('of a changed quota end, and their tokens go back when their requests are over', async () => {
    const { book, office, keeper } = setUp();
    const old = await book.reserve(key(1_000_000), 100);
    const next = await book.reserve(key(500_000), 100);
    expect(next.leaseId).not.toBe(old.leaseId);
    old.settle(0);
    await keeper.round();
    expect([...office.held.keys()]).toEqual([next.leaseId]);
  });

  it('are all given back at a stop', async () => {
    const { book, office, keeper } = setUp();
    for (const id of ['a', 'b', 'c']) (await book.reserve(key(1_000_000, id), 100)).settle(30);
    expect(office.heldTokens).toBeGreaterThan(0);
    await keeper.close();
    expect(office.heldTokens).toBe(0);
  });
});

describe('a refusal for the quota', () => {
  const refused = { status: 429, limit: { limit: 'tokens' } };

  it('says the end of the month where the quota is used, and its reason', async () => {
    const { book, office } = setUp();
    office.used = 9_500;
    const error = await refusal(book.reserve(key(10_000), 1_000));
    expect(error).toMatchObject({ ...refused, limit: { limit: 'tokens', reason: 'quota_exhausted' } });
    expect(error.retryAfterS).toBeGreaterThan(60);
  });

  it('says about when a request of its like ends, where others only hold what is left', async () => {
    const { book, clock } = setUp();
    const first = await book.reserve(key(10_000), 6_000);
    clock.advance(4_000);
    const early = await refusal(book.reserve(key(10_000), 6_000));
    expect(early).toMatchObject({ ...refused, retryAfterS: 6, limit: { limit: 'tokens', reason: 'tokens_reserved' } });
    clock.advance(26_000);
    expect((await refusal(book.reserve(key(10_000), 6_000))).retryAfterS).toBe(1);
    first.settle(10);
    await book.reserve(key(10_000), 6_000);
    expect((await refusal(book.reserve(key(10_000), 6_000))).retryAfterS).toBe(16);
  });

  it('says when another edge gives back what nobody uses there', async () => {
    const { book, office } = setUp();
    office.held.set('of another edge', 9_000);
    expect((await refusal(book.reserve(key(10_000), 6_000))).retryAfterS).toBe(40);
  });
});
