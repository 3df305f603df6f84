import { z } from 'zod';

/** US dollars as a whole number of nano-dollars (1e-9 USD): the only form in which money is added or stored. */
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

/**
 * What a deployment costs beside the model's price, as fractions in decimal strings. `discount`: what the operator's contract there takes off every charge;
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

/** Those of a deployment; undefined: it costs what the model does. */
export function priceFactorsOf({ discount, markup }: PriceFactors): PriceFactors | undefined {
  if (discount === undefined && markup === undefined) return undefined;
  return { ...(discount !== undefined && { discount }), ...(markup !== undefined && { markup }) };
}
