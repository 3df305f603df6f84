import { priceSheet } from '@tollgate/contracts/catalog';
import { nanoUsdDue } from './nano-usd-due';
import type { UsedTokens } from './nano-usd-due';

describe('what the proofs hold a charge against', () => {
  const sheet = priceSheet.parse({
    ...{ input: '5', output: '25', cachedInput: '0.5', perRequest: '0.001' },
    terms: {
      served: [{ on: 'speed', value: 'fast', factor: '2' }],
      units: { webSearch: '0.01', webFetch: '0' },
      markedReads: '0.085',
    },
  });
  const tokens = { input_tokens: 1_000, output_tokens: 100, cached_input: 400, cache_write_5m: 0, cache_write_1h: 0 };
  const served = { words: [], markedReads: false, units: {}, parts: [] };
  const event = { ...tokens, reasoning: 0, ended_at: new Date('2026-11-24T12:00:00Z'), served };

  it.each<[string, Partial<UsedTokens['served']>, bigint | null]>([
    ['tokens and the price of a request', {}, 6_700_000n],
    ['two searches of the web and a page', { units: { webSearch: 2, webFetch: 1 } }, 26_700_000n],
    ['a speed, which searches do not follow', { words: ['fast'], units: { webSearch: 1 } }, 22_400_000n],
    ['what was marked for the cache, as a part of the input', { markedReads: true }, 6_670_000n],
    ['nobody knows, for a tool without a price', { units: { other: 1 } }, null],
    ['nobody knows, for a tier without a price', { words: ['flex'] }, null],
  ])('is of %s', (_, used, nanos) => {
    expect(nanoUsdDue(sheet, { ...event, served: { ...served, ...used } })).toBe(nanos);
  });
});
