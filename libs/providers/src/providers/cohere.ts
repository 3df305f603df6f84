import type { ProviderInput } from '../provider-input';

export const cohere: ProviderInput = {
  id: 'cohere',
  name: 'Cohere',
  // The official compatibility endpoint; Cohere's own chat format is another dialect. https://docs.cohere.com/docs/compatibility-api
  dialect: 'openai-chat',
  baseUrl: 'https://api.cohere.ai/compatibility/v1',
  apiKeyEnv: ['COHERE_API_KEY', 'CO_API_KEY'],
  documentation: 'https://docs.cohere.com/docs/compatibility-api',
};
