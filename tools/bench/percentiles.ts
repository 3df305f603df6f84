/** The middle, the slow and the slowest of some times, milliseconds. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

/**
 * Percentiles by rank over all samples: nothing is bucketed, so nothing is rounded. Zeros when there are
 * none.
 */
export function percentiles(samples: readonly number[]): Percentiles {
  const sorted = Float64Array.from(samples).sort();
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** The middle value; the mean of the two middle ones when their number is even. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? upper;
  return (lower + upper) / 2;
}
