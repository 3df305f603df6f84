import { HeldLease } from './held-leases';

/**
 * Tokens of one key that this edge holds of metering, and what of them is used. Everything is in tokens:
 * - `granted`: metering reserved these for this lease;
 * - `reserved`: upper bounds of requests that run;
 * - `spent`: used by requests that ended; the usage events move them from the lease to `used` at metering.
 */
export class QuotaLease extends HeldLease {
  granted = 0;
  reserved = 0;
  spent = 0;
  /** What was asked for last, over all leases of the key; 0: nothing yet. */
  lastSize: number;

  /** `quotaTokens`: the key's quota when the lease began; a changed quota begins a new lease. */
  constructor(
    leaseId: string,
    keyId: string,
    readonly quotaTokens: number,
    nowMs: number,
    former: QuotaLease | undefined,
  ) {
    super(leaseId, keyId, nowMs, former);
    this.lastSize = former?.lastSize ?? 0;
  }

  get isInUse(): boolean {
    return this.reserved !== 0;
  }

  /** What the next request may reserve. Below 0 when requests used more than they had reserved. */
  get available(): number {
    return this.granted - this.reserved - this.spent;
  }

  reserve(tokens: number, nowMs: number): void {
    this.reserved += tokens;
    this.lastUsedAtMs = nowMs;
  }

  /** A request ended: its unused part is free again. */
  settle(reservedTokens: number, usedTokens: number, nowMs: number): void {
    this.reserved -= reservedTokens;
    this.spent += usedTokens;
    this.lastUsedAtMs = nowMs;
  }

  takeUnused(): number {
    const unused = Math.max(0, this.available);
    this.granted -= unused;
    return unused;
  }
}
