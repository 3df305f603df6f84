/**
 * Money of one budget that this edge holds of metering, in nano-dollars. `granted`: what of it is still this edge's to reserve; `reserved`: of that, upper bounds of requests
 * that run. What a request reserved leaves the lease when its usage is reported: metering gives back what it did not cost.
 */
export class BudgetLease {
  sequence = 0;
  granted = 0n;
  reserved = 0n;
  /** When metering ends the lease unless it is renewed, monotonic milliseconds. Null: metering does not know it yet. */
  endsAtMs: number | null = null;
  lastUsedAtMs: number;
  /** No request reserves from it any more: it holds what nobody may account for, which is free when it ends. */
  isSpoilt = false;

  constructor(
    readonly leaseId: string,
    readonly budgetId: string,
    nowMs: number,
  ) {
    this.lastUsedAtMs = nowMs;
  }

  /** What the next request may reserve. */
  get available(): bigint {
    return this.granted - this.reserved;
  }

  reserve(nanoUsd: bigint, nowMs: number): void {
    this.reserved += nanoUsd;
    this.lastUsedAtMs = nowMs;
  }

  /** A request ended; see `Charge`. */
  settle(nanoUsd: bigint, charge: Charge, nowMs: number): void {
    this.reserved -= nanoUsd;
    this.lastUsedAtMs = nowMs;
    if (charge === 'none') return;
    this.granted -= nanoUsd;
    if (charge === 'unknown') this.isSpoilt = true;
  }

  /** Takes everything out that nobody uses, to give it back to metering. */
  takeUnused(): bigint {
    const unused = this.available;
    this.granted -= unused;
    return unused;
  }
}

/** What became of a request. `reported`: there is a usage event of it. `none`: there is none, for no provider was reached. `unknown`: nobody can tell. */
export type Charge = 'reported' | 'none' | 'unknown';
