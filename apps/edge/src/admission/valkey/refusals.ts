import type { RateLimitState } from '../rate-limit-store';

interface Refusal {
  readonly limit: number;
  /** When there may be room again: until then nobody need be asked. */
  readonly untilMs: number;
  readonly retryAtMs: number;
  readonly resetAtMs: number;
}

/**
 * Refused keys, until there may be room for them again: a flood of requests on a key that is used up is
 * answered from here.
 */
export class Refusals {
  private readonly byKey = new Map<string, Refusal>();

  get size(): number {
    return this.byKey.size;
  }

  /** Remembers a refusal that holds until `untilMs`. */
  remember(keyId: string, { limit, retryAfterMs, resetMs }: RateLimitState, untilMs: number, nowMs: number): void {
    if (limit === null || untilMs <= nowMs) return;
    this.byKey.set(keyId, { limit, untilMs, retryAtMs: nowMs + retryAfterMs, resetAtMs: nowMs + resetMs });
  }

  /** The refusal that still holds for a key with this limit, or null. */
  find(keyId: string, limit: number, nowMs: number): RateLimitState | null {
    const refusal = this.byKey.get(keyId);
    if (!refusal) return null;
    if (refusal.limit !== limit || refusal.untilMs <= nowMs) {
      this.byKey.delete(keyId);
      return null;
    }
    return {
      admitted: false,
      limit,
      remaining: 0,
      resetMs: Math.max(0, refusal.resetAtMs - nowMs),
      retryAfterMs: Math.max(0, refusal.retryAtMs - nowMs),
      unit: null,
    };
  }

  forget(keyId: string): void {
    this.byKey.delete(keyId);
  }

  forgetPassed(nowMs: number): void {
    for (const [keyId, { untilMs }] of this.byKey) if (untilMs <= nowMs) this.byKey.delete(keyId);
  }

  clear(): void {
    this.byKey.clear();
  }
}
