import type { ProviderInput } from '../provider-input';

export const nvidia: ProviderInput = {
  id: 'nvidia',
  name: 'NVIDIA',
  dialect: 'openai-chat',
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  apiKeyEnv: ['NVIDIA_API_KEY'],
  documentation: 'https://docs.api.nvidia.com/nim/reference/llm-apis',
  makes: ['nemotron-'],
  quirks: {
    // The schema is closed, and has none of them: a 400, "Unsupported parameter(s): `reasoning`".
    // https://docs.api.nvidia.com/nim/reference/llm-apis https://github.com/can1357/oh-my-pi/issues/2299
    // https://github.com/NousResearch/hermes-agent/pull/77973 Effort is told by `reasoning_effort`:
    // https://github.com/NousResearch/hermes-agent/issues/19883
    chatDropFields: ['thinking', 'reasoning', 'include_reasoning', 'usage'],
    // Not every hosted model takes `max_completion_tokens` yet.
    // https://github.com/langchain-ai/langchain-nvidia/pull/156
    maxTokensField: 'max_tokens',
    // A 400, `Extra inputs are not permitted`; it is only a hint for caches.
    // https://github.com/sipeed/picoclaw/issues/1019
    dropFields: ['prompt_cache_key'],
    // Mistral's models keep their order of roles here, too.
    // https://github.com/NousResearch/hermes-agent/issues/20154
    mistralTurns: '^mistralai/',
  },
};
