import type { BudgetUnit } from '@tollgate/contracts';

/** The first lease of a key beyond its first need, and the largest, in tokens. */
const smallestTokens = 16_384;
const largestTokens = 8_000_000;
/** The same of a budget, in its unit: of one in dollars a cent, and a hundred dollars. */
const sizes: Readonly<Record<BudgetUnit, { readonly smallest: bigint; readonly largest: bigint }>> = {
  usd: { smallest: 10_000_000n, largest: 100_000_000_000n },
  tokens: { smallest: BigInt(smallestTokens), largest: BigInt(largestTokens) },
};
/** One lease takes at most this part of what is left, so that other edges find something near the end. */
const shareOfLeft = 8;

/**
 * How many tokens to ask metering for. `needed` is what a waiting request lacks; `lastSize` what was asked
 * for before (0: nothing yet): busy keys ask for twice as much each time. `remaining` is what the quota is
 * known to have left.
 */
export function leaseSize(needed: number, lastSize: number, remaining: number): number {
  const wanted = Math.min(Math.max(smallestTokens, lastSize * 2), largestTokens);
  return Math.max(needed, Math.min(wanted, Math.floor(remaining / shareOfLeft)));
}

/**
 * How much of a budget to ask metering for, in its unit, as `leaseSize` says it for the quota of tokens.
 * `left` null: nothing is known of the budget.
 */
export function budgetLeaseSize(unit: BudgetUnit, needed: bigint, lastSize: bigint, left: bigint | null): bigint {
  const { smallest, largest } = sizes[unit];
  const grown = larger(smallest, lastSize * 2n);
  const wanted = grown < largest ? grown : largest;
  const share = left === null ? 0n : left / BigInt(shareOfLeft);
  return larger(needed, wanted < share ? wanted : share);
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
