/** The first lease of a key beyond its first need, and the largest, in tokens. */
const smallestLease = 16_384;
const largestLease = 8_000_000;
/** One lease takes at most this part of what is left, so that other edges find something near the end. */
const shareOfRemaining = 8;

/**
 * How many tokens to ask metering for. `needed` is what a waiting request lacks; `lastSize` what was asked for before (0: nothing yet): busy keys ask
 * for twice as much each time. `remaining` is what the quota is known to have left.
 */
export function leaseSize(needed: number, lastSize: number, remaining: number): number {
  const wanted = Math.min(Math.max(smallestLease, lastSize * 2), largestLease);
  return Math.max(needed, Math.min(wanted, Math.floor(remaining / shareOfRemaining)));
}
