import { z } from 'zod';

/** What a document tells of a model beside its price; absent: it tells nothing. A limit of 0 is none. */
export interface DocumentFacts {
  provider: string;
  model: string;
  contextWindow?: number;
  maxOutputTokens?: number;
  inputModalities?: string[];
  reasoning?: boolean;
  tools?: boolean;
  structuredOutput?: boolean;
  isDeprecated: boolean;
}

const flag = z.boolean().nullish();
const limit = z.number().nullish().catch(null);

const modelsDev = z.record(
  z.string(),
  z.object({
    models: z.record(
      z.string(),
      z.object({
        status: z.string().optional(),
        reasoning: flag,
        tool_call: flag,
        structured_output: flag,
        limit: z.object({ context: limit, output: limit }).optional(),
        modalities: z.object({ input: z.array(z.string()) }).optional(),
      }),
    ),
  }),
);

/** Reads the facts of https://models.dev/api.json. @throws ZodError when it is no such document. */
export function readModelsDevFacts(json: unknown): DocumentFacts[] {
  return Object.entries(modelsDev.parse(json)).flatMap(([provider, { models }]) =>
    Object.entries(models).map(([name, { status, limit: limits, modalities, ...takes }]) => ({
      provider,
      model: name,
      ...limitsOf(limits?.context, limits?.output),
      ...(modalities && { inputModalities: modalities.input }),
      ...abilitiesOf(takes.reasoning, takes.tool_call, takes.structured_output),
      isDeprecated: status === 'deprecated',
    })),
  );
}

const litellm = z.looseObject({
  litellm_provider: z.string(),
  max_input_tokens: limit,
  max_output_tokens: limit,
  supports_vision: flag,
  supports_pdf_input: flag,
  supports_audio_input: flag,
  supports_reasoning: flag,
  supports_function_calling: flag,
  supports_response_schema: flag,
  deprecation_date: z.iso.date().nullish().catch(null),
});

/**
 * Reads the facts of LiteLLM's `model_prices_and_context_window.json`, whose abilities are told where a model
 * has them; what is over is deprecated.
 * @throws ZodError when it is no such document.
 * https://docs.litellm.ai/docs/provider_registration/add_model_pricing
 */
export function readLitellmFacts(json: unknown, now = Date.now()): DocumentFacts[] {
  return Object.entries(z.record(z.string(), z.unknown()).parse(json)).flatMap(([model, value]) => {
    const read = litellm.safeParse(value);
    if (!read.success) return [];
    const { supports_vision: sees, supports_pdf_input: reads, supports_audio_input: hears, ...told } = read.data;
    return [
      {
        provider: told.litellm_provider,
        model,
        ...limitsOf(told.max_input_tokens, told.max_output_tokens),
        inputModalities: ['text', ...(sees ? ['image'] : []), ...(hears ? ['audio'] : []), ...(reads ? ['pdf'] : [])],
        ...abilitiesOf(told.supports_reasoning, told.supports_function_calling, told.supports_response_schema),
        isDeprecated: told.deprecation_date != null && Date.parse(told.deprecation_date) <= now,
      },
    ];
  });
}

const genaiPrices = z.array(
  z.object({
    id: z.string(),
    models: z.array(z.object({ id: z.string(), context_window: limit, deprecated: flag })),
  }),
);

/**
 * Reads the facts of genai-prices' `data.json`. @throws ZodError when it is no such document.
 * https://github.com/pydantic/genai-prices
 */
export function readGenaiPricesFacts(json: unknown): DocumentFacts[] {
  return genaiPrices.parse(json).flatMap(({ id: provider, models }) =>
    models.map(({ id: model, context_window: context, deprecated }) => ({
      ...{ provider, model, ...limitsOf(context, null) },
      isDeprecated: deprecated === true,
    })),
  );
}

function limitsOf(
  context: number | null | undefined,
  output: number | null | undefined,
): Pick<DocumentFacts, 'contextWindow' | 'maxOutputTokens'> {
  return { ...(context && { contextWindow: context }), ...(output && { maxOutputTokens: output }) };
}

type Told = boolean | null | undefined;

function abilitiesOf(
  reasoning: Told,
  tools: Told,
  structuredOutput: Told,
): Pick<DocumentFacts, 'reasoning' | 'tools' | 'structuredOutput'> {
  return {
    ...(reasoning != null && { reasoning }),
    ...(tools != null && { tools }),
    ...(structuredOutput != null && { structuredOutput }),
  };
}
