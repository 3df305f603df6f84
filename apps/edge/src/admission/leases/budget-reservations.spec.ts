import { ControlError, GatewayError } from '@tollgate/contracts';
import { digestOfName } from '@tollgate/contracts/metering';
import type { KeyBudget } from '@tollgate/contracts/metering';
import { FakeClock } from '../../testing/fake-clock';
import { BudgetReservations } from './budget-reservations';
import type { MostSpent } from './budget-reservations';
import { LeaseRounds } from './lease-rounds';
import type { LeaseChange, MeteringLeases, BudgetGranted, RenewedLeases } from './metering-leases';
import { QuotaReservations } from './quota-reservations';

const resetsAt = Date.UTC(2027, 0);

/** Metering with one sum for all budgets, as far as an edge sees it. */
class FakeBudgets implements Pick<MeteringLeases, 'acquireBudget' | 'renewBudgets'> {
  asked = 0;
  readonly digests: (string | undefined)[] = [];
  /** What the requests may spend for which it was asked; undefined: of one that is tried with less. */
  readonly requests: (string | undefined)[] = [];
  readonly changes: LeaseChange[] = [];
  isAway = false;
  spent = 0n;
  held = 0n;
  resetsAt: number | null = resetsAt;
  leaves: BudgetGranted['leaves'] = [];

  constructor(public limit: bigint | null) {}

  acquireBudget({
    nanoUsd,
    leastNanoUsd,
    nameDigest,
    requestNanoUsd,
  }: Parameters<MeteringLeases['acquireBudget']>[0]): ReturnType<MeteringLeases['acquireBudget']> {
    this.asked++;
    this.digests.push(nameDigest);
    this.requests.push(requestNanoUsd);
    if (this.isAway) return Promise.reject(new ControlError('unavailable', 'away'));
    if (this.limit === null) return Promise.resolve({ grantedNanoUsd: '0', ttlMs: 60_000, state: null, leaves: [] });
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
    return Promise.resolve({ grantedNanoUsd: granted.toString(), ttlMs: 60_000, state, leaves: this.leaves });
  }

  renewBudgets(changes: LeaseChange[]): Promise<RenewedLeases> {
    this.changes.push(...changes);
    return Promise.resolve({ renewed: changes.map(({ leaseId }) => leaseId), ttlMs: 60_000 });
  }
}

const budget = (id: string, limit: bigint, soft = false): KeyBudget => ({
  ...{ id, name: `${id}'s`, unit: 'usd', soft, fallbackModel: null, models: [], each: null },
  limitNanoUsd: limit.toString(),
});

/** Of a request that costs so much; its tokens count in no budget in dollars. */
const usd = (most: bigint): MostSpent => ({ usd: most, tokens: 1_000_000_000_000n });

function setUp(limit: bigint | null) {
  const clock = new FakeClock();
  const metering = new FakeBudgets(limit);
  const budgets = new BudgetReservations(metering, clock);
  return { clock, metering, budgets, team: budget('team', limit ?? 100n) };
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

describe('BudgetReservations', () => {
  it('holds nothing for a key without budgets, and asks nobody', () => {
    const { budgets, metering } = setUp(100n);
    expect(budgets.reserve([], usd(5n))).toMatchObject({ holds: [] });
    expect(metering.asked).toBe(0);
  });

  it('asks once for a crowd that comes at once, and lets in as many as fit', async () => {
    const { budgets, metering, team } = setUp(1_000n);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, async () => budgets.reserve([team], usd(100n))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(metering.held).toBe(1_000n);
    expect(metering.asked).toBeLessThanOrEqual(11);
  });

  it('lets everything through of a soft budget, says when it is used up, and holds of others all the same', async () => {
    const { budgets, metering, team } = setUp(1_000n);
    const soft = { ...team, soft: true };
    const first = await budgets.reserve([soft], usd(600n));
    expect(first).toMatchObject({ holds: [{ nanoUsd: '600', budgetId: soft.id }], exceeded: [] });
    // The rest is only held: it is not used up.
    expect(await budgets.reserve([soft], usd(600n))).toMatchObject({ holds: [], exceeded: [] });
    metering.spent = 900n;
    metering.held = 0n;
    expect(await budgets.reserve([budget('soft', 1_000n, true)], usd(600n))).toMatchObject({
      holds: [],
      // As a hard one would refuse it.
      exceeded: [{ id: 'soft', refusal: { status: 429, limit: { reason: 'budget_exhausted' } } }],
    });
    expect(await budgets.reserve([budget('small', 100n, true)], usd(600n))).toMatchObject({
      exceeded: [{ id: 'small' }],
    });
    await refused(budgets.reserve([budget('soft', 1_000n, true), budget('hard', 1_000n)], usd(600n)));
    const away = setUp(1_000n);
    away.metering.isAway = true;
    expect(await away.budgets.reserve([soft], usd(600n))).toMatchObject({ holds: [], exceeded: [] });
  });

  it('asks of a soft budget that is smaller than the request, too: metering tells nobody of what is not asked for', async () => {
    const { budgets, metering } = setUp(100n);
    const refusal = { status: 400, details: { reason: 'budget_exceeded' } };
    for (const [soft, asked] of [
      [false, 0],
      [true, 1],
    ] as const) {
      const small = budget(`small ${soft}`, 100n, soft);
      const outcome = await Promise.resolve(budgets.reserve([small], usd(600n))).catch((error: unknown) => error);
      expect(outcome).toMatchObject(soft ? { holds: [], exceeded: [{ refusal }] } : refusal);
      expect(metering.asked).toBe(asked);
    }
  });

  it('reserves without a question out of what it holds', async () => {
    const { budgets, metering, team } = setUp(1_000_000_000n);
    await budgets.reserve([team], usd(1_000n));
    await budgets.reserve([team], usd(1_000n));
    const asked = metering.asked;
    expect(budgets.reserve([team], usd(1_000n))).not.toBeInstanceOf(Promise);
    expect(metering.asked).toBe(asked);
  });

  it('takes what a request without usage had, and not what one with usage had, which metering gives back', async () => {
    const { budgets, team } = setUp(100n);
    const first = await budgets.reserve([team], usd(100n));
    first.settle('none');
    const second = await budgets.reserve([team], usd(100n));
    second.settle('reported');
    second.settle('none');
    expect((await refused(budgets.reserve([team], usd(100n)))).limit).toMatchObject({
      limit: 'budget',
      reason: 'budget_reserved',
    });
  });

  it('begins a new lease after a request of which nobody knows whether it has usage', async () => {
    const { budgets, metering, team } = setUp(1_000_000_000n);
    const lost = await budgets.reserve([team], usd(100n));
    lost.settle('unknown');
    const [spoilt] = budgets.leases.all();
    const next = await budgets.reserve([team], usd(100n));
    expect(next.holds[0]?.lease).not.toBe(lost.holds[0]?.lease);
    expect(budgets.leases.all()).toHaveLength(2);
    expect(spoilt && budgets.leases.isRetired(spoilt)).toBe(true);
    expect(metering.asked).toBe(2);
  });

  it('takes of all budgets or of none', async () => {
    const { budgets, metering, team } = setUp(1_000n);
    const small = budget('small', 1_000n);
    await budgets.reserve([small], usd(900n));
    const error = await refused(budgets.reserve([team, small], usd(100n)));
    expect(error.status).toBe(429);
    const held = budgets.leases.all().find(({ ownerId }) => ownerId === 'team');
    expect(held?.reserved ?? 0n).toBe(0n);
    expect(metering.held).toBeLessThanOrEqual(1_000n);
  });

  it('says of a window that rolls when there is room for the very request, of whatever size the one before was', async () => {
    const { budgets, metering, clock, team } = setUp(10n);
    const inHours = (hours: number) => clock.nowMs() + hours * 3_600_000;
    metering.spent = 9n;
    // As metering says of a request that waits for what others hold.
    metering.resetsAt = inHours(1);
    metering.held = 1n;
    metering.leaves = [
      { at: inHours(1), unspentNanoUsd: '6' },
      { at: inHours(10), unspentNanoUsd: '10' },
    ];
    const waits = await Promise.all([1n, 2n, 9n, 6n].map((most) => refused(budgets.reserve([team], usd(most)))));
    expect(waits.map(({ limit }) => limit?.reason)).toEqual([
      'budget_reserved',
      ...Array<string>(3).fill('budget_exhausted'),
    ]);
    expect(waits.slice(1).map(({ retryAfterS }) => retryAfterS)).toEqual([3_600, 36_000, 3_600]);
    expect(waits[2]?.limit?.budget?.resetsAt).toBe(new Date(inHours(10)).toISOString());
    expect(metering.asked).toBe(1);
  });

  it('says which budget is spent and when it resets; one that never does has no time to wait', async () => {
    const { budgets, metering, team, clock } = setUp(100n);
    metering.spent = 95n;
    const error = await refused(budgets.reserve([team], usd(10n)));
    const seconds = Math.ceil((resetsAt - clock.nowMs()) / 1_000);
    expect(error.message).toBe(`rate limit exceeded, retry after ${seconds} seconds`);
    expect(error.body.error.details).toEqual({
      reason: 'budget_exhausted',
      budget: "team's",
      resets_at: '2027-01-01T00:00:00.000Z',
    });
    metering.resetsAt = null;
    clock.advance(1_000);
    const total = await refused(budgets.reserve([team], usd(10n)));
    expect(total).toMatchObject({ status: 429, retryAfterS: null });
    expect(total.message).toContain('does not reset');
  });

  it('holds what a name has alone apart from what others have, and says of whom it is used up', async () => {
    const { budgets, metering, team } = setUp(100n);
    const [ann, bob] = [
      { ...team, whose: 'ann' },
      { ...team, whose: 'bob' },
    ];
    const [one] = (await budgets.reserve([ann], usd(10n))).holds;
    const [other] = (await budgets.reserve([bob], usd(10n))).holds;
    expect(one?.lease).not.toBe(other?.lease);
    expect(metering.digests).toEqual([digestOfName('ann'), digestOfName('bob')]);
    metering.spent = 95n;
    const error = await refused(budgets.reserve([ann], usd(90n)));
    expect(error.body.error.details).toMatchObject({ reason: 'budget_exhausted', budget: "team's", budget_of: 'ann' });
  });

  it('asks again after a while, for what was held comes back', async () => {
    const { budgets, metering, team, clock } = setUp(100n);
    const one = await budgets.reserve([team], usd(100n));
    await refused(budgets.reserve([team], usd(100n)));
    one.settle('reported');
    metering.held = 0n;
    metering.spent = 0n;
    clock.advance(250);
    await expect(Promise.resolve(budgets.reserve([team], usd(100n)))).resolves.toMatchObject({
      holds: [{ nanoUsd: '100' }],
    });
  });

  it('asks at once for a request that costs less than one that was refused a moment ago', async () => {
    const { budgets, metering, team } = setUp(1_000n);
    metering.spent = 500n;
    for (const most of [900n, 950n, 900n]) {
      const { body } = await refused(budgets.reserve([team], usd(most)));
      expect(body.error.details).toMatchObject({ reason: 'budget_exhausted' });
    }
    expect(metering.asked).toBe(1);
    expect(await budgets.reserve([team], usd(200n))).toMatchObject({ holds: [{ nanoUsd: '200' }] });
    await refused(budgets.reserve([team], usd(600n)));
    await refused(budgets.reserve([team], usd(700n)));
    expect(metering.asked).toBe(2);
  });

  it('does not ask for each of many that cost less and less, and still more than is left', async () => {
    const { budgets, metering, team } = setUp(1_000n);
    metering.spent = 500n;
    for (let most = 900n; most > 500n; most--) await refused(budgets.reserve([team], usd(most)));
    expect(metering.asked).toBe(1);
    // Others took the rest meanwhile: that is seen once.
    metering.spent = 1_000n;
    for (let most = 500n; most > 0n; most--) await refused(budgets.reserve([team], usd(most)));
    expect(metering.asked).toBe(2);
  });

  it('refuses for good what may cost more than the whole budget', async () => {
    const { budgets, metering, team } = setUp(100n);
    expect(await refused(budgets.reserve([team], usd(101n)))).toMatchObject({ status: 400 });
    expect(metering.asked).toBe(0);
    const none = budget('none', 0n);
    metering.limit = 0n;
    expect(await refused(budgets.reserve([none], usd(1n)))).toMatchObject({ status: 429 });
  });

  it('holds the tokens of a request of one in tokens, and its dollars of one in dollars', async () => {
    const { budgets, team } = setUp(1_000_000n);
    const tokens: KeyBudget = { ...budget('tokens', 1_000_000n), unit: 'tokens' };
    const { holds } = await budgets.reserve([team, tokens], { usd: 700n, tokens: 30n });
    expect(holds).toHaveLength(2);
    expect(holds).toContainEqual({ lease: expect.any(String), budgetId: 'team', nanoUsd: '700' });
    expect(holds).toContainEqual({ lease: expect.any(String), budgetId: 'tokens', nanoUsd: '30', unit: 'tokens' });
  });

  it('asks for tokens as the quota does, not for a cent of them', async () => {
    const { budgets, metering } = setUp(1_000_000_000n);
    const tokens: KeyBudget = { ...budget('tokens', 1_000_000_000n), unit: 'tokens' };
    await budgets.reserve([tokens], { usd: 0n, tokens: 2_000n });
    for (const held of [2_000n, 2_000n + 16_384n]) {
      expect(metering.held).toBe(held);
      await budgets.reserve([tokens], { usd: 0n, tokens: 2_000n });
    }
  });

  it('asks as for no request where less is tried next, and then for what is tried', async () => {
    const { budgets, metering, team, clock } = setUp(1_000n);
    metering.spent = 500n;
    const tryFirst = () => refused(Promise.resolve(budgets.reserve([team], usd(900n), true)));
    expect(await tryFirst()).toMatchObject({ status: 429 });
    expect(await tryFirst()).toMatchObject({ status: 429 });
    expect(await refused(Promise.resolve(budgets.reserve([team], usd(600n))))).toMatchObject({ status: 429 });
    expect(metering.requests).toEqual([undefined, '600']);
    clock.advance(1_000);
    expect(await tryFirst()).toMatchObject({ status: 429 });
    expect(await budgets.reserve([team], usd(450n))).toMatchObject({ holds: [{ nanoUsd: '450' }] });
    expect(metering.requests).toEqual([undefined, '600', undefined, '450']);
  });

  it('asks a soft budget as for the request that goes on without it', async () => {
    const { budgets, metering } = setUp(1_000n);
    metering.spent = 500n;
    await budgets.reserve([budget('soft', 1_000n, true)], usd(900n), true);
    expect(metering.requests).toEqual(['900']);
  });

  it('asks a soft budget as for no request where a hard one has less tried next', async () => {
    const { budgets, metering, team } = setUp(1_000n);
    metering.spent = 500n;
    await refused(budgets.reserve([budget('soft', 1_000n, true), team], usd(900n), true));
    expect(metering.requests).toEqual([undefined, undefined]);
  });

  it('refuses for good what may use more tokens than the whole budget', async () => {
    const { budgets } = setUp(1_500n);
    const tokens: KeyBudget = { ...budget('tokens', 1_500n), unit: 'tokens' };
    const error = await refused(budgets.reserve([tokens], { usd: 1n, tokens: 1_501n }));
    expect(error.status).toBe(400);
    expect(error.message).toBe(
      'The request may use up to 1,501 tokens, which is more than the whole budget "tokens\'s", 1,500 tokens: shorten it, or lower its limit of output tokens.',
    );
  });

  it('lets nothing through on its own while metering is away, but what it holds already', async () => {
    const { budgets, metering, team } = setUp(1_000_000_000n);
    await budgets.reserve([team], usd(1_000n));
    await budgets.reserve([team], usd(1_000n));
    metering.isAway = true;
    expect(budgets.reserve([team], usd(1_000n))).toMatchObject({ holds: [{ nanoUsd: '1000' }] });
    expect(await refused(budgets.reserve([team], usd(900_000_000n)))).toMatchObject({ status: 503 });
  });

  it('holds nothing for a budget that was removed, until the key says so', async () => {
    const { budgets, metering, team } = setUp(null);
    expect(await budgets.reserve([team], usd(10n))).toMatchObject({ holds: [] });
    expect(await budgets.reserve([team], usd(10n))).toMatchObject({ holds: [] });
    expect(metering.asked).toBe(1);
  });

  it('gives idle leases back in rounds, those that metering never answered about too', async () => {
    const { budgets, metering, team, clock } = setUp(1_000_000_000n);
    // Without quotas, only these two methods are used of it.
    const methods = metering as unknown as MeteringLeases;
    const rounds = new LeaseRounds(new QuotaReservations(methods, clock), budgets, methods, clock);
    const long = await budgets.reserve([team], usd(1_000n));
    metering.isAway = true;
    await refused(budgets.reserve([budget('lost', 1_000n)], usd(10n)));
    clock.advance(10_000);
    await rounds.round('budgets');
    const kept = { leaseId: long.holds[0]?.lease, giveBack: 0, close: false };
    expect(metering.changes.filter(({ close }) => !close)).toEqual([kept]);
    expect(metering.changes.filter(({ close }) => close)).toContainEqual(expect.objectContaining({ giveBack: 0n }));
    long.settle('none');
    await rounds.close();
    expect(metering.changes.at(-1)).toMatchObject({ leaseId: kept.leaseId, giveBack: metering.held, close: true });
    expect(budgets.leases.all()).toHaveLength(0);
  });
});
