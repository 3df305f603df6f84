import { countTextTokens } from '@tollgate/dialects';
import { textOf } from './pieces';
import { saidBy } from './sentences';

it('speaks in sentences, each piece of which is a token, alone and beside the others', () => {
  const pieces = saidBy(1, 3_000);
  expect(pieces).toHaveLength(3_000);
  expect([...new Set(pieces.map(({ text }) => text))].filter((text) => countTextTokens(text) !== 1)).toEqual([]);
  expect(countTextTokens(textOf(pieces))).toBe(3_000);
  expect(textOf(saidBy(1, 60))).toMatch(/^( [A-Z][\w ,:]+\.)+/);
});

it('says the same to the same seed, and other things to others', () => {
  expect(saidBy(7, 20)).toEqual(saidBy(7, 20));
  expect(new Set([1, 2, 3, 4, 5].map((seed) => textOf(saidBy(seed, 20)))).size).toBeGreaterThan(3);
});
