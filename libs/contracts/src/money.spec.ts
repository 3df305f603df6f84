import fc from 'fast-check';
import { decimalFromNanoUsd, nanoUsdFromDecimal } from './money';

const nanos = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });

describe('money', () => {
  it('survives the way to a decimal string and back, to the nano-dollar', () => {
    fc.assert(fc.property(nanos, (amount) => nanoUsdFromDecimal(decimalFromNanoUsd(amount)) === amount));
  });

  it('adds up exactly, where binary fractions would not', () => {
    fc.assert(
      fc.property(fc.array(nanos), (amounts) => {
        const sum = amounts.reduce((total, amount) => total + nanoUsdFromDecimal(decimalFromNanoUsd(amount)), 0n);
        return sum === amounts.reduce((total, amount) => total + amount, 0n);
      }),
    );
    expect(decimalFromNanoUsd(nanoUsdFromDecimal('0.1') + nanoUsdFromDecimal('0.2'))).toBe('0.3');
  });

  it.each([
    [0n, '0'],
    [1n, '0.000000001'],
    [-1n, '-0.000000001'],
    [1_500_000_000n, '1.5'],
    [-1_500_000_000n, '-1.5'],
    [10_000_000_000n, '10'],
    [123_456_789_012_345_678n, '123456789.012345678'],
  ])('writes %d nano-dollars as %s, without trailing zeros', (amount, decimal) => {
    expect(decimalFromNanoUsd(amount)).toBe(decimal);
    expect(nanoUsdFromDecimal(decimal)).toBe(amount);
  });

  it('reads trailing and leading zeros', () => {
    expect(nanoUsdFromDecimal('007.500000000')).toBe(7_500_000_000n);
  });

  it('reads minus zero as zero', () => {
    expect(nanoUsdFromDecimal('-0')).toBe(0n);
  });

  it.each(['', ' 1', '1 ', '+1', '.5', '5.', '1,5', '1e3', '0x10', 'NaN', 'Infinity', '1.0000000001', '1\n', '١'])(
    'refuses %j rather than guess or round',
    (text) => {
      expect(() => nanoUsdFromDecimal(text)).toThrow(RangeError);
    },
  );
});
