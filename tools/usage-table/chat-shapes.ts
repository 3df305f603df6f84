import type { Shape } from './shape';
import { inputOf, outputOf } from './truth';
import type { Truth } from './truth';

const totals = (truth: Truth) => ({
  prompt_tokens: inputOf(truth),
  completion_tokens: outputOf(truth),
  total_tokens: inputOf(truth) + outputOf(truth),
});

/** Usage of chat completions, as each provider tells it. */
export const chatShapes: readonly Shape[] = [
  {
    // https://platform.openai.com/docs/api-reference/chat/object
    provider: 'openai',
    dialect: 'openai-chat',
    sheets: ['gpt-long', 'gpt-audio'],
    told: ['cached', 'audioIn', 'reasoning', 'audioOut'],
    usage: (truth) => ({
      ...totals(truth),
      prompt_tokens_details: { cached_tokens: truth.cached, audio_tokens: truth.audioIn },
      completion_tokens_details: {
        reasoning_tokens: truth.reasoning,
        audio_tokens: truth.audioOut,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    }),
  },
  {
    // https://learn.microsoft.com/en-us/azure/ai-foundry/openai/how-to/prompt-caching
    provider: 'azure',
    dialect: 'openai-chat',
    sheets: ['gpt-long'],
    told: ['cached', 'reasoning'],
    usage: (truth) => ({
      ...totals(truth),
      prompt_tokens_details: { cached_tokens: truth.cached, audio_tokens: null },
      completion_tokens_details: { reasoning_tokens: truth.reasoning, audio_tokens: null },
    }),
  },
  {
    // https://api-docs.deepseek.com/guides/kv_cache
    provider: 'deepseek',
    dialect: 'openai-chat',
    sheets: ['deepseek', 'tiny'],
    told: ['cached', 'reasoning'],
    usage: (truth) => ({
      ...totals(truth),
      prompt_tokens_details: { cached_tokens: truth.cached },
      completion_tokens_details: { reasoning_tokens: truth.reasoning },
      prompt_cache_hit_tokens: truth.cached,
      prompt_cache_miss_tokens: inputOf(truth) - truth.cached,
    }),
  },
  {
    // The same without the details, as its older models answer.
    provider: 'deepseek-older',
    dialect: 'openai-chat',
    sheets: ['deepseek'],
    told: ['cached'],
    usage: (truth) => ({
      ...totals(truth),
      prompt_cache_hit_tokens: truth.cached,
      prompt_cache_miss_tokens: inputOf(truth) - truth.cached,
    }),
  },
  {
    // https://console.groq.com/docs/prompt-caching
    provider: 'groq',
    dialect: 'openai-chat',
    sheets: ['plain', 'tiny'],
    told: ['cached', 'reasoning'],
    usage: (truth) => ({
      queue_time: 0.037493756,
      prompt_time: 0.000680594,
      completion_time: 0.463333333,
      total_time: 0.464013927,
      ...totals(truth),
      prompt_tokens_details: { cached_tokens: truth.cached },
      completion_tokens_details: { reasoning_tokens: truth.reasoning },
    }),
  },
  {
    // https://openrouter.ai/docs/cookbook/administration/usage-accounting
    provider: 'openrouter',
    dialect: 'openai-chat',
    sheets: ['claude', 'gemini-flash'],
    told: ['cached', 'write5m', 'audioIn', 'reasoning'],
    usage: (truth) => ({
      ...totals(truth),
      cost: 0.00014,
      is_byok: false,
      prompt_tokens_details: {
        cached_tokens: truth.cached,
        cache_write_tokens: truth.write5m,
        audio_tokens: truth.audioIn,
        video_tokens: 0,
      },
      cost_details: { upstream_inference_cost: null },
      completion_tokens_details: { reasoning_tokens: truth.reasoning, image_tokens: 0 },
    }),
  },
  {
    // https://docs.mistral.ai/api/endpoint/chat; what came from the cache as its own client reads it:
    // https://github.com/mistralai/client-python (models/usageinfo_dollar_defs.py)
    provider: 'mistral',
    dialect: 'openai-chat',
    sheets: ['plain', 'mistral'],
    told: ['cached'],
    usage: (truth) => ({ ...totals(truth), num_cached_tokens: truth.cached }),
  },
  {
    // https://docs.x.ai/docs/guides/reasoning: completion_tokens leave reasoning out, total_tokens do not.
    provider: 'xai',
    dialect: 'openai-chat',
    sheets: ['grok', 'tiny'],
    told: ['cached', 'reasoning'],
    usage: (truth) => ({
      prompt_tokens: inputOf(truth),
      completion_tokens: truth.text,
      total_tokens: inputOf(truth) + outputOf(truth),
      prompt_tokens_details: {
        text_tokens: inputOf(truth),
        audio_tokens: 0,
        image_tokens: 0,
        cached_tokens: truth.cached,
      },
      completion_tokens_details: {
        reasoning_tokens: truth.reasoning,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
      num_sources_used: 0,
    }),
  },
  {
    // https://ai.google.dev/gemini-api/docs/openai: thoughts are only in the total.
    provider: 'google-as-openai',
    dialect: 'openai-chat',
    sheets: ['gemini-pro'],
    told: ['reasoning'],
    usage: (truth) => ({
      prompt_tokens: inputOf(truth),
      completion_tokens: truth.text,
      total_tokens: inputOf(truth) + outputOf(truth),
    }),
  },
  {
    // https://platform.moonshot.ai/docs/api/chat: cached tokens stand at the top.
    provider: 'moonshot',
    dialect: 'openai-chat',
    sheets: ['kimi'],
    told: ['cached'],
    usage: (truth) => ({ ...totals(truth), cached_tokens: truth.cached }),
  },
  {
    // https://docs.perplexity.ai/api-reference/chat-completions-post
    provider: 'perplexity',
    dialect: 'openai-chat',
    sheets: ['sonar'],
    told: [],
    usage: (truth) => ({ ...totals(truth), search_context_size: 'low', num_search_queries: 1 }),
  },
  {
    // https://www.alibabacloud.com/help/en/model-studio/context-cache
    provider: 'alibaba',
    dialect: 'openai-chat',
    sheets: ['qwen'],
    told: ['cached', 'reasoning'],
    usage: (truth) => ({
      ...totals(truth),
      prompt_tokens_details: { cached_tokens: truth.cached, text_tokens: inputOf(truth) },
      completion_tokens_details: { reasoning_tokens: truth.reasoning, text_tokens: truth.text },
    }),
  },
  {
    // https://docs.z.ai/guides/capabilities/cache
    provider: 'zai',
    dialect: 'openai-chat',
    sheets: ['kimi'],
    told: ['cached'],
    usage: (truth) => ({ ...totals(truth), prompt_tokens_details: { cached_tokens: truth.cached } }),
  },
  {
    // https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html: without a prefix cache the
    // details are null.
    provider: 'vllm',
    dialect: 'openai-chat',
    sheets: ['plain'],
    told: [],
    usage: (truth) => ({ ...totals(truth), prompt_tokens_details: null }),
  },
];
