/**
 * What became of asking for one request's unit. `limit` null: the key is not limited. Times in milliseconds
 * from now.
 */
export interface RateLimitState {
  readonly admitted: boolean;
  readonly limit: number | null;
  /** How many more would be admitted now. */
  readonly remaining: number;
  /** Until the whole limit is free again. */
  readonly resetMs: number;
  /** Until the next request would be admitted; 0 when it would be now. */
  readonly retryAfterMs: number;
  /** Names the unit that was taken, for `giveBack`; null when none was. */
  readonly unit: number | null;
}

/** The state of a key without a limit. */
export const unlimited: RateLimitState = {
  admitted: true,
  limit: null,
  remaining: Infinity,
  resetMs: 0,
  retryAfterMs: 0,
  unit: null,
};

/**
 * Counts the requests of each key over a rolling 60 seconds: at most `limit` are admitted in any such span,
 * and none is refused while fewer were.
 * A refusal takes nothing. A changed limit counts from the next request on.
 */
export abstract class RateLimitStore {
  /** How many edges share the limits, this one included. */
  abstract readonly edges: number;
  /** Takes one unit of a key's limit; null means unlimited, 0 admits nothing. */
  abstract take(keyId: string, limit: number | null): RateLimitState | Promise<RateLimitState>;
  /** Returns a unit, as if the request had never come. */
  abstract giveBack(keyId: string, unit: number): void;
}
