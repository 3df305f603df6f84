import type { QuotaRecord } from '@tollgate/contracts';

/**
 * Tokens of one key that this edge holds of metering, and what of them is used. Everything is in tokens:
 * - `granted`: metering reserved these for this lease;
 * - `reserved`: upper bounds of requests that run;
 * - `spent`: used by requests that ended; the usage events move them from the lease to `used` at metering.
 */
export class QuotaLease {
  sequence = 0;
  granted = 0;
  reserved = 0;
  spent = 0;
  /** When metering ends the lease unless it is renewed, monotonic milliseconds. Null: metering does not know it yet. */
  endsAtMs: number | null = null;
  lastUsedAtMs: number;

  constructor(
    readonly leaseId: string,
    readonly keyId: string,
    nowMs: number,
  ) {
    this.lastUsedAtMs = nowMs;
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

  /** Takes everything out that nobody uses, to give it back to metering. */
  takeUnused(): number {
    const unused = Math.max(0, this.available);
    this.granted -= unused;
    return unused;
  }
}

/** The quota of a key as metering last told it, and the tokens that this edge spent since then. */
export interface KnownQuota {
  record: QuotaRecord;
  spentSince: number;
}
