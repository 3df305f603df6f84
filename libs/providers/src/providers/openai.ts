import type { ProviderInput } from '../provider-input';

export const openai: ProviderInput = {
  id: 'openai',
  name: 'OpenAI',
  dialect: 'openai-chat',
  // Both endpoints serve the same models. https://platform.openai.com/docs/api-reference/responses/create
  alsoSpeaks: ['openai-responses'],
  baseUrl: 'https://api.openai.com/v1',
  apiKeyEnv: ['OPENAI_API_KEY'],
  documentation: 'https://platform.openai.com/docs/api-reference/chat/create',
  quirks: {
    // `max_tokens` is deprecated and refused by reasoning models; every model takes `max_completion_tokens`.
    // Both endpoints serve the same models. https://platform.openai.com/docs/api-reference/chat/create#chat_create-max_completion_tokens
    maxTokensField: 'max_completion_tokens',
  },
};
