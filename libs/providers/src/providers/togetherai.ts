import type { ProviderInput } from '../provider-input';

export const togetherai: ProviderInput = {
  id: 'togetherai',
  name: 'Together AI',
  dialect: 'openai-chat',
  baseUrl: 'https://api.together.xyz/v1',
  apiKeyEnv: ['TOGETHER_API_KEY'],
  documentation: 'https://docs.together.ai/docs/openai-api-compatibility',
  quirks: {
    // No `chatDropFields`: it turns thinking on and off by `reasoning: {enabled}` itself, beside
    // `reasoning_effort`, and its schema is open, so that `usage` is passed over.
    // https://docs.together.ai/docs/inference/chat/reasoning
    // https://github.com/togethercomputer/openapi/blob/main/openapi.yaml
    // The reference knows `max_tokens` only; under another name the limit would be lost.
    // https://docs.together.ai/reference/chat-completions-1
    maxTokensField: 'max_tokens',
  },
};
