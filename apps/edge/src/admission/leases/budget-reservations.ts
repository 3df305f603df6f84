import { Inject, Injectable } from '@nestjs/common';
import type { BudgetHold, BudgetState, BudgetUnit } from '@tollgate/contracts/metering';
import { Clock } from '../../clock';
import { BudgetLease, ownerOf, partOf, type Charge, type DueBudget } from './budget-lease';
import { budgetAway, budgetRefusal, exceededBy, latestOf, tooDear } from './budget-refusals';
import type { ExceededBudget } from './budget-refusals';
import { HeldLeases, budgetLeaseSize } from './held-leases';
import { MeteringLeases } from './metering-leases';

/** After metering granted less than was asked, it is not asked again for this long. */
const exhaustedMs = 250;
/**
 * What an ended request did not cost is back when its usage is stored, which takes no longer than this as a
 * rule.
 */
export const storedAfterMs = 2_000;
/** What no request here holds, another edge does, which gives it back in rounds (LeaseRounds). */
const heldElsewhereS = 40;

/**
 * What one request holds of its budgets. It is settled once; later calls do nothing. `exceeded`: soft budgets
 * that have too little left for it, of which it holds nothing.
 */
export interface Spending {
  readonly holds: readonly BudgetHold[];
  readonly exceeded: readonly ExceededBudget[];
  settle(charge: Charge): void;
}

const noSpending: Spending = { holds: [], exceeded: [], settle: () => undefined };

/** Upper bounds of what a request may cost, in nano-dollars, and of the tokens that it may use. */
export type MostSpent = Readonly<Record<BudgetUnit, bigint>>;

/**
 * Reserves money, or tokens, of budgets locally, out of leases of metering, so that a request usually needs
 * no question, however many budgets it has. What was spent and what all leases hold is never more than the
 * limit. Other than the quota of tokens, a budget lets nothing through on its own while metering is away.
 */
@Injectable()
export class BudgetReservations {
  readonly leases: HeldLeases<BudgetLease>;

  constructor(
    @Inject(MeteringLeases) private readonly metering: Pick<MeteringLeases, 'acquireBudget'>,
    private readonly clock: Clock,
  ) {
    this.leases = new HeldLeases(clock);
  }

  /**
   * Sets the most that a request may spend of each budget aside, in the budget's unit, or of none; of soft
   * ones only where there is so much. `isTrial`: where that is too much, less is asked for at once, so that
   * nobody was refused.
   * @throws GatewayError 429 when one has not so much left, 400 when it never will, 503 when metering is away
   * and this edge holds too little.
   */
  reserve(budgets: readonly DueBudget[], most: MostSpent, isTrial = false): Spending | Promise<Spending> {
    if (budgets.length === 0) return noSpending;
    const taken: Taken[] = [];
    const lacking: DueBudget[] = [];
    for (const budget of budgets) {
      const one = this.tryTake(this.lease(budget), budget.unit, most[budget.unit]);
      if (one) taken.push(one);
      else lacking.push(budget);
    }
    return lacking.length === 0 ? spendingOf(taken) : this.reserveByAsking(taken, lacking, most, isTrial);
  }

  private lease(budget: DueBudget): BudgetLease {
    const part = partOf(budget);
    return this.leases.of(
      ownerOf(part),
      ({ isSpoilt }) => !isSpoilt,
      (leaseId, nowMs, former) => new BudgetLease(leaseId, part, nowMs, former),
    );
  }

  private tryTake(lease: BudgetLease, unit: BudgetUnit, amount: bigint): Taken | null {
    if (lease.isGone) return nothingTaken;
    if (lease.isSpoilt || lease.available < amount) return null;
    const nowMs = this.clock.monotonicMs();
    lease.reserve(amount, nowMs);
    const ended = lease.holds.began(nowMs);
    const settle = (charge: Charge) => {
      const endedAtMs = this.clock.monotonicMs();
      ended(endedAtMs);
      lease.settle(amount, charge, endedAtMs);
    };
    const { leaseId, part } = lease;
    const hold = {
      lease: leaseId,
      nanoUsd: amount.toString(),
      budgetId: part.budgetId,
      ...(unit !== 'usd' && { unit }),
    };
    return { hold, exceeded: null, settle };
  }

  private async reserveByAsking(
    taken: Taken[],
    lacking: DueBudget[],
    most: MostSpent,
    isTrial: boolean,
  ): Promise<Spending> {
    // Where only soft ones lack something nothing smaller is asked for: the request goes on without them.
    const isTried = isTrial && lacking.some(({ soft }) => !soft);
    const asking = lacking.map((budget) => this.takeByAsking(budget, most[budget.unit], isTried));
    const results = await Promise.allSettled(asking);
    const refusals: unknown[] = [];
    for (const [index, result] of results.entries()) {
      const budget = lacking[index];
      if (result.status === 'fulfilled') taken.push(result.value);
      else if (budget?.soft) taken.push({ ...nothingTaken, exceeded: exceededBy(budget, result.reason) });
      else refusals.push(result.reason);
    }
    if (refusals.length === 0) return spendingOf(taken);
    for (const one of taken) one.settle('none');
    throw latestOf(refusals);
  }

  private async takeByAsking(budget: DueBudget, amount: bigint, isTrial: boolean): Promise<Taken> {
    const limit = BigInt(budget.limitNanoUsd);
    // Nothing at all fits into a budget of 0: that is one that is used up, and is refused as such.
    const isTooDear = amount > limit && limit > 0n;
    // Metering sums what is asked for alone: what a soft one lets through is to be told to people.
    if (isTooDear && !budget.soft) throw tooDear(budget, amount);
    return this.leases.take({
      isTrial,
      lease: () => this.lease(budget),
      take: (lease) => this.tryTake(lease, budget.unit, amount),
      ask: (lease) => this.ask(lease, budget.unit, amount, isTrial),
      asksLess: ({ lacked, state, available }) =>
        amount < lacked && state !== null && amount - available <= leftOf(state),
      refuse: (lease) => {
        throw isTooDear ? tooDear(budget, amount) : this.refusal(budget, lease, amount);
      },
      alone: () => {
        throw budgetAway(budget);
      },
    });
  }

  private async ask(lease: BudgetLease, unit: BudgetUnit, amount: bigint, isTrial: boolean): Promise<void> {
    const { leaseId, part, state } = lease;
    const askedAtMs = this.clock.monotonicMs();
    const needed = amount - lease.available;
    const size = budgetLeaseSize(unit, needed, lease.lastSize, state && leftOf(state));
    const sums = {
      nanoUsd: size.toString(),
      leastNanoUsd: needed.toString(),
      // Metering notes a refusal by this.
      ...(!isTrial && { requestNanoUsd: amount.toString() }),
    };
    const asked = { leaseId, ...part, sequence: ++lease.sequence, ...sums };
    // Metering may have granted what never came: nobody may account for it.
    const answer = await this.metering.acquireBudget(asked).catch((error: unknown) => {
      lease.isSpoilt = true;
      throw error;
    });
    const granted = BigInt(answer.grantedNanoUsd);
    lease.granted += granted;
    lease.endsAtMs = askedAtMs + answer.ttlMs;
    lease.lastSize = size;
    lease.state = answer.state;
    lease.leaves = answer.leaves;
    lease.isGone = answer.state === null;
    if (granted >= needed) return;
    const nowMs = this.clock.monotonicMs();
    const wasExhausted = nowMs < Math.max(lease.exhaustedUntilMs, lease.trialExhaustedUntilMs);
    lease.lacked = wasExhausted && lease.lacked < amount ? lease.lacked : amount;
    const untilMs = nowMs + exhaustedMs;
    if (isTrial) lease.trialExhaustedUntilMs = untilMs;
    else lease.exhaustedUntilMs = untilMs;
  }

  /**
   * What is spent keeps the request out until the window ends, or enough has left it for this very request:
   * metering was asked for another, maybe; what is only held comes back, as a rule when a request ends.
   */
  private refusal(budget: DueBudget, { state, leaves, holds, lastEndedAtMs }: BudgetLease, amount: bigint): Error {
    if (!state) return budgetAway(budget);
    const nowMs = this.clock.monotonicMs();
    const unspent = BigInt(state.limitNanoUsd) - BigInt(state.spentNanoUsd);
    if (amount > unspent) {
      const leave = leaves.find(({ unspentNanoUsd }) => BigInt(unspentNanoUsd) >= amount);
      const resetsAt = leave?.at ?? state.resetsAt;
      return budgetRefusal(budget, { resetsAt }, { reason: 'budget_exhausted', nowMs: this.clock.nowMs() });
    }
    const isStoring = nowMs - lastEndedAtMs < storedAfterMs;
    const waitS = isStoring ? storedAfterMs / 1_000 : (holds.waitS(nowMs) ?? heldElsewhereS);
    return budgetRefusal(budget, { resetsAt: leaves[0]?.at ?? state.resetsAt }, { reason: 'budget_reserved', waitS });
  }
}

/**
 * What was taken of one budget. `hold` null: nothing, for there is no such budget any more, or it is soft and
 * has too little left. `exceeded` null: it is not used up.
 */
interface Taken {
  readonly hold: BudgetHold | null;
  readonly exceeded: ExceededBudget | null;
  settle(charge: Charge): void;
}

const nothingTaken: Taken = { hold: null, exceeded: null, settle: () => undefined };

function spendingOf(taken: readonly Taken[]): Spending {
  let settled = false;
  return {
    holds: taken.flatMap(({ hold }) => hold ?? []),
    exceeded: taken.flatMap(({ exceeded }) => exceeded ?? []),
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
