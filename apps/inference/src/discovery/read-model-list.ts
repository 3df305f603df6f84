import type { ListedByProvider } from '@tollgate/contracts';
import { z } from 'zod';

const tokens = z.number().int().positive().nullish().catch(null);

/**
 * OpenAI's list (https://platform.openai.com/docs/api-reference/models/list) with the places in which servers tell the context window: vLLM and SGLang `max_model_len`
 * (https://docs.vllm.ai/en/latest/serving/online_serving/), llama.cpp `meta.n_ctx` (https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md), gateways `context_length` or `context_window`.
 */
const modelList = z.object({
  data: z.array(
    z.object({
      id: z.string().min(1).max(200),
      max_model_len: tokens,
      context_length: tokens,
      context_window: tokens,
      meta: z.object({ n_ctx: tokens }).nullish().catch(null),
    }),
  ),
});

/** The models of an answer to `/v1/models`, sorted by name; null when it is no such list. */
export function readModelList(text: string): ListedByProvider[] | null {
  const list = modelList.safeParse(parsed(text));
  if (!list.success) return null;
  const models = list.data.data.map(({ id, max_model_len, meta, context_length, context_window }) => ({
    name: id,
    contextWindow: max_model_len ?? meta?.n_ctx ?? context_length ?? context_window ?? null,
  }));
  return models.sort((a, b) => a.name.localeCompare(b.name));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
