import { z } from 'zod';

/**
 * US dollars as a whole number of nano-dollars (1e-9 USD): the only form in which money is added or stored.
 */
export type NanoUsd = bigint;

const nanosPerUsd = 1_000_000_000n;

/**
 * Reads a decimal string of US dollars into nano-dollars.
 * @throws RangeError for anything that is not a plain decimal with at most nine fraction digits.
 */
export function nanoUsdFromDecimal(decimal: string): NanoUsd {
  const match = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(decimal);
  if (!match) throw new RangeError(`not a decimal amount of at most nine fraction digits: ${JSON.stringify(decimal)}`);
  const [, sign, whole = '0', fraction = ''] = match;
  const nanos = BigInt(whole) * nanosPerUsd + BigInt(fraction.padEnd(9, '0'));
  return sign ? -nanos : nanos;
}

/** Writes nano-dollars as a decimal string of US dollars, without trailing zeros: 1500000000n is "1.5". */
export function decimalFromNanoUsd(nanos: NanoUsd): string {
  const sign = nanos < 0n ? '-' : '';
  const absolute = nanos < 0n ? -nanos : nanos;
  const fraction = (absolute % nanosPerUsd).toString().padStart(9, '0').replace(/0+$/, '');
  return `${sign}${absolute / nanosPerUsd}${fraction && `.${fraction}`}`;
}

/** A price for a million of something, or a factor of one: at most six decimals. */
export const usdPerMillion = z.string().regex(/^\d+(\.\d{1,6})?$/, 'a decimal string, US dollars per million tokens');

const decimalNumber = /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;

/**
 * Reads a decimal amount, in whatever notation of JSON, into whole pico-dollars (1e-12 USD), rounded half
 * away from zero. `unitPlaces`: how many places the unit stands behind the dollar, 2 for cents.
 * @throws RangeError for anything that is not a number.
 */
export function picoUsdFromDecimal(decimal: string, unitPlaces = 0): bigint {
  const match = decimalNumber.exec(decimal.trim());
  if (!match) throw new RangeError(`not a decimal amount: ${JSON.stringify(decimal)}`);
  const [, sign, whole = '0', fraction = '', exponent = '0'] = match;
  // One place more than is kept, to round by.
  const shift = 13 - unitPlaces + Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  const tenths = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  const picos = (tenths + 5n) / 10n;
  return sign ? -picos : picos;
}

/** Writes pico-dollars as a decimal string of US dollars, without trailing zeros. */
export function decimalFromPicoUsd(picos: bigint): string {
  const sign = picos < 0n ? '-' : '';
  const digits = (picos < 0n ? -picos : picos).toString().padStart(13, '0');
  const fraction = digits.slice(-12).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -12)}${fraction && `.${fraction}`}`;
}

/**
 * What a deployment costs beside the model's price, as fractions in decimal strings. `discount`: what the
 * operator's contract there takes off every charge;
 * `markup`: what comes on top of what is left. Absent: nothing.
 */
export const priceFactors = z.object({
  discount: z
    .string()
    .regex(/^0(\.\d{1,6})?$/, 'a fraction below 1, such as 0.15')
    .optional(),
  markup: z
    .string()
    .regex(/^\d{1,3}(\.\d{1,6})?$/, 'a fraction, such as 0.2')
    .optional(),
});
export type PriceFactors = z.infer<typeof priceFactors>;

/**
 * What stands in the place of a discount where `factors` hold: a service of a release that does not know
 * those cannot read the deployment, leaves it out, and so charges nobody without them.
 */
export const byInstant = 'by instant';

/**
 * What a deployment has of them. `factors`: those that administrators set, in the place of its own, each
 * with the instant from which it holds (epoch milliseconds), in their order; `dearestMarkup`: the largest
 * markup of those that hold within `clockBoundMs` or are to come, by which budgets reserve.
 */
export const placeFactors = z.object({
  discount: priceFactors.shape.discount.or(z.literal(byInstant)),
  markup: priceFactors.shape.markup,
  factors: z.array(priceFactors.extend({ from: z.number() })).optional(),
  dearestMarkup: priceFactors.shape.markup,
});

/**
 * Those of a deployment for a request that started at `at` (epoch milliseconds); undefined: it costs what the
 * model does.
 */
export function priceFactorsOf(place: z.infer<typeof placeFactors>, at: number): PriceFactors | undefined {
  const { discount, markup } = place.factors ? (place.factors.findLast(({ from }) => from <= at) ?? {}) : place;
  if (discount === undefined && markup === undefined) return undefined;
  return { ...(discount !== undefined && { discount }), ...(markup !== undefined && { markup }) };
}
