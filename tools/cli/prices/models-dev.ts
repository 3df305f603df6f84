import { z } from 'zod';
import type { DocumentEntry, DocumentRates } from './document-entry';
import { toEntry } from './document-entry';

const rate = z.number().optional();
const rates = z.object({
  input: rate,
  output: rate,
  reasoning: rate,
  cache_read: rate,
  cache_write: rate,
  input_audio: rate,
  output_audio: rate,
});

/**
 * https://models.dev/api.json: US dollars per million tokens, `request` US dollars per 1,000 requests.
 * `cache_write` is the price of the usual lifetime (5 minutes);
 * there is none for an hour. `context_over_200k` is an older form of a tier.
 * https://github.com/anomalyco/models.dev
 */
const cost = rates.extend({
  request: rate,
  tiers: z.array(rates.extend({ tier: z.object({ size: z.number().int().positive() }) })).optional(),
  context_over_200k: rates.optional(),
});
const document = z.record(z.string(), z.object({ models: z.record(z.string(), z.object({ cost: cost.optional() })) }));

/**
 * Reads the price document of models.dev. Models without a price are left out.
 * @throws ZodError when it is none.
 */
export function readModelsDev(json: unknown): DocumentEntry[] {
  return Object.entries(document.parse(json)).flatMap(([provider, { models }]) =>
    Object.entries(models).flatMap(([model, { cost: prices }]) => (prices ? [entry(provider, model, prices)] : [])),
  );
}

function entry(provider: string, model: string, prices: z.output<typeof cost>): DocumentEntry {
  const { tiers, context_over_200k: older, request } = prices;
  const told = tiers?.map(({ tier, ...tierRates }) => ({ aboveInputTokens: tier.size, rates: toRates(tierRates) }));
  const fallback = older ? [{ aboveInputTokens: 200_000, rates: toRates(older) }] : [];
  return toEntry(provider, model, {
    rates: toRates(prices),
    perRequest: request === undefined ? undefined : request / 1_000,
    tiers: told ?? fallback,
    powerOfTen: 0,
  });
}

function toRates(prices: z.output<typeof rates>): DocumentRates {
  return withoutAbsent({
    input: prices.input,
    output: prices.output,
    reasoning: prices.reasoning,
    cachedInput: prices.cache_read,
    cacheWrite5m: prices.cache_write,
    audioInput: prices.input_audio,
    audioOutput: prices.output_audio,
  });
}

/** A tier's rate that is absent must not hide the base's. */
function withoutAbsent(told: DocumentRates): DocumentRates {
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
}
