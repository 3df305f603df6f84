import type { ProviderInput } from '../provider-input';

export const cohere: ProviderInput = {
  id: 'cohere',
  name: 'Cohere',
  dialect: 'cohere',
  baseUrl: 'https://api.cohere.com/v2',
  apiKeyEnv: ['COHERE_API_KEY', 'CO_API_KEY'],
  documentation: 'https://docs.cohere.com/reference/chat',
  makes: ['command-', 'embed-', 'c4ai-', 'north-'],
};
