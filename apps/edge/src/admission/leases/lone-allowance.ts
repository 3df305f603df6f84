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
