import { priceSheet } from '@tollgate/contracts/catalog';
import { fromPicoPerToken, fromPriceColumns, toPicoPerToken, toPriceColumns } from './price-columns';

describe('prices as columns', () => {
  it.each([
    ['0', 0n],
    ['0.000001', 1n],
    ['2.5', 2_500_000n],
    ['15', 15_000_000n],
    ['0.075', 75_000n],
    ['1000.123456', 1_000_123_456n],
  ])('holds %s dollars per million tokens exactly', (usd, pico) => {
    expect(toPicoPerToken(usd)).toBe(pico);
    expect(fromPicoPerToken(pico)).toBe(usd);
  });

  it('gives a sheet back as it was written, tiers and request price included', () => {
    const sheet = priceSheet.parse({
      input: '1.25',
      output: '10',
      cachedInput: '0.125',
      perRequest: '0.01',
      longContext: [{ aboveInputTokens: 200_000, input: '2.5', output: '15' }],
      terms: { served: [{ on: 'tier', value: 'flex', factor: '0.5' }], units: { webSearch: '0.01' } },
    });
    expect(fromPriceColumns(toPriceColumns(sheet))).toEqual(sheet);
    expect(toPriceColumns(sheet).perRequestPico).toBe(10_000_000_000n);
  });
});
