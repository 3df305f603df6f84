import { z } from 'zod';
import { usdPerMillion } from '../money';
import { priceHours } from './price-hours';

/**
 * Prices of a model, decimal strings in US dollars per million tokens, `perRequest` in US dollars. Null
 * means: no such rate.
 * Tokens of a kind without a rate of its own are charged at the input or output rate. `cacheWrite5m` and
 * `cacheWrite1h` are the provider's shorter and longer time in the cache (see `tokenUsage`). `longContext`
 * replaces the rates for the whole request when its input is larger than `aboveInputTokens`.
 */
const rates = z.object({
  input: usdPerMillion,
  output: usdPerMillion,
  cachedInput: usdPerMillion.nullable().default(null),
  cacheWrite5m: usdPerMillion.nullable().default(null),
  cacheWrite1h: usdPerMillion.nullable().default(null),
  reasoning: usdPerMillion.nullable().default(null),
  audioInput: usdPerMillion.nullable().default(null),
  audioOutput: usdPerMillion.nullable().default(null),
});
/** What a sheet has a rate for by tokens. */
export const rateNames = rates.keyof().options;
const longContext = z.array(rates.extend({ aboveInputTokens: z.number().int().positive() })).default([]);

/**
 * The price of another way of being served: of a request whose `on` is `value` (see `servedTerms`). Either
 * every rate of the usual way times `factor` (a decimal string), or `rates` in its place. Terms on several
 * stack: a fast answer in one region costs both factors.
 */
const priceTerm = z
  .object({
    on: z.enum(['tier', 'speed', 'region']),
    value: z.string().min(1),
    factor: usdPerMillion.optional(),
    rates: rates.extend({ longContext }).optional(),
  })
  .refine(({ factor, rates: own }) => (factor === undefined) !== (own === undefined), 'needs either factor or rates');
export type PriceTerm = z.infer<typeof priceTerm>;

/**
 * What a price says beside the rates of plain tokens. `hours`: those at which its tokens cost more or less;
 * the moment at which a request ended decides. `units`: US dollars for each use of what is not charged by
 * tokens. `kinds`: US dollars per million tokens of a modality that the provider tells apart; a kind that is
 * absent costs the input or output rate. `markedReads`: the part of the input rate, as a decimal string, that
 * tokens cost which were read from what a caller had marked for the cache; absent: what others of the cache
 * cost. What an answer tells and its price does not say makes the request
 * unpriced.
 */
const priceTerms = z.object({
  served: z.array(priceTerm).optional(),
  hours: z.array(priceHours).optional(),
  units: z.record(z.string(), usdPerMillion).optional(),
  markedReads: usdPerMillion.optional(),
  kinds: z
    .object({
      imageInput: usdPerMillion.optional(),
      videoInput: usdPerMillion.optional(),
      imageOutput: usdPerMillion.optional(),
    })
    .optional(),
});
export type PriceTerms = z.infer<typeof priceTerms>;

export const priceSheet = rates.extend({
  perRequest: usdPerMillion.nullable().default(null),
  longContext,
  terms: priceTerms.optional(),
});
export type PriceSheet = z.infer<typeof priceSheet>;

/** A price that somebody states: a word that is not known would be a rate that nobody is charged. */
export const statedPriceSheet = priceSheet
  .extend({
    longContext: z.array(longContext.unwrap().element.strict()).default([]),
    terms: priceTerms.extend({ kinds: priceTerms.shape.kinds.unwrap().strict().optional() }).strict().optional(),
  })
  .strict();

/** A price that its provider announced: it holds from the instant `from` on, until the next one. */
export const priceChange = z.object({ from: z.iso.datetime(), prices: priceSheet });
export type PriceChange = z.infer<typeof priceChange>;
