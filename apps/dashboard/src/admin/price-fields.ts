import { largeMarkup } from '@tollgate/contracts/catalog';
import { z } from 'zod/mini';
import type { PriceFactors, PriceWish, ToldPrice } from '../api/prices';

const amount = /^\d+(\.\d{1,6})?$/;
const told = 'Enter dollars, such as 2.5; six places at most.';
const rate = z.string().check(z.regex(amount, told));
const rateOrNone = z.string().check(z.refine((value) => value.trim() === '' || amount.test(value.trim()), told));

/** What is typed of a price; an empty rate is none. `from`: local time, empty: in ten minutes. */
export const priceFields = z.object({
  model: z.string().check(z.minLength(1, 'Enter the id of a model.'), z.maxLength(200, 'This is too long.')),
  input: rate,
  output: rate,
  cachedInput: rateOrNone,
  cacheWrite5m: rateOrNone,
  cacheWrite1h: rateOrNone,
  reasoning: rateOrNone,
  audioInput: rateOrNone,
  audioOutput: rateOrNone,
  perRequest: rateOrNone,
  from: z.string(),
  reason: z.string(),
});
type PriceFields = z.infer<typeof priceFields>;

export const otherRates = [
  ['cachedInput', 'Input read from a cache'],
  ['cacheWrite5m', 'Written to a cache, shorter'],
  ['cacheWrite1h', 'Written to a cache, longer'],
  ['reasoning', 'Reasoning'],
  ['audioInput', 'Sound that is heard'],
  ['audioOutput', 'Sound that is made'],
  ['perRequest', 'For each request'],
] as const;

/** The fields of a price that is known; null: empty ones. */
export function priceFieldsOf(model: string, sheet: ToldPrice['prices']): PriceFields {
  const rates = Object.fromEntries(otherRates.map(([name]) => [name, sheet?.[name] ?? '']));
  const empty = { cachedInput: '', cacheWrite5m: '', cacheWrite1h: '', reasoning: '', audioInput: '', audioOutput: '' };
  return {
    ...{ ...empty, perRequest: '', ...rates },
    ...{ model, input: sheet?.input ?? '', output: sheet?.output ?? '', from: '', reason: '' },
  };
}

/** A price as typed, with the steps for long inputs of the one `before`. */
export function priceWishOf(fields: PriceFields, before: ToldPrice['prices']): PriceWish {
  const { model, input, output, from, reason } = fields;
  const rateOf = (name: (typeof otherRates)[number][0]) => fields[name].trim() || null;
  const longContext = before?.longContext ?? [];
  return {
    model: model.trim(),
    prices: {
      ...{ input, output, longContext, perRequest: rateOf('perRequest'), cachedInput: rateOf('cachedInput') },
      ...{ cacheWrite5m: rateOf('cacheWrite5m'), cacheWrite1h: rateOf('cacheWrite1h') },
      ...{ reasoning: rateOf('reasoning'), audioInput: rateOf('audioInput'), audioOutput: rateOf('audioOutput') },
    },
    ...whenAndWhy({ from, reason }),
  };
}

/** `from` as it is typed, local time; empty: what is usual. */
export function whenAndWhy({ from, reason }: Pick<PriceFields, 'from' | 'reason'>): Pick<PriceWish, 'from' | 'reason'> {
  const why = reason.trim();
  return { ...(from !== '' && { from: new Date(from).getTime() }), ...(why !== '' && { reason: why }) };
}

/** What makes one ask again before a discount or markup is set. `isKnown`: the catalog has the deployment. */
export function factorDoubts(deployment: string, factors: PriceFactors, isKnown: boolean): string[] {
  const large = largeMarkup(factors);
  return [
    ...(isKnown ? [] : [`There is no deployment ${deployment} now: this would be for one that is to come.`]),
    ...(large === null ? [] : [large]),
  ];
}
