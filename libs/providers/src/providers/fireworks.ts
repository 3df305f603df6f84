import type { ProviderInput } from '../provider-input';

export const fireworks: ProviderInput = {
  id: 'fireworks',
  name: 'Fireworks AI',
  dialect: 'openai-chat',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  apiKeyEnv: ['FIREWORKS_API_KEY'],
  documentation: 'https://docs.fireworks.ai/tools-sdks/openai-compatibility',
  quirks: {
    // The documentation knows `max_tokens` only. https://docs.fireworks.ai/tools-sdks/openai-compatibility
    maxTokensField: 'max_tokens',
  },
};
