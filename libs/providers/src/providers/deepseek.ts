import type { ProviderInput } from '../provider-input';

export const deepseek: ProviderInput = {
  id: 'deepseek',
  name: 'DeepSeek',
  dialect: 'openai-chat',
  baseUrl: 'https://api.deepseek.com',
  apiKeyEnv: ['DEEPSEEK_API_KEY'],
  documentation: 'https://api-docs.deepseek.com/api/create-chat-completion',
  makes: ['deepseek-'],
  quirks: {
    // The reference knows `max_tokens` only; under another name the limit would be lost.
    // https://api-docs.deepseek.com/api/create-chat-completion
    maxTokensField: 'max_tokens',
    // A model that thinks wants its reasoning back in a tool loop. https://api-docs.deepseek.com/guides/thinking_mode#tool-calls
    reasoningField: 'reasoning_content',
    // V4 refuses a turn without it where tools are offered, and an empty one; most clients do not send it back. https://github.com/NousResearch/hermes-agent/pull/18263
    insistsOnReasoning: ['deepseek-'],
    // It knows `reasoning_content` only, and caches by itself. https://api-docs.deepseek.com/guides/kv_cache
    dropMessageFields: ['reasoning', 'reasoning_details', 'cache_control'],
  },
};
