import { priceSheet } from '@tollgate/contracts/catalog';
import type { PriceSheet } from '@tollgate/contracts/catalog';

type RateName = Exclude<keyof PriceSheet, 'longContext' | 'perRequest'>;

/** Rates as numbers of a document; absent: the document has none. */
export type DocumentRates = Partial<Record<RateName, number | undefined>>;

/**
 * A model of a price document: names as the document has them, `also` further ones. `sheet` null: its prices
 * cannot be taken over, for `reason`. `tiers`: the rates that the document itself tells of each step by its
 * threshold; the sheet has those of the base where a step is silent.
 */
export type DocumentEntry = { provider: string; model: string; also?: string[] } & (
  | { sheet: PriceSheet; tiers: ReadonlyMap<number, DocumentRates>; reason: null }
  | { sheet: null; reason: string }
);

/**
 * Prices of a model as a document tells them. `powerOfTen` brings its rates to US dollars per million tokens;
 * `perRequest` is in US dollars already. A tier holds for the whole request, and what it does not tell is as
 * in the base.
 */
export interface DocumentPrices {
  rates: DocumentRates;
  perRequest: number | undefined;
  tiers: { aboveInputTokens: number; rates: DocumentRates }[];
  powerOfTen: number;
}

const tooFine = 'a rate is finer than a millionth of a dollar per million tokens';
const free = 'it is free there; where that is meant, set its prices in tollgate.yaml';

/**
 * Makes a price sheet of what a document tells. Kinds without a rate, or with a rate of 0 beside a price,
 * have none of their own.
 */
export function toEntry(provider: string, model: string, prices: DocumentPrices): DocumentEntry {
  if (!prices.rates.input && !prices.rates.output) return { provider, model, sheet: null, reason: free };
  try {
    const sheet = priceSheet.parse({
      ...decimals(prices.rates, prices.powerOfTen),
      perRequest: prices.perRequest ? decimal(prices.perRequest, 0) : null,
      longContext: prices.tiers.map(({ aboveInputTokens, rates }) => {
        return { aboveInputTokens, ...decimals({ ...prices.rates, ...rates }, prices.powerOfTen) };
      }),
    });
    const tiers = new Map(prices.tiers.map(({ aboveInputTokens, rates }) => [aboveInputTokens, rates]));
    return { provider, model, sheet, tiers, reason: null };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { provider, model, sheet: null, reason: tooFine };
  }
}

function decimals({ input, output, ...kinds }: DocumentRates, powerOfTen: number): Record<string, string> {
  const told = Object.entries(kinds).filter((each): each is [string, number] => Boolean(each[1]));
  return {
    input: decimal(input ?? 0, powerOfTen),
    output: decimal(output ?? 0, powerOfTen),
    ...Object.fromEntries(told.map(([name, rate]) => [name, decimal(rate, powerOfTen)])),
  };
}

function decimal(value: number, powerOfTen: number): string {
  const text = decimalPrice(value, powerOfTen);
  if (text === null) throw new RangeError('not a price of at most six decimals');
  return text;
}

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
function decimalPrice(value: number, powerOfTen: number): string | null {
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
