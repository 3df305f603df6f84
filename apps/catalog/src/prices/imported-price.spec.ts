import { priceSheet } from '@tollgate/contracts/catalog';
import { pricesInForce } from './imported-price';

const prices = priceSheet.parse({ input: '2', output: '9' });

/** The day of the price of a model whose catalog and confirmation are of these days. */
function dayInForce(day: string | null, confirmed: string): string | null | undefined {
  const importedAt = new Date(confirmed);
  const origins = {
    models: [{ id: 'a/b' }],
    priced: [{ model: 'a/b', prices, source: 'seed', day }],
    operatorPriced: new Set<string>(),
  };
  const imported = new Map([['a/b', { prices, source: 'document', importedAt, confirms: true }]]);
  return pricesInForce(origins, imported)[0]?.day;
}

describe('the day of a price that a document confirmed', () => {
  it('is that of the catalog, where a later release read it anew', () => {
    expect(dayInForce('2026-12-15', '2026-11-20')).toBe('2026-12-15');
  });

  it.each(['2026-08-01', null])('is that of the document where the catalog is older (%s)', (day) => {
    expect(dayInForce(day, '2026-11-20')).toBe('2026-11-20');
  });
});
