import { z } from 'zod';
import type { DocumentEntry, DocumentPrices, DocumentRates } from './document-entry';
import { toEntry } from './document-entry';

/** What LiteLLM calls the rates of ours. */
const rateFields = {
  input: 'input_cost_per_token',
  output: 'output_cost_per_token',
  cachedInput: 'cache_read_input_token_cost',
  cacheWrite5m: 'cache_creation_input_token_cost',
  cacheWrite1h: 'cache_creation_input_token_cost_above_1hr',
  reasoning: 'output_cost_per_reasoning_token',
  audioInput: 'input_cost_per_audio_token',
  audioOutput: 'output_cost_per_audio_token',
} as const;
const tierField = /_above_(\d+)k_tokens$/;
const rateNames: ReadonlySet<string> = new Set(Object.values(rateFields));
/** Other kinds (images, speech, search) are charged by other units. */
const modes = ['chat', 'completion', 'responses', 'embedding'];

const model = z.looseObject({
  litellm_provider: z.string(),
  mode: z.string().optional(),
  input_cost_per_request: z.number().nullish(),
  tiered_pricing: z.array(z.looseObject({ range: z.tuple([z.number(), z.number()]) })).nullish(),
});
type Model = z.output<typeof model>;

/**
 * Reads LiteLLM's `model_prices_and_context_window.json`: US dollars per token, `input_cost_per_request` US
 * dollars. A key is the model's name, often behind the name of a route (`groq/llama-3.3-70b`). Entries
 * without a price by token are left out. @throws ZodError when it is no such document.
 * https://docs.litellm.ai/docs/provider_registration/add_model_pricing
 */
export function readLitellm(json: unknown): DocumentEntry[] {
  return Object.entries(z.record(z.string(), z.unknown()).parse(json)).flatMap(([key, value]) => {
    const read = model.safeParse(value);
    // The first entry documents the fields, and is no model.
    if (!read.success || key === 'sample_spec' || !modes.includes(read.data.mode ?? 'chat')) return [];
    const prices = pricesOf(read.data);
    return prices ? [toEntry(read.data.litellm_provider, key, prices)] : [];
  });
}

function pricesOf(entry: Model): DocumentPrices | null {
  const bands = (entry.tiered_pricing ?? []).toSorted((a, b) => a.range[0] - b.range[0]);
  const rates = ratesOf(bands[0] ?? entry, '');
  if (rates.input === undefined && rates.output === undefined) return null;
  const steps = bands.slice(1).map((band) => ({ aboveInputTokens: band.range[0], rates: ratesOf(band, '') }));
  return {
    rates,
    perRequest: entry.input_cost_per_request ?? undefined,
    tiers: [...steps, ...namedTiers(entry)],
    powerOfTen: 6,
  };
}

/** Whether a field is a rate, also one of a tier. */
export function isLitellmRate(field: string): boolean {
  return rateNames.has(field.replace(tierField, ''));
}

/** The rates that fields of these names say, US dollars a token, and those of tiers, the lowest first. */
export function litellmRates(entry: Readonly<Record<string, unknown>>): Pick<DocumentPrices, 'rates' | 'tiers'> {
  const tiers = namedTiers(entry).toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens);
  return { rates: ratesOf(entry, ''), tiers };
}

/** Tiers that stand in the names of fields: `input_cost_per_token_above_200k_tokens`. */
function namedTiers(entry: Readonly<Record<string, unknown>>): DocumentPrices['tiers'] {
  const thresholds = new Set(Object.keys(entry).flatMap((field) => tierField.exec(field)?.[1] ?? []));
  return [...thresholds].flatMap((thousands) => {
    const rates = ratesOf(entry, `_above_${thousands}k_tokens`);
    const isTier = Object.keys(rates).length > 0;
    return isTier ? [{ aboveInputTokens: Number(thousands) * 1_000, rates }] : [];
  });
}

function ratesOf(entry: Readonly<Record<string, unknown>>, suffix: string): DocumentRates {
  return Object.fromEntries(
    Object.entries(rateFields).flatMap(([name, field]) => {
      const value = entry[`${field}${suffix}`];
      return typeof value === 'number' ? [[name, value]] : [];
    }),
  );
}
