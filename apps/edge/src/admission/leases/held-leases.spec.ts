import fc from 'fast-check';
import { leaseSize } from './held-leases';

describe('the size of a lease', () => {
  it('is never less than what is needed, and else at most an eighth of what is left', () => {
    const tokens = fc.integer({ min: 1, max: 1_000_000_000 });
    fc.assert(
      fc.property(tokens, tokens, tokens, (needed, last, remaining) => {
        const size = leaseSize(needed, last, remaining);
        expect(size).toBeGreaterThanOrEqual(needed);
        if (size > needed) expect(size).toBeLessThanOrEqual(remaining / 8);
      }),
    );
  });

  it('doubles for a busy key, up to a bound', () => {
    expect(leaseSize(100, 0, 1e9)).toBe(16_384);
    expect(leaseSize(100, 16_384, 1e9)).toBe(32_768);
    expect(leaseSize(100, 8_000_000, 1e9)).toBe(8_000_000);
  });
});
