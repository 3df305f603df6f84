import type { CatalogModel } from '@tollgate/contracts';
import { z } from 'zod';

const usdPerMillion = z.string().nullable().describe('US dollars per million tokens, a decimal string');

/** A model as GET /v1/models tells it: OpenAI's fields first, then ours. `pricing` null: the price is not known. */
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
    pricing: z
      .object({ input: usdPerMillion, output: usdPerMillion, cached_input: usdPerMillion, cache_write: usdPerMillion })
      .nullable(),
    status: z.enum(['active', 'preview', 'deprecated']),
  })
  .describe('A model of the live catalog');
export type ModelEntry = z.infer<typeof modelEntry>;

export const modelList = z.object({ object: z.literal('list'), data: z.array(modelEntry) });

export function toModelEntry(model: CatalogModel): ModelEntry {
  const { capabilities, prices } = model;
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
    pricing: prices && {
      input: prices.input,
      output: prices.output,
      cached_input: prices.cachedInput,
      cache_write: prices.cacheWrite5m,
    },
    status: model.status,
  };
}
