import { otherPricesOf } from './price-lines';

const usual = { input: '2.5', output: '15', cachedInput: '0.25', cacheWrite: null };

it('has nothing to add to a price that is the same in every case', () => {
  expect(otherPricesOf(usual)).toEqual([]);
});

it('tells the rates of long inputs as they are, and multiplies those of a tier, exactly', () => {
  const longContext = [{ aboveInputTokens: 272_000, input: '5', output: '22.5', cachedInput: '0.5', cacheWrite: null }];
  const served = [
    { on: 'tier', value: 'flex', factor: '0.5', rates: null },
    { on: 'speed', value: 'fast', factor: null, rates: { ...usual, input: '15.000001' } },
  ];
  expect(otherPricesOf({ ...usual, longContext, served })).toEqual([
    {
      when: 'More than 272,000 tokens of input',
      ...{ input: 5_000_000_000n, cachedInput: 500_000_000n, cacheWrite: null, output: 22_500_000_000n },
    },
    {
      when: 'Tier flex',
      ...{ input: 1_250_000_000n, cachedInput: 125_000_000n, cacheWrite: null, output: 7_500_000_000n },
    },
    {
      when: 'Speed fast',
      ...{ input: 15_000_001_000n, cachedInput: 250_000_000n, cacheWrite: null, output: 15_000_000_000n },
    },
  ]);
});
