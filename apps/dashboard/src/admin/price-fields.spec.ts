import { priceSheet } from '@tollgate/contracts/catalog';
import { factorDoubts, priceFields, priceFieldsOf, priceWishOf } from './price-fields';
import { sheetText } from './price-text';

const longContext = [{ aboveInputTokens: 200_000, input: '6', output: '18' }];
const before = priceSheet.parse({ input: '3', output: '9', cachedInput: '0.3', longContext });

describe('what is typed of a price', () => {
  it('begins with the one that is known, and keeps its steps for long inputs', () => {
    const fields = priceFieldsOf('a/b', before);
    expect(priceFields.safeParse(fields).success).toBe(true);
    expect(priceWishOf({ ...fields, output: '10', cachedInput: ' ' }, before)).toEqual({
      model: 'a/b',
      prices: { ...before, output: '10', cachedInput: null },
    });
  });

  it('has a time of this place, and a reason, where they are given', () => {
    const fields = { ...priceFieldsOf('a/b', before), from: '2027-01-31T08:30', reason: ' why ' };
    expect(priceWishOf(fields, null)).toMatchObject({
      ...{ from: new Date(2027, 0, 31, 8, 30).getTime(), reason: 'why' },
      prices: { longContext: [] },
    });
  });

  it.each([
    ['input', ''],
    ['output', '-1'],
    ['cachedInput', '0,3'],
    ['perRequest', '0.0000001'],
  ])('is not %s "%s"', (name, value) => {
    const { error } = priceFields.safeParse({ ...priceFieldsOf('a/b', before), [name]: value });
    expect(error?.issues).toMatchObject([{ path: [name] }]);
  });
});

it('a price in a line says where there is more to it', () => {
  expect(sheetText(before)).toBe('$3 in, $0.3 cached, $9 out, and more');
  expect(sheetText(null)).toBe('not known');
});

it('is doubted where a deployment is not there, and where a markup is more than the price', () => {
  expect(factorDoubts('a:b', { discount: '0.1', markup: '1' }, true)).toEqual([]);
  expect(factorDoubts('a:b', { markup: '20' }, false)).toEqual([
    'There is no deployment a:b now: this would be for one that is to come.',
    'A markup of 20 is 2,000 %. For 20 % say 0.2.',
  ]);
});
