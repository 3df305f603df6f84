import { priceSheet } from '@tollgate/contracts';
import { toPriceColumns } from '@tollgate/database';
import type { NewestPrice } from './price-changes';
import { firstPriceLeadMs, priceChanges } from './price-changes';

const at = Date.UTC(2026, 10, 20);
const sheet = (input: string) => priceSheet.parse({ input, output: '9' });
const priced = (model: string, input: string) => ({ model, prices: sheet(input), source: 'test' });
const row = (model: string, input: string, validFrom: number, validTo: number | null = null): NewestPrice => ({
  id: `row of ${model}`,
  model,
  ...toPriceColumns(sheet(input)),
  validFrom: new Date(validFrom),
  validTo: validTo === null ? null : new Date(validTo),
});

describe('priceChanges', () => {
  it('changes nothing for the same sheet, however it is written', () => {
    expect(priceChanges([row('a', '2.5', 5)], [priced('a', '2.50')], at)).toEqual({ ended: [], begun: [] });
  });

  it('begins the first price of a model early enough for every usage of it', () => {
    const { ended, begun } = priceChanges([], [priced('a', '2.5')], at);
    expect(ended).toEqual([]);
    expect(begun).toEqual([
      expect.objectContaining({ model: 'a', inputPico: 2_500_000n, validFrom: new Date(at - firstPriceLeadMs) }),
    ]);
  });

  it('ends the old interval where the new one begins', () => {
    const { ended, begun } = priceChanges([row('a', '2', 5)], [priced('a', '3')], at);
    expect(ended).toEqual([{ id: 'row of a', validTo: new Date(at) }]);
    expect(begun).toEqual([expect.objectContaining({ inputPico: 3_000_000n, validFrom: new Date(at) })]);
  });

  it('never makes an interval that is empty or runs backwards, even when the clock does', () => {
    const { ended, begun } = priceChanges([row('a', '2', at + 60_000)], [priced('a', '3')], at);
    expect(ended[0]?.validTo).toEqual(new Date(at + 60_001));
    expect(begun[0]?.validFrom).toEqual(new Date(at + 60_001));
  });

  it('ends the price of a model that has none any more, once', () => {
    expect(priceChanges([row('a', '2', 5)], [], at).ended).toEqual([{ id: 'row of a', validTo: new Date(at) }]);
    expect(priceChanges([row('a', '2', 5, 10)], [], at)).toEqual({ ended: [], begun: [] });
  });

  it('begins anew after an ended price, never over it', () => {
    expect(priceChanges([row('a', '2', 5, 10)], [priced('a', '2')], at).begun[0]?.validFrom).toEqual(new Date(at));
    const later = at + 1_000;
    expect(priceChanges([row('a', '2', 5, later)], [priced('a', '2')], at).begun[0]?.validFrom).toEqual(
      new Date(later),
    );
  });

  it('sees a change of a long-context tier', () => {
    const tiered = priceSheet.parse({
      input: '2',
      output: '9',
      longContext: [{ aboveInputTokens: 100, input: '4', output: '9' }],
    });
    const changes = priceChanges([row('a', '2', 5)], [{ model: 'a', prices: tiered, source: 'test' }], at);
    expect(changes.begun[0]?.longContext).toEqual(tiered.longContext);
  });
});
