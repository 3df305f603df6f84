import { modelKind } from '@tollgate/contracts';
import { priceHours, type CatalogModel, type PriceSheet } from '@tollgate/contracts/catalog';
import { z } from 'zod';

const usdPerMillion = z.string().nullable().describe('US dollars per million tokens, a decimal string');

const day = z.iso.date().nullable();

const rates = z.object({
  input: usdPerMillion,
  output: usdPerMillion,
  cached_input: usdPerMillion,
  cache_write: usdPerMillion.describe('For minutes; null: as input'),
  cache_write_1h: usdPerMillion.describe('For hours; null: as input'),
  reasoning: usdPerMillion.describe('Null: as output'),
  audio_input: usdPerMillion,
  audio_output: usdPerMillion,
});
type Rates = z.infer<typeof rates>;

const longContext = z
  .array(rates.extend({ above_input_tokens: z.number().int() }))
  .describe('The rates of a request whose input is larger');

/** What a model costs. Null: there is no such rate. */
const pricing = rates.extend({
  per_request: z.string().nullable().describe('US dollars, a decimal string'),
  long_context: longContext,
  served: z
    .array(
      z.object({
        on: z.enum(['tier', 'speed', 'region']),
        value: z.string(),
        factor: z.string().nullable().describe('Of every rate; null: it has rates of its own'),
        rates: rates.extend({ long_context: longContext }).nullable(),
      }),
    )
    .describe('What it costs where it is served in another way'),
  marked_reads: z
    .string()
    .nullable()
    .describe(
      'The part of the input rate, a decimal string, that tokens cost which were read from what the caller marked for the cache; null: as cached_input',
    ),
  units: z.record(z.string(), z.string()).describe('US dollars for each use of what is not charged by tokens'),
  image_input: usdPerMillion,
  video_input: usdPerMillion,
  image_output: usdPerMillion,
  hours: z
    .array(priceHours)
    .describe(
      'Hours (UTC; 1 is Monday) at which every rate is multiplied by a factor; the end of a request decides. Empty: it costs the same at all hours',
    ),
  unconfirmed: z
    .boolean()
    .describe('Sources disagree, the provider itself was not seen to say it, or it has parts that are not told here'),
});

/**
 * A model as GET /v1/models tells it: OpenAI's fields first, then ours. `pricing` null: the price is not
 * known.
 */
export const modelEntry = z
  .object({
    id: z.string().describe('Model id, provider/model'),
    object: z.literal('model'),
    created: z.number().int().describe('Unix time of its release'),
    owned_by: z.string().describe('Provider'),
    kind: modelKind.describe('What it is asked for'),
    name: z.string(),
    context_window: z.number().int().nullable(),
    max_output_tokens: z.number().int().nullable(),
    input_modalities: z.array(z.string()),
    output_modalities: z.array(z.string()),
    capabilities: z.object({
      streaming: z.boolean(),
      tools: z.boolean(),
      vision: z.boolean(),
      reasoning: z.boolean(),
      structured_output: z.boolean(),
    }),
    reasoning_efforts: z
      .array(z.string())
      .nullable()
      .describe('Efforts of reasoning that it takes, ascending; null: not known'),
    pricing: pricing.nullable(),
    status: z.enum(['active', 'preview', 'deprecated']),
    shutdown_date: day.describe('First day (UTC) on which its provider does not serve it; null: none is known'),
    deprecation_date: day.describe(
      'Since when its provider advises against it; null: it does not, or that is not known',
    ),
    successor: z.string().nullable().describe('Model to use instead'),
  })
  .describe('A model of the live catalog');
export type ModelEntry = z.infer<typeof modelEntry>;

export const modelList = z.object({ object: z.literal('list'), data: z.array(modelEntry) });

export function toModelEntry(model: CatalogModel): ModelEntry {
  const { capabilities, prices, retirement } = model;
  return {
    id: model.id,
    object: 'model',
    created: model.created,
    owned_by: model.provider,
    kind: model.kind,
    name: model.name,
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    input_modalities: model.inputModalities,
    output_modalities: model.outputModalities,
    capabilities: {
      streaming: capabilities.streaming,
      tools: capabilities.tools,
      vision: capabilities.vision,
      reasoning: capabilities.reasoning,
      structured_output: capabilities.structuredOutput,
    },
    reasoning_efforts: model.reasoningEfforts ?? null,
    pricing: prices && toPricing(prices, model.priceUnconfirmed),
    status: model.status,
    shutdown_date: retirement?.date ?? null,
    deprecation_date: retirement?.deprecated ?? null,
    successor: retirement?.successor ?? null,
  };
}

function toPricing({ terms = {}, longContext, perRequest, ...plain }: PriceSheet, unconfirmed: boolean) {
  return {
    ...toRates(plain),
    per_request: perRequest,
    long_context: longContext.map(toStep),
    served: (terms.served ?? []).map(({ on, value, factor = null, rates: own }) => ({
      on,
      value,
      factor,
      rates: own ? { ...toRates(own), long_context: own.longContext.map(toStep) } : null,
    })),
    marked_reads: terms.markedReads ?? null,
    units: terms.units ?? {},
    image_input: terms.kinds?.imageInput ?? null,
    video_input: terms.kinds?.videoInput ?? null,
    image_output: terms.kinds?.imageOutput ?? null,
    hours: terms.hours ?? [],
    unconfirmed,
  };
}

type LongContextStep = PriceSheet['longContext'][number];

function toStep({ aboveInputTokens, ...own }: LongContextStep) {
  return { above_input_tokens: aboveInputTokens, ...toRates(own) };
}

function toRates(given: Omit<LongContextStep, 'aboveInputTokens'>): Rates {
  return {
    input: given.input,
    output: given.output,
    cached_input: given.cachedInput,
    cache_write: given.cacheWrite5m,
    cache_write_1h: given.cacheWrite1h,
    reasoning: given.reasoning,
    audio_input: given.audioInput,
    audio_output: given.audioOutput,
  };
}
