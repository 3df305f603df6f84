import type { DialectName } from '@tollgate/contracts';
import type { ListedByProvider } from '@tollgate/contracts/inference';
import { z } from 'zod';
import type { ProviderEndpoint } from '../upstream/provider-endpoint';

const tokens = z.number().int().positive().nullish().catch(null);
const name = z.string().min(1).max(200);

/**
 * OpenAI's list, which tells when a model is shut down
 * (https://developers.openai.com/api/reference/resources/models/methods/list), with the places in which
 * servers tell the context window: vLLM and SGLang `max_model_len`
 * (https://docs.vllm.ai/en/latest/serving/online_serving/), llama.cpp `meta.n_ctx`
 * (https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md), gateways `context_length` or
 * `context_window`, Anthropic `max_input_tokens` and the day as `created_at`
 * (https://platform.claude.com/docs/en/api/models/list). Mistral has `max_context_length`, and calls
 * `deprecation` the day of the end (https://docs.mistral.ai/api/endpoint/models; as in
 * https://github.com/mistralai/platform-docs-public/pull/496). Together gives the entries without a frame
 * (https://docs.together.ai/reference/models).
 */
const entry = z.object({
  id: name,
  created: tokens,
  created_at: z.string().nullish().catch(null),
  shutdown_date: z.iso.date().nullish().catch(null),
  deprecation: z.iso.datetime({ offset: true }).nullish().catch(null),
  deprecation_replacement_model: name.nullish().catch(null),
  max_model_len: tokens,
  context_length: tokens,
  context_window: tokens,
  max_context_length: tokens,
  max_input_tokens: tokens,
  meta: z.object({ n_ctx: tokens }).nullish().catch(null),
});
/** Ollama has null where it has no models: https://github.com/ollama/ollama/blob/v0.17.4/openai/openai.go */
const emptyList = z.object({ object: z.literal('list'), data: z.null() });
const plainList = z.union([
  z.object({ data: z.array(entry) }).transform(({ data }) => data),
  z.array(entry),
  emptyList.transform(() => []),
]);

/** https://ai.google.dev/api/models#method:-models.list */
const geminiList = z.object({
  models: z.array(
    z.object({ name, inputTokenLimit: tokens, supportedGenerationMethods: z.array(z.string()).default([]) }),
  ),
});

/** `endpoints`: what each of them is asked at. https://docs.cohere.com/reference/list-models */
const cohereList = z.object({
  models: z.array(
    z.object({
      name,
      endpoints: z.array(z.string()),
      context_length: tokens,
      is_deprecated: z.boolean().nullish().catch(null),
    }),
  ),
});
const cohereEndpoints = ['chat', 'embed', 'rerank'];

/** Where a provider's list is: below its base URL; Cohere's has stayed in version 1 of its API. */
export function listingOf(endpoint: ProviderEndpoint): ProviderEndpoint {
  if (endpoint.provider.dialect !== 'cohere') return endpoint;
  return { ...endpoint, basePath: endpoint.basePath.replace(/\/v2$/, '/v1') };
}

/** How a provider's whole list is asked for there. */
export function modelListPath(dialect: DialectName): string {
  if (dialect === 'anthropic-messages') return '/models?limit=1000';
  if (dialect === 'cohere') return '/models?page_size=1000';
  return dialect === 'gemini' ? '/models?pageSize=1000' : '/models';
}

/** The models of an answer to `/v1/models`, sorted by name; null when it is no such list. */
export function readModelList(text: string): ListedByProvider[] | null {
  const body = parsed(text);
  // llama.cpp has `models` beside `data`.
  const models = fromPlain(body) ?? fromCohere(body) ?? fromGemini(body);
  return models?.sort((a, b) => a.name.localeCompare(b.name)) ?? null;
}

function fromPlain(body: unknown): ListedByProvider[] | null {
  const list = plainList.safeParse(body);
  if (!list.success) return null;
  return list.data.map(({ id, created, created_at, max_model_len, meta, ...told }) => {
    const day = Date.parse(created_at ?? '');
    const createdAt = created ?? (day > 0 ? Math.floor(day / 1_000) : null);
    const { context_length, context_window, max_input_tokens, max_context_length } = told;
    const window = max_model_len ?? meta?.n_ctx ?? context_length ?? context_window ?? max_input_tokens;
    const endsOn = told.shutdown_date ?? told.deprecation?.slice(0, 'YYYY-MM-DD'.length);
    const replacement = told.deprecation_replacement_model;
    return {
      name: id,
      contextWindow: window ?? max_context_length ?? null,
      ...(createdAt && { createdAt }),
      ...(endsOn && { endsOn }),
      ...(replacement && { replacement }),
    };
  });
}

function fromCohere(body: unknown): ListedByProvider[] | null {
  const list = cohereList.safeParse(body);
  if (!list.success) return null;
  return list.data.models
    .filter((model) => model.is_deprecated !== true && model.endpoints.some((each) => cohereEndpoints.includes(each)))
    .map((model) => ({ name: model.name, contextWindow: model.context_length ?? null }));
}

function fromGemini(body: unknown): ListedByProvider[] | null {
  const list = geminiList.safeParse(body);
  if (!list.success) return null;
  return list.data.models
    .filter(({ supportedGenerationMethods: methods }) => methods.includes('generateContent'))
    .map(({ name: path, inputTokenLimit }) => ({
      name: path.replace(/^models\//, ''),
      contextWindow: inputTokenLimit ?? null,
    }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
