import { noUsage, priceSheet } from '@tollgate/contracts';
import type { PriceSheet, TokenUsage } from '@tollgate/contracts';
import type { z } from 'zod';
import { toRateSheet } from './rate-sheet';
import { rateUsage } from './rate-usage';

const cost = (sheet: z.input<typeof priceSheet>, usage: Partial<TokenUsage>, completed = true) =>
  rateUsage(toRateSheet(priceSheet.parse(sheet)), { ...noUsage, ...usage }, completed);

const plain = { input: '2.5', output: '10' };
const rich: Partial<PriceSheet> & typeof plain = {
  ...plain,
  cachedInput: '0.25',
  cacheWrite5m: '3.125',
  cacheWrite1h: '5',
  reasoning: '12',
  audioInput: '40',
  audioOutput: '80',
};
const everyKind = {
  input: 1_000,
  cachedInput: 100,
  cacheWrite5m: 200,
  cacheWrite1h: 300,
  audioInput: 50,
  output: 500,
  reasoning: 60,
  audioOutput: 40,
};

describe('rateUsage', () => {
  it.each([
    ['input and output tokens', plain, { input: 1_000, output: 100 }, 3_500_000n],
    ['nothing for nothing', plain, {}, 0n],
    // 350*2500 + 100*250 + 200*3125 + 300*5000 + 50*40000 and 400*10000 + 60*12000 + 40*80000 nano-dollars
    ['every kind at its own rate', rich, everyKind, 12_945_000n],
    ['kinds without a rate of their own as input and output', plain, everyKind, 7_500_000n],
    ['half a nano-dollar up', { input: '0.0005', output: '0' }, { input: 1 }, 1n],
    ['less than half a nano-dollar down', { input: '0.000499', output: '0' }, { input: 1 }, 0n],
    ['the event once, not every part', { input: '0.0004', output: '0.0004' }, { input: 1, output: 1 }, 1n],
    [
      'amounts beyond 2^53 exactly',
      { input: '999.999999', output: '0' },
      { input: 9_999_999_999 },
      9_999_999_989_000_000n,
    ],
    [
      'no more tokens than the total, whatever its parts claim',
      rich,
      { input: 10, cachedInput: 8, audioInput: 5 },
      82_000n,
    ],
  ])('charges %s', (_, sheet, usage, nanos) => {
    expect(cost(sheet, usage)).toBe(nanos);
  });

  const tiered = {
    ...plain,
    longContext: [
      { aboveInputTokens: 200, input: '5', output: '20' },
      { aboveInputTokens: 500, input: '7', output: '30', cachedInput: '1' },
    ],
  };
  it.each([
    [200, 510_000n],
    [201, 1_025_000n],
    [500, 2_520_000n],
    [501, 3_537_000n],
  ])('charges all %d input tokens at the rates of their tier, beginning above its threshold', (input, nanos) => {
    expect(cost(tiered, { input, output: 1 })).toBe(nanos);
  });

  it('charges the price of a request when it was completed or used a token, and not for a plain failure', () => {
    const sheet = { ...plain, perRequest: '0.01' };
    expect(cost(sheet, {})).toBe(10_000_000n);
    expect(cost(sheet, { input: 2 }, false)).toBe(10_005_000n);
    expect(cost(sheet, {}, false)).toBe(0n);
  });
});
