import type { BudgetHold, BudgetState, KeyBudget } from '@tollgate/contracts';
import { ControlError, uuidv7 } from '@tollgate/contracts';
import { Clock } from '../../clock';
import { HoldTimes } from '../hold-times';
import { BudgetLease } from './budget-lease';
import type { Charge } from './budget-lease';
import { budgetLeaseSize } from './budget-lease-size';
import { budgetAway, budgetRefusal, latestOf, tooDear } from './budget-refusals';
import type { MeteringBudgets } from './metering-budgets';

/** After metering was away, nobody asks it again for this long. */
const awayMs = 1_000;
/** After metering granted less than was asked, it is not asked again for this long. */
const exhaustedMs = 250;
/** What an ended request did not cost is back when its usage is stored, which takes no longer than this as a rule. */
const storedAfterMs = 2_000;
/** What no request here holds, another edge does, which gives it back in rounds (BudgetKeeper). */
const heldElsewhereS = 40;

/** What one request holds of its budgets. It is settled once; later calls do nothing. */
export interface Spending {
  readonly holds: readonly BudgetHold[];
  settle(charge: Charge): void;
}

const noSpending: Spending = { holds: [], settle: () => undefined };

interface Account {
  budget: KeyBudget;
  lease: BudgetLease;
  /** The question to metering that is under way; everyone who lacks money waits for this one. */
  asking: Promise<void> | null;
  lastSize: bigint;
  readonly holds: HoldTimes;
  lastEndedAtMs: number;
  exhaustedUntilMs: number;
  /** As metering told it last; null: not yet. */
  state: BudgetState | null;
  /** Metering knows no such budget: it was removed, and the key will say so in a moment. */
  isGone: boolean;
}

/**
 * Reserves money of budgets locally, out of leases of metering, so that a request usually needs no question, however many budgets it has. What was spent and what all
 * leases hold is never more than the limit. Other than the quota of tokens, a budget lets nothing through on its own while metering is away.
 */
export class BudgetBook {
  private readonly accounts = new Map<string, Account>();
  /** Leases that nobody reserves from any more, until their last request has ended too. */
  private retired: BudgetLease[] = [];
  private awayUntilMs = -Infinity;

  constructor(
    private readonly metering: Pick<MeteringBudgets, 'acquire'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Sets `nanoUsd` (an upper bound of what a request may cost) of each budget aside, or of none.
   * @throws GatewayError 429 when one has not so much left, 400 when it never will, 503 when metering is away and this edge holds too little.
   */
  reserve(budgets: readonly KeyBudget[], nanoUsd: bigint): Spending | Promise<Spending> {
    if (budgets.length === 0) return noSpending;
    const taken: Taken[] = [];
    const lacking: KeyBudget[] = [];
    for (const budget of budgets) {
      const one = this.tryTake(this.account(budget), nanoUsd);
      if (one) taken.push(one);
      else lacking.push(budget);
    }
    return lacking.length === 0 ? spendingOf(taken) : this.reserveByAsking(taken, lacking, nanoUsd);
  }

  /** All leases that metering may know. */
  leases(): BudgetLease[] {
    return [...this.retired, ...[...this.accounts.values()].map(({ lease }) => lease)];
  }

  /** True when no request will reserve from this lease any more. */
  isRetired(lease: BudgetLease): boolean {
    return this.retired.includes(lease);
  }

  /** Lets go of a lease: the next request of its budget begins a new one. Running requests settle against the old one, to no effect. */
  drop(lease: BudgetLease): void {
    if (this.accounts.get(lease.budgetId)?.lease === lease) this.accounts.delete(lease.budgetId);
    this.retired = this.retired.filter((other) => other !== lease);
  }

  private account(budget: KeyBudget): Account {
    const nowMs = this.clock.monotonicMs();
    const known = this.accounts.get(budget.id);
    if (known) {
      known.budget = budget;
      const isAlive = known.lease.endsAtMs === null || known.lease.endsAtMs > nowMs;
      if (isAlive && !known.lease.isSpoilt) return known;
      if (isAlive) this.retired.push(known.lease);
    }
    const account = {
      budget,
      lease: new BudgetLease(uuidv7(this.clock.nowMs()), budget.id, nowMs),
      asking: null,
      lastSize: known?.lastSize ?? 0n,
      holds: known?.holds ?? new HoldTimes(),
      lastEndedAtMs: known?.lastEndedAtMs ?? -Infinity,
      exhaustedUntilMs: -Infinity,
      state: known?.state ?? null,
      isGone: false,
    };
    this.accounts.set(budget.id, account);
    return account;
  }

  private tryTake(account: Account, nanoUsd: bigint): Taken | null {
    const { lease, holds } = account;
    if (account.isGone) return { hold: null, settle: () => undefined };
    if (lease.isSpoilt || lease.available < nanoUsd) return null;
    const nowMs = this.clock.monotonicMs();
    lease.reserve(nanoUsd, nowMs);
    const ended = holds.began(nowMs);
    const settle = (charge: Charge) => {
      account.lastEndedAtMs = this.clock.monotonicMs();
      ended(account.lastEndedAtMs);
      lease.settle(nanoUsd, charge, account.lastEndedAtMs);
    };
    return { hold: { lease: lease.leaseId, nanoUsd: nanoUsd.toString() }, settle };
  }

  private async reserveByAsking(taken: Taken[], lacking: KeyBudget[], nanoUsd: bigint): Promise<Spending> {
    const results = await Promise.allSettled(lacking.map((budget) => this.takeByAsking(budget, nanoUsd)));
    const refusals: unknown[] = [];
    for (const result of results)
      if (result.status === 'fulfilled') taken.push(result.value);
      else refusals.push(result.reason);
    if (refusals.length === 0) return spendingOf(taken);
    for (const one of taken) one.settle('none');
    throw latestOf(refusals);
  }

  private async takeByAsking(budget: KeyBudget, nanoUsd: bigint): Promise<Taken> {
    const limit = BigInt(budget.limitNanoUsd);
    // Nothing at all fits into a budget of 0: that is one that is used up, and is refused as such.
    if (nanoUsd > limit && limit > 0n) throw tooDear(budget, nanoUsd);
    for (;;) {
      const account = this.account(budget);
      const taken = this.tryTake(account, nanoUsd);
      if (taken) return taken;
      if (account.asking) {
        await account.asking;
        continue;
      }
      const nowMs = this.clock.monotonicMs();
      if (nowMs < account.exhaustedUntilMs) throw this.refusal(account, nanoUsd);
      if (nowMs < this.awayUntilMs) throw budgetAway(budget);
      account.asking = this.ask(account, nanoUsd).finally(() => (account.asking = null));
      await account.asking;
    }
  }

  private async ask(account: Account, nanoUsd: bigint): Promise<void> {
    const { lease, state } = account;
    const { leaseId, budgetId } = lease;
    const askedAtMs = this.clock.monotonicMs();
    const needed = nanoUsd - lease.available;
    const size = budgetLeaseSize(needed, account.lastSize, state && leftOf(state));
    try {
      const sums = { nanoUsd: size.toString(), leastNanoUsd: needed.toString() };
      const asked = { leaseId, budgetId, sequence: ++lease.sequence, ...sums };
      const answer = await this.metering.acquire(asked);
      const granted = BigInt(answer.grantedNanoUsd);
      lease.granted += granted;
      lease.endsAtMs = askedAtMs + answer.ttlMs;
      account.lastSize = size;
      account.state = answer.state;
      account.isGone = answer.state === null;
      this.awayUntilMs = -Infinity;
      if (granted < needed) account.exhaustedUntilMs = this.clock.monotonicMs() + exhaustedMs;
    } catch (error) {
      // Metering knows another state of this lease (a reply was lost), or may have granted what never came: a new one cannot conflict.
      if (error instanceof ControlError && error.code === 'conflict') return this.drop(lease);
      lease.isSpoilt = true;
      this.awayUntilMs = this.clock.monotonicMs() + awayMs;
    }
  }

  /** What is spent keeps the request out until the window ends; what is only held comes back, as a rule when a request ends. */
  private refusal({ budget, state, holds, lastEndedAtMs }: Account, nanoUsd: bigint): Error {
    if (!state) return budgetAway(budget);
    const nowMs = this.clock.monotonicMs();
    const unspent = BigInt(state.limitNanoUsd) - BigInt(state.spentNanoUsd);
    if (nanoUsd > unspent)
      return budgetRefusal(budget, state, { reason: 'budget_exhausted', nowMs: this.clock.nowMs() });
    const isStoring = nowMs - lastEndedAtMs < storedAfterMs;
    const waitS = isStoring ? storedAfterMs / 1_000 : (holds.waitS(nowMs) ?? heldElsewhereS);
    return budgetRefusal(budget, state, { reason: 'budget_reserved', waitS });
  }
}

/** What was taken of one budget. `hold` null: nothing, for there is no such budget any more. */
interface Taken {
  readonly hold: BudgetHold | null;
  settle(charge: Charge): void;
}

function spendingOf(taken: readonly Taken[]): Spending {
  let settled = false;
  return {
    holds: taken.flatMap(({ hold }) => hold ?? []),
    settle: (charge) => {
      if (settled) return;
      settled = true;
      for (const one of taken) one.settle(charge);
    },
  };
}

function leftOf({ limitNanoUsd, spentNanoUsd, heldNanoUsd }: BudgetState): bigint {
  const left = BigInt(limitNanoUsd) - BigInt(spentNanoUsd) - BigInt(heldNanoUsd);
  return left > 0n ? left : 0n;
}
