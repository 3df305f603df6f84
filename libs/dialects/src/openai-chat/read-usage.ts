import type { ServedTerms, TokenUsage } from '@tollgate/contracts';
import { served, servedTier, usedUnits } from '../canonical/served-terms';
import { toldCharge, toolsOfXai } from '../openai-responses/read-usage';
import { isRecord, recordIn } from '../wire/json-value';

/**
 * Maps a chat completion's usage to ours; null when it tells nothing (no object, no prompt tokens: some
 * providers send zeros until the last chunk).
 * Cached tokens are part of `prompt_tokens`, reasoning is part of `completion_tokens`:
 * https://platform.openai.com/docs/api-reference/chat/object#chat/object-usage Where `total_tokens` is more
 * than both, the rest is reasoning that was left out of `completion_tokens`, as xAI and Gemini do:
 * https://docs.x.ai/docs/guides/reasoning https://ai.google.dev/gemini-api/docs/openai
 * `tier`: the answer's `service_tier`, which is the one that served it.
 */
export function readUsage(usage: unknown, tier: unknown): TokenUsage | null {
  if (!isRecord(usage)) return null;
  const input = count(usage.prompt_tokens);
  if (input === 0) return null;
  const prompt = recordIn(usage, 'prompt_tokens_details');
  const completion = recordIn(usage, 'completion_tokens_details');
  const completionTokens = count(usage.completion_tokens);
  const leftOut = Math.max(0, count(usage.total_tokens) - input - completionTokens);
  const output = completionTokens + leftOut;
  const cachedInput = Math.min(input, cachedTokens(usage, prompt));
  return {
    input,
    output,
    cachedInput,
    // OpenRouter tells what a request wrote into a provider's cache:
    // https://openrouter.ai/docs/cookbook/administration/usage-accounting Alibaba by Anthropic's name for it:
    // https://www.alibabacloud.com/help/en/model-studio/context-cache Neither tells for how long: see
    // `withHourInCache`.
    cacheWrite5m: Math.min(input, count(prompt.cache_write_tokens) || count(prompt.cache_creation_input_tokens)),
    cacheWrite1h: 0,
    reasoning: Math.min(output, Math.max(leftOut, count(completion.reasoning_tokens))),
    audioInput: Math.min(input, count(prompt.audio_tokens)),
    audioOutput: Math.min(output, count(completion.audio_tokens)),
    ...served({
      tier: servedTier(tier),
      // Alibaba has one cache of what callers mark, and one of its own with another price; a request uses one
      // of them. Of the first it tells `cache_type`:
      // https://www.alibabacloud.com/help/en/model-studio/context-cache
      // https://github.com/BerriAI/litellm/pull/40111
      markedReads: (cachedInput > 0 && prompt.cache_type === 'ephemeral') || undefined,
      // xAI tells images that are read (https://docs.x.ai/docs/api-reference#chat-completions), OpenRouter
      // also those that are made (https://openrouter.ai/docs/features/multimodal/image-generation).
      imageInput: Math.min(input, count(prompt.image_tokens)) || undefined,
      imageOutput: Math.min(output, count(completion.image_tokens)) || undefined,
      units: toolsOfXai(usage) ?? searchContext(usage),
      toldNanoUsd: toldCharge(usage),
    }),
  };
}

/**
 * A search context of Perplexity's that is larger than the usual, small one, whose fee is the price of a
 * request: what more it costs is a price of its own.
 * https://docs.perplexity.ai/docs/getting-started/pricing
 */
function searchContext({ search_context_size: size }: Record<string, unknown>): ServedTerms['units'] {
  return usedUnits({ mediumSearchContext: Number(size === 'medium'), highSearchContext: Number(size === 'high') });
}

/**
 * DeepSeek names cache hits apart (https://api-docs.deepseek.com/guides/kv_cache), Moonshot puts them at the
 * top (https://platform.kimi.ai/docs/api/chat), and so does Mistral
 * (https://github.com/mistralai/client-python, models/usageinfo_dollar_defs.py).
 */
function cachedTokens(usage: Record<string, unknown>, details: Record<string, unknown>): number {
  const { prompt_cache_hit_tokens: hits, cached_tokens: cached, num_cached_tokens: fromCache } = usage;
  return count(details.cached_tokens) || count(hits) || count(cached) || count(fromCache);
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
