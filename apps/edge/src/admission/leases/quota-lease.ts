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

/**
 * Tokens that edge allowed a key by itself while metering was away: upper bounds of running requests, and
 * what ended ones used.
 */
interface Allowed {
  reserved: number;
  spent: number;
}

/** The bound on what one edge lets through while metering is away. Tokens allowed here belong to no lease. */
export class LoneAllowance {
  private readonly keys = new Map<string, Allowed>();

  /** Takes tokens if all that this key holds stays within `limit`. Returns how to settle them, or null. */
  reserve(keyId: string, tokens: number, limit: number): ((usedTokens: number) => void) | null {
    const allowed = this.keys.get(keyId) ?? { reserved: 0, spent: 0 };
    if (allowed.reserved + allowed.spent + tokens > limit) return null;
    this.keys.set(keyId, allowed);
    allowed.reserved += tokens;
    return (usedTokens) => {
      allowed.reserved -= tokens;
      allowed.spent += usedTokens;
    };
  }

  /** What requests used that were let through here and have ended. */
  spent(keyId: string): number {
    return this.keys.get(keyId)?.spent ?? 0;
  }

  /** Metering answers again for this key: what ended has been, or will be, counted there. */
  forget(keyId: string): void {
    this.keys.delete(keyId);
  }
}
