import type { ProviderInput } from '../provider-input';

export const cerebras: ProviderInput = {
  id: 'cerebras',
  name: 'Cerebras',
  dialect: 'openai-chat',
  baseUrl: 'https://api.cerebras.ai/v1',
  apiKeyEnv: ['CEREBRAS_API_KEY'],
  documentation: 'https://inference-docs.cerebras.ai/resources/openai',
  quirks: {
    // The reference knows `max_completion_tokens` only.
    // https://inference-docs.cerebras.ai/api-reference/chat-completions
    maxTokensField: 'max_completion_tokens',
    // Its answers name it `reasoning` (https://inference-docs.cerebras.ai/capabilities/reasoning), and it
    // refuses `reasoning_content`:
    // https://github.com/OpenMinis/OpenMinis/issues/361
    dropMessageFields: ['reasoning_content', 'reasoning_details', 'cache_control'],
  },
};
