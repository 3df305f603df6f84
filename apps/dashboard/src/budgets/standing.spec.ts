import { byNearness, isNear, leftWords, standingOf, usedWords } from './standing';

const state = (limit: bigint, spent: bigint, held = 0n) => ({
  ...{ limitNanoUsd: limit.toString(), spentNanoUsd: spent.toString(), heldNanoUsd: held.toString() },
  resetsAt: null,
});
const usd = 1_000_000_000n;

describe('how a budget stands', () => {
  it('is exact beyond what a float holds', () => {
    const standing = standingOf(state(999_999_999_999_999_999n, 9_007_199_254_740_993n, 1n));
    expect(standing.left).toBe(990_992_800_745_259_005n);
  });

  it.each([
    [state(5n * usd, 2n * usd, usd / 10n), '$2.90 of $5.00 left', 0.42],
    [state(5n * usd, 5n * usd), 'Nothing of $5.00 left', 1],
    [state(5n * usd, 6n * usd), '$1.00 over the limit of $5.00', 1.2],
    // A budget of nothing lets nothing through.
    [state(0n, 0n), 'Nothing of $0.00 left', 1],
    [state(5n * usd, -usd), '$6.00 of $5.00 left', -0.2],
  ])('%j is in words %s', (told, words, share) => {
    expect(leftWords('usd', standingOf(told))).toBe(words);
    expect(standingOf(told).share).toBe(share);
  });

  it('says what requests that run have reserved, where they have', () => {
    expect(usedWords('usd', state(5n * usd, usd))).toBe('$1.00 spent');
    expect(usedWords('usd', state(5n * usd, usd, usd / 100n))).toBe('$1.00 spent, $0.01 reserved');
  });

  it('is told in tokens of one in tokens', () => {
    expect(leftWords('tokens', standingOf(state(1n, 0n)))).toBe('1 token of 1 token left');
    expect(leftWords('tokens', standingOf(state(500n, 300n, 100n)))).toBe('100 tokens of 500 tokens left');
    expect(usedWords('tokens', state(500n, 300n, 100n))).toBe('300 tokens spent, 100 tokens reserved');
  });

  it('is near its limit from four fifths on; of one that each name has alone, by the nearest name', () => {
    const of = (spent: bigint) => ({ state: state(10n * usd, spent), nearest: null });
    const each = { state: null, nearest: { name: 'ann', nameDigest: '', state: state(10n * usd, 9n * usd) } };
    const unknown = { state: null, nearest: null };
    const low = of(usd);
    const near = of(8n * usd);
    expect([low, near, each, unknown].map(isNear)).toEqual([false, true, true, false]);
    expect(byNearness([unknown, low, near, each])).toEqual([each, near, low, unknown]);
  });
});
