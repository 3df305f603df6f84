import { isMatch } from '@tollgate/contracts/catalog';
import {
  digestOfName,
  type BudgetState,
  type Attribution,
  type BudgetEach,
  type KeyBudget,
} from '@tollgate/contracts/metering';
import { HeldLease } from './held-leases';
import type { BudgetGranted } from './metering-leases';

/** A budget, or what one name has of it alone, as metering knows it. */
export interface BudgetPart {
  readonly budgetId: string;
  readonly nameDigest?: string;
}

/** Of a name of the caller's only its digest stays in memory, and goes to metering. */
export function partOf({ id: budgetId, whose }: Pick<DueBudget, 'id' | 'whose'>): BudgetPart {
  return whose === undefined ? { budgetId } : { budgetId, nameDigest: digestOfName(whose) };
}

/**
 * What this edge holds of metering of one budget, or of a name's part, in the budget's unit. `granted`:
 * what of it is still this edge's to reserve; `reserved`: of that, upper bounds of requests that run. What a
 * request reserved leaves the lease when its usage is reported: metering gives back what it did not cost.
 */
export class BudgetLease extends HeldLease {
  granted = 0n;
  reserved = 0n;
  /**
   * No request reserves from it any more: it holds what nobody may account for, which is free when it ends.
   */
  isSpoilt = false;
  /** The smallest request for which metering had too little while the lease is exhausted. */
  lacked = 0n;
  /** Metering knows no such budget: it was removed, and the key will say so in a moment. */
  isGone = false;
  /** The budget as metering told it last; null: not yet. */
  state: BudgetState | null;
  /** When there is room again in one that rolls, as metering told it with the state. */
  leaves: BudgetGranted['leaves'];
  /** What was asked for last, and when a request last ended, over all leases of the budget. */
  lastSize: bigint;
  lastEndedAtMs: number;

  constructor(
    leaseId: string,
    readonly part: BudgetPart,
    nowMs: number,
    former: BudgetLease | undefined,
  ) {
    super(leaseId, ownerOf(part), nowMs, former);
    this.state = former?.state ?? null;
    this.leaves = former?.leaves ?? [];
    this.lastSize = former?.lastSize ?? 0n;
    this.lastEndedAtMs = former?.lastEndedAtMs ?? -Infinity;
  }

  get isInUse(): boolean {
    return this.reserved !== 0n;
  }

  /** What the next request may reserve. */
  get available(): bigint {
    return this.granted - this.reserved;
  }

  reserve(amount: bigint, nowMs: number): void {
    this.reserved += amount;
    this.lastUsedAtMs = nowMs;
  }

  /** A request ended; see `Charge`. */
  settle(amount: bigint, charge: Charge, nowMs: number): void {
    this.reserved -= amount;
    this.lastUsedAtMs = nowMs;
    this.lastEndedAtMs = nowMs;
    if (charge === 'none') return;
    this.granted -= amount;
    if (charge === 'unknown') this.isSpoilt = true;
  }

  takeUnused(): bigint {
    const unused = this.available;
    this.granted -= unused;
    return unused;
  }
}

/** Of whom an edge has one lease to reserve from. */
export function ownerOf({ budgetId, nameDigest = '' }: BudgetPart): string {
  return budgetId + nameDigest;
}

/**
 * What became of a request. `reported`: there is a usage event of it. `none`: there is none, for no provider
 * was reached. `unknown`: nobody can tell.
 */
export type Charge = 'reported' | 'none' | 'unknown';

/**
 * A budget that a request has to fit into. `whose`: the end user, or the tag, that has it alone; absent: it
 * is not divided.
 */
export type DueBudget = KeyBudget & { readonly whose?: string };

/**
 * Those of a key's budgets that a request has to fit into by what it says of itself: of one that each name
 * has alone, the part of each of its names.
 */
export function dueBudgets(budgets: readonly KeyBudget[], attribution: Attribution | undefined): readonly DueBudget[] {
  if (budgets.every(({ each }) => each === null)) return budgets;
  return budgets.flatMap((budget): DueBudget[] => {
    const { each } = budget;
    if (!each) return [budget];
    return namesOf(attribution, each).map((whose) => ({ ...budget, whose }));
  });
}

/** Each once. */
function namesOf({ endUser, tags = [] }: Attribution = {}, { by, names }: BudgetEach): string[] {
  const said = by === 'tag' ? [...new Set(tags)] : endUser === undefined ? [] : [endUser];
  return said.filter((name) => isMatch(names, name));
}
