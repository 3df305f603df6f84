import type { ProviderInput } from '../provider-input';

export const perplexity: ProviderInput = {
  id: 'perplexity',
  name: 'Perplexity',
  dialect: 'openai-chat',
  baseUrl: 'https://api.perplexity.ai',
  apiKeyEnv: ['PERPLEXITY_API_KEY'],
  documentation: 'https://docs.perplexity.ai/api-reference/chat-completions-post',
  makes: ['sonar'],
  quirks: {
    // What OpenRouter calls reasoning and usage is not in its schema: effort is told by `reasoning_effort`.
    // https://docs.perplexity.ai/api-reference/chat-completions-post
    chatDropFields: ['reasoning', 'include_reasoning', 'usage'],
    // The reference knows `max_tokens` only. https://docs.perplexity.ai/api-reference/chat-completions-post
    maxTokensField: 'max_tokens',
    // None is in the schema of messages. https://docs.perplexity.ai/api-reference/chat-completions-post
    dropMessageFields: ['reasoning', 'reasoning_content', 'reasoning_details', 'cache_control'],
  },
};
