import { costOf, formatExactMoney, formatMoney, formatPicoMoney, formatPrice, unpricedWords } from './money';

const locale = 'en-US';

describe('money', () => {
  it.each([
    ['0', '$0.00'],
    ['1', '$0.000000001'],
    ['1834567', '$0.00183'],
    ['10000000', '$0.01'],
    ['123456789', '$0.1235'],
    ['1000000000', '$1.00'],
    ['1234567890123', '$1,234.57'],
    ['-2500000000', '-$2.50'],
  ])('%s nano-dollars are %s', (nanos, text) => expect(formatMoney(nanos, locale)).toBe(text));

  it.each([
    [3, 0, null],
    [3, 2, '2 unpriced'],
    [3, 3, 'unpriced'],
    [0, 0, null],
  ])('of %d requests, %d without a price, says %j', (requests, unpricedRequests, words) =>
    expect(unpricedWords({ requests, unpricedRequests })).toBe(words),
  );

  it('keeps sums that no float can hold', () => {
    expect(formatMoney('9007199254740993000000001', locale)).toBe('$9,007,199,254,740,993.00');
    expect(formatExactMoney('9007199254740993000000001', locale)).toBe('$9,007,199,254,740,993.000000001');
  });

  it('shows every digit of one charge', () => expect(formatExactMoney('1834567', locale)).toBe('$0.001834567'));

  it('shows every digit of a line, which has more of them', () =>
    expect(formatPicoMoney('1834567001', locale)).toBe('$0.001834567001'));

  it('follows the locale', () => expect(formatMoney('1234560000000', 'de-DE')).toMatch(/^1\.234,56\s\$$/));

  it('writes prices as they are told', () => expect(formatPrice('0.075', locale)).toBe('$0.075'));
});

describe('the cost of tokens', () => {
  it.each([
    [1_000_000, '2.50', 2_500_000_000n],
    [1, '0.25', 250n],
    [3, '0.075', 225n],
    [1, '0.000499', 0n],
    [1, '0.0005', 1n],
    [0, '15', 0n],
  ])('%d at %s', (tokens, price, nanos) => expect(costOf(tokens, price)).toBe(nanos));
});
