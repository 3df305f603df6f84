import fc from 'fast-check';
import { addHistograms, bucketOf, countTime, histogramArray, percentiles } from './histogram';

function histogramOf(times: readonly number[]): number[] {
  const histogram: number[] = [];
  for (const time of times) countTime(histogram, time);
  return histogram;
}

describe('histograms', () => {
  it('put a time into the first bucket whose bound it does not exceed', () => {
    expect([-5, 0, 1, 1.01, 10, 10.01, 100, 1_000, 3_600_000, 1e12, NaN].map(bucketOf)).toEqual([
      0, 0, 0, 1, 10, 11, 20, 30, 66, 66, 0,
    ]);
  });

  it('tell every percentile within the width of a bucket', () => {
    const times = fc.array(fc.double({ min: 1, max: 3_000_000, noNaN: true }), { minLength: 1, maxLength: 200 });
    const shares = [0.5, 0.9, 0.99];
    fc.assert(
      fc.property(times, (measured) => {
        const sorted = [...measured].sort((a, b) => a - b);
        const told = percentiles(histogramOf(measured), shares) ?? [];
        for (const [place, share] of shares.entries()) {
          const truth = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
          expect((told[place] ?? 0) / truth).toBeGreaterThan(1 / 1.2591);
          expect((told[place] ?? 0) / truth).toBeLessThan(1.2591);
        }
      }),
    );
  });

  it('know nothing of nothing, and add up', () => {
    expect(percentiles([], [0.5])).toBeNull();
    expect(percentiles([0, 0], [0.5])).toBeNull();
    expect(addHistograms(histogramOf([1, 5]), histogramOf([5, 70]))).toEqual(histogramOf([1, 5, 5, 70]));
    expect(addHistograms([], [])).toEqual([]);
  });

  it('are kept from their first bucket that counted something', () => {
    expect(histogramArray([])).toBe('{}');
    expect(histogramArray([0, 0])).toBe('{}');
    expect(histogramArray(histogramOf([0.5]))).toBe('[1:1]={1}');
    expect(histogramArray(histogramOf([10, 15, 15]))).toBe('[11:13]={1,0,2}');
  });
});

it('percentiles are told in microseconds', () => {
  const histogram: number[] = [];
  for (const ms of [3, 30, 300, 700, 2_000, 2_200, 2_300]) countTime(histogram, ms);
  for (const percentile of percentiles(histogram, [0.1, 0.5, 0.9, 0.99]) ?? [])
    expect(String(percentile)).toMatch(/^\d+(\.\d{1,3})?$/);
});
