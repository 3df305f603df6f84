import type { ProviderInput } from '../provider-input';

export const openrouter: ProviderInput = {
  id: 'openrouter',
  name: 'OpenRouter',
  dialect: 'openai-chat',
  baseUrl: 'https://openrouter.ai/api/v1',
  apiKeyEnv: ['OPENROUTER_API_KEY'],
  // Each answer's cost is told to the key that asked for it.
  // https://openrouter.ai/docs/api/api-reference/generations/get-generation
  bills: { form: 'openrouter', keyEnv: ['OPENROUTER_API_KEY'] },
  documentation: 'https://openrouter.ai/docs/api-reference/chat-completion',
  quirks: {
    // Reasoning with its seals goes back in this field.
    // https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks
    reasoningField: 'reasoning_details',
    // Their makers keep what is marked, and nothing unasked but for Gemini.
    // https://www.openrouter.ai/docs/guides/best-practices/prompt-caching
    cacheMarks: '^(?:anthropic/|qwen/|google/gemini-)',
    // Mistral's models keep their order of roles here, too. https://github.com/charmbracelet/crush/issues/279
    mistralTurns: '^mistralai/',
    // xAI's refuse labels here, too. https://github.com/rbb-dev/Open-WebUI-OpenRouter-pipe/issues/62
    refusesMetadata: '^~?x-ai/',
    // Kimi's take schemas as at their maker's. https://github.com/NousResearch/hermes-agent/pull/72254
    moonshotSchemas: '^moonshotai/',
  },
};
