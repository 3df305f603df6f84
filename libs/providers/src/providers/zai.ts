import type { ProviderInput } from '../provider-input';

export const zai: ProviderInput = {
  id: 'zai',
  name: 'Z.AI',
  dialect: 'openai-chat',
  // The same key reaches messages at /api/anthropic, whose reference names no field that chat completions
  // lack: it is there for agents that know no other address.
  // https://docs.z.ai/devpack/tool/claude
  baseUrl: 'https://api.z.ai/api/paas/v4',
  // models.dev and older guides call the same key ZHIPU_API_KEY.
  apiKeyEnv: ['ZAI_API_KEY', 'ZHIPU_API_KEY'],
  documentation: 'https://docs.z.ai/api-reference/llm/chat-completion',
  makes: ['glm-'],
  quirks: {
    // What OpenRouter calls reasoning and usage is not in its schema: effort is told by `reasoning_effort`.
    // https://docs.z.ai/api-reference/llm/chat-completion
    chatDropFields: ['reasoning', 'include_reasoning', 'usage'],
    // The reference knows `max_tokens` only. https://docs.z.ai/api-reference/llm/chat-completion
    maxTokensField: 'max_tokens',
    // Reasoning goes back as it came: it is read in a tool loop, and of earlier turns where a request has
    // `clear_thinking: false`.
    // https://docs.z.ai/guides/capabilities/thinking-mode
    reasoningField: 'reasoning_content',
    // But for GLM-5.3, which always thinks. https://docs.z.ai/guides/capabilities/thinking-mode
    // https://docs.together.ai/docs/glm-5.3-quickstart
    thinkingSwitch: { models: '^glm-(?:4\\.[5-9]|5(?!\\.3))', member: 'thinking' },
    // It knows `reasoning_content` only, and caches by itself. https://docs.z.ai/guides/capabilities/cache
    dropMessageFields: ['reasoning', 'reasoning_details', 'cache_control'],
    // A 400, `Incorrect role information`. https://github.com/vastsa/PI-Desktop/issues/30
    systemForDeveloper: '.',
  },
};
