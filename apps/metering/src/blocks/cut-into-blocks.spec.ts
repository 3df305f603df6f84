import { cutOf } from './cut-into-blocks';
import type { MadeBlock } from './cut-into-blocks';

const dayMs = 86_400_000;
const block = (days: number, at: number, build: number, key = ''): MadeBlock => {
  return { key, days, at: new Date(at * dayMs), build: BigInt(build) };
};
const days = (from: number, to: number) => ({ from: from * dayMs, to: to * dayMs });

describe('days are cut', () => {
  it('into the longest blocks, and the days that have none', () => {
    const made = [block(4, 4, 1), block(1, 3, 2), block(1, 4, 3), block(16, 16, 4), block(4, 16, 5), block(1, 32, 6)];
    expect(cutOf(made, {}, days(2, 34))).toEqual({
      builds: [2n, 1n, 4n, 6n],
      ranges: [
        { key: null, ...days(2, 3) },
        { key: null, ...days(8, 16) },
        { key: null, ...days(33, 34) },
      ],
    });
    expect(cutOf([], {}, days(2, 2))).toEqual({ builds: [], ranges: [] });
  });

  it('for each key by its own blocks', () => {
    const made = [block(4, 4, 1, 'one'), block(4, 8, 2, 'two')];
    expect(cutOf(made, { keyIds: ['one', 'two', 'three'] }, days(4, 12))).toEqual({
      builds: [1n, 2n],
      ranges: [
        { key: 'one', ...days(8, 12) },
        { key: 'two', ...days(4, 8) },
        { key: 'three', ...days(4, 12) },
      ],
    });
  });
});
