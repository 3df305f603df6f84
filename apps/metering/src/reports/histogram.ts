/** Buckets for each factor of ten, so that one is 1.26 times as wide as the one before. */
const perDecade = 10;
/** The last one ends at 10^6.6 ms, a little over an hour. What took longer is counted there. */
export const lastBucket = 66;

/** The bucket of a time in milliseconds. Bucket 0 holds all up to 1 ms, bucket n those up to 10^(n/10). */
export function bucketOf(ms: number): number {
  if (!(ms > 1)) return 0;
  return Math.min(lastBucket, Math.ceil(Math.log10(ms) * perDecade - 1e-9));
}

/**
 * Counts one time in a histogram, or takes it out (-1). It grows as needed: nothing lies behind the last
 * time.
 */
export function countTime(histogram: number[], ms: number, sign: 1 | -1 = 1): void {
  const bucket = bucketOf(ms);
  while (histogram.length <= bucket) histogram.push(0);
  histogram[bucket] = (histogram[bucket] ?? 0) + sign;
}

/**
 * A histogram as a Postgres array that begins with its first bucket that is not empty, which is its lower
 * bound (subscripts begin with 1: bucket n is element n + 1). Times are alike, so this leaves most buckets
 * out.
 */
export function histogramArray(histogram: readonly number[]): string {
  const first = histogram.findIndex((count) => count !== 0);
  if (first === -1) return '{}';
  return `[${first + 1}:${histogram.length}]={${histogram.slice(first).join(',')}}`;
}

/** Adds two histograms. */
export function addHistograms(one: readonly number[], other: readonly number[]): number[] {
  const [long, short] = one.length >= other.length ? [one, other] : [other, one];
  return long.map((count, bucket) => count + (short[bucket] ?? 0));
}

/**
 * The times that these shares (0..1, the smallest first) of those counted did not exceed, milliseconds; null
 * when nothing was counted. `at`: where the `length` counts begin; `from`: the bucket of the first of them.
 * Within a bucket times are taken to be spread evenly, so each answer lies in the bucket of the true one: off
 * by less than a factor of 1.26.
 */
export function percentiles(
  counts: ArrayLike<number>,
  shares: readonly number[],
  { at = 0, from = 0, length = counts.length }: { at?: number; from?: number; length?: number } = {},
): number[] | null {
  let total = 0;
  for (let place = 0; place < length; place++) total += counts[at + place] ?? 0;
  if (total === 0) return null;
  let place = 0;
  let below = 0;
  const told: number[] = [];
  for (const share of shares) {
    const wanted = share * total;
    for (; place < length; place++) {
      const count = counts[at + place] ?? 0;
      if (count > 0 && below + count >= wanted) break;
      below += count;
    }
    told.push(
      place < length
        ? within(from + place, (wanted - below) / (counts[at + place] ?? 1))
        : upperBound(from + length - 1),
    );
  }
  return told;
}

/**
 * Percentiles are told in microseconds: more digits say nothing, and are a sixth of the bytes of a long
 * chart.
 */
const perMs = 1_000;

function within(bucket: number, share: number): number {
  const lowest = upperBound(Math.max(0, bucket - 1));
  return Math.round((lowest + (upperBound(bucket) - lowest) * share) * perMs) / perMs;
}

const upperBounds = Array.from({ length: lastBucket + 1 }, (_, bucket) => 10 ** (bucket / perDecade));

function upperBound(bucket: number): number {
  return upperBounds[bucket] ?? Infinity;
}
