import type { ProviderInput } from '../provider-input';

/**
 * Models that can be told not to think; all but DeepSeek V3.1 do unless they are. GLM-5.3 and Kimi K2.7 Code
 * cannot be told.
 * https://docs.together.ai/docs/inference/chat/reasoning https://docs.together.ai/docs/reasoning-overview
 * https://docs.together.ai/docs/glm-5.3-quickstart
 * https://docs.together.ai/docs/kimi-k3-quickstart https://www.together.ai/models/kimi-k27-code
 */
const hybrid = [
  ...['moonshotai/Kimi-K(?:2\\.[56]|3)', 'deepseek-ai/DeepSeek-V(?:3\\.1|4-Pro)', 'zai-org/GLM-5(?:\\.[12])?$'],
  ...['MiniMaxAI/MiniMax-M3', 'Qwen/Qwen3\\.[56]-', 'deepcogito/cogito-v2', 'nvidia/nemotron-3-ultra'],
];

export const togetherai: ProviderInput = {
  id: 'togetherai',
  name: 'Together AI',
  dialect: 'openai-chat',
  baseUrl: 'https://api.together.xyz/v1',
  apiKeyEnv: ['TOGETHER_API_KEY'],
  documentation: 'https://docs.together.ai/docs/openai-api-compatibility',
  quirks: {
    // No `chatDropFields`: it turns thinking on and off by `reasoning: {enabled}` itself, beside
    // `reasoning_effort`, and its schema is open, so that `usage` is passed over. An effort of `none` is
    // taken, and so are other words for it, and they think all the same.
    // https://docs.together.ai/docs/inference/chat/reasoning
    // https://github.com/theopenco/llmgateway/pull/3367 https://github.com/BerriAI/litellm/pull/38263
    // https://github.com/togethercomputer/openapi/blob/main/openapi.yaml
    thinkingSwitch: { models: `^(?:${hybrid.join('|')})`, member: 'reasoning' },
    // The reference knows `max_tokens` only; under another name the limit would be lost.
    // https://docs.together.ai/reference/chat-completions-1
    maxTokensField: 'max_tokens',
  },
};
