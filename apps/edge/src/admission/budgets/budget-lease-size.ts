/** The first lease of a budget beyond its first need, and the largest: a cent, and a hundred dollars, in nano-dollars. */
const smallestLease = 10_000_000n;
const largestLease = 100_000_000_000n;
/** One lease takes at most this part of what is left, so that other edges find something near the end. */
const shareOfLeft = 8n;

/** How much to ask metering for, as `leaseSize` says it for tokens. `left` null: nothing is known of the budget. */
export function budgetLeaseSize(needed: bigint, lastSize: bigint, left: bigint | null): bigint {
  const grown = larger(smallestLease, lastSize * 2n);
  const wanted = grown < largestLease ? grown : largestLease;
  const share = left === null ? 0n : left / shareOfLeft;
  return larger(needed, wanted < share ? wanted : share);
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
