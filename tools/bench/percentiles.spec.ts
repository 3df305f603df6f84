import { median, percentiles } from './percentiles';

describe('percentiles', () => {
  it('are samples that were really measured', () => {
    const samples = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentiles(samples)).toEqual({ p50: 50, p95: 95, p99: 99 });
  });

  it('of one sample are that sample, and of none zero', () => {
    expect(percentiles([7])).toEqual({ p50: 7, p95: 7, p99: 7 });
    expect(percentiles([])).toEqual({ p50: 0, p95: 0, p99: 0 });
  });
});

describe('the median', () => {
  it('is the middle, or the mean of the two middle values', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([1, 2, 4, 100])).toBe(3);
  });
});
