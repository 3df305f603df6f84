/**
 * Digits of a price document that mean something: what lies beyond is the noise of binary fractions
 * (3.0000000000000004e-7).
 */
const significantDigits = 12;
const fractionDigits = 6;

/**
 * A number of a price document times a power of ten, as a decimal string of at most six decimals: what a
 * price sheet holds. Exact; null for what is no price (negative, not finite) or is finer than a millionth.
 */
export function decimalPrice(value: number, powerOfTen: number): string | null {
  if (!Number.isFinite(value) || value < 0) return null;
  const [mantissa = '0', exponent = '0'] = value.toExponential(significantDigits - 1).split('e');
  const digits = BigInt(mantissa.replace('.', ''));
  // The value is digits * 10^shift; as whole millionths it is digits * 10^(shift + 6).
  const shift = Number(exponent) - (significantDigits - 1) + powerOfTen + fractionDigits;
  const divisor = 10n ** BigInt(Math.max(0, -shift));
  if (digits % divisor !== 0n) return null;
  const millionths = (shift > 0 ? digits * 10n ** BigInt(shift) : digits / divisor).toString();
  const padded = millionths.padStart(fractionDigits + 1, '0');
  const fraction = padded.slice(-fractionDigits).replace(/0+$/, '');
  return `${padded.slice(0, -fractionDigits)}${fraction && `.${fraction}`}`;
}
