import fc from 'fast-check';
import { uuidv7 } from './ids';

describe('an id', () => {
  it('is a UUID of version 7 and variant 10', () => {
    expect(uuidv7()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('carries its millisecond and sorts as text by it', () => {
    const times = fc.integer({ min: 0, max: 2 ** 48 - 1 });
    fc.assert(
      fc.property(times, times, (one, other) => {
        const [first, second] = [uuidv7(one), uuidv7(other)];
        expect(parseInt(first.replaceAll('-', '').slice(0, 12), 16)).toBe(one);
        if (one !== other) expect(first < second).toBe(one < other);
      }),
    );
  });

  it('is unique within one millisecond', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => uuidv7(1_760_000_000_000))).size).toBe(10_000);
  });
});
