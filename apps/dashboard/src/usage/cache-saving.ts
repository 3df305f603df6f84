import type { SeriesCounters, SeriesLine } from '@tollgate/contracts/metering';

/** Of the requests that were answered at all, by a provider or by the cache. */
const answeredBy = ({ requests, failed, cancelled, cachedRequests }: SeriesCounters) =>
  requests - failed - cancelled - cachedRequests;

/** Which part of the completed requests the response cache answered, between 0 and 1. */
export function cacheShare(totals: SeriesCounters): number {
  const answered = answeredBy(totals) + totals.cachedRequests;
  return answered > 0 ? totals.cachedRequests / answered : 0;
}

/**
 * About what answers of the response cache would have cost, in nano-dollars: each what a completed request of
 * its line cost on average, by the prices of the ledger. Null: there is none of which that is known.
 */
export function savedByCache(lines: readonly Pick<SeriesLine, 'totals'>[]): bigint | null {
  const known = lines.flatMap(({ totals }) => {
    const priced = answeredBy(totals) - totals.unpricedRequests;
    if (totals.cachedRequests === 0 || priced <= 0) return [];
    return [(BigInt(totals.costNanoUsd) * BigInt(totals.cachedRequests)) / BigInt(priced)];
  });
  return known.length === 0 ? null : known.reduce((sum, nanos) => sum + nanos, 0n);
}
