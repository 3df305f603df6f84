import { Option } from 'commander';
import { z } from 'zod';
import { readGenaiPricesFacts, readLitellmFacts, readModelsDevFacts } from '../catalog/document-facts';
import type { DocumentFacts } from '../catalog/document-facts';
import { toEntry } from './document-entry';
import type { DocumentEntry, DocumentRates } from './document-entry';
import { readGenaiPrices } from './genai-prices';
import { readLitellm } from './litellm';

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
function readModelsDev(json: unknown): DocumentEntry[] {
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

/** How a price document is read, and what it calls our providers. */
export interface DocumentFormat {
  read: (json: unknown) => DocumentEntry[];
  /** What it tells of models beside their prices. */
  facts: (json: unknown) => DocumentFacts[];
  /** By our provider id; a provider that is not named here is called the same. */
  providerNames: Readonly<Record<string, readonly string[]>>;
  /** Names of routes that may stand before a model's name. */
  routes: readonly string[];
}

export const documentFormats: Readonly<Record<'models.dev' | 'litellm' | 'genai-prices', DocumentFormat>> = {
  'models.dev': {
    read: readModelsDev,
    facts: readModelsDevFacts,
    providerNames: {
      'azure-anthropic': ['azure'],
      bedrock: ['amazon-bedrock'],
      'bedrock-openai': ['amazon-bedrock'],
      fireworks: ['fireworks-ai'],
      moonshot: ['moonshotai'],
      vertex: ['google-vertex'],
      'vertex-anthropic': ['google-vertex-anthropic', 'google-vertex'],
    },
    routes: [],
  },
  litellm: {
    read: readLitellm,
    facts: (json) => readLitellmFacts(json),
    providerNames: {
      alibaba: ['dashscope'],
      bedrock: ['bedrock_converse', 'bedrock'],
      cohere: ['cohere', 'cohere_chat'],
      fireworks: ['fireworks_ai', 'fireworks_ai-embedding-models'],
      google: ['gemini'],
      nvidia: ['nvidia_nim'],
      openai: ['openai', 'text-completion-openai'],
      togetherai: ['together_ai'],
      vertex: ['vertex_ai-language-models', 'vertex_ai-embedding-models', 'vertex_ai'],
      'vertex-anthropic': ['vertex_ai-anthropic_models'],
    },
    routes: [
      ...['azure', 'bedrock', 'cerebras', 'cohere', 'dashscope', 'deepseek', 'fireworks_ai', 'gemini', 'groq'],
      ...['mistral', 'moonshot', 'nvidia_nim', 'openai', 'perplexity', 'together_ai', 'vertex_ai', 'xai', 'zai'],
    ],
  },
  'genai-prices': {
    read: (json) => readGenaiPrices(json),
    facts: readGenaiPricesFacts,
    providerNames: {
      bedrock: ['aws'],
      moonshot: ['moonshotai'],
      togetherai: ['together'],
      vertex: ['google'],
      'vertex-anthropic': ['anthropic'],
      xai: ['x-ai'],
    },
    routes: [],
  },
};

/** What both commands take that import a document. */
export interface ImportOptions {
  from: string;
  format: keyof typeof documentFormats;
  provider?: string;
  apply?: boolean;
}

/** An import changes hundreds of rows in one transaction. */
export const importTimeoutMs = 30_000;

export function fromOption(): Option {
  return new Option('--from <file or URL>', 'such as https://models.dev/api.json').makeOptionMandatory();
}

export function formatOption(): Option {
  return new Option('--format <format>', 'what the document is')
    .choices(Object.keys(documentFormats))
    .default('models.dev');
}
