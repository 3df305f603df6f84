import { priceHours, type CatalogModel } from '@tollgate/contracts';
import { z } from 'zod';

const usdPerMillion = z.string().nullable().describe('US dollars per million tokens, a decimal string');

const day = z.iso.date().nullable();

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
    pricing: z
      .object({
        input: usdPerMillion,
        output: usdPerMillion,
        cached_input: usdPerMillion,
        cache_write: usdPerMillion,
        hours: z
          .array(priceHours)
          .describe(
            'Hours (UTC; 1 is Monday) at which every rate is multiplied by a factor; the end of a request decides. Empty: it costs the same at all hours',
          ),
        unconfirmed: z
          .boolean()
          .describe(
            'Sources disagree, the provider itself was not seen to say it, or it has parts that are not told here',
          ),
      })
      .nullable(),
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
    pricing: prices && {
      input: prices.input,
      output: prices.output,
      cached_input: prices.cachedInput,
      cache_write: prices.cacheWrite5m,
      hours: prices.terms?.hours ?? [],
      unconfirmed: model.priceUnconfirmed,
    },
    status: model.status,
    shutdown_date: retirement?.date ?? null,
    deprecation_date: retirement?.deprecated ?? null,
    successor: retirement?.successor ?? null,
  };
}
