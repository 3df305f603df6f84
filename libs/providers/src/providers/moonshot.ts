import type { ProviderInput } from '../provider-input';

export const moonshot: ProviderInput = {
  id: 'moonshot',
  name: 'Moonshot AI',
  dialect: 'openai-chat',
  // The same key reaches messages at /anthropic and responses, for the same price. Nothing is to be had there
  // that chat completions lack: thinking cannot be set in messages, and the time in the cache has a field of
  // its own in each. https://platform.kimi.ai/docs/api/overview https://apidog.com/blog/kimi-k3-1-pro-api/
  // https://metacpan.org/pod/Langertha::Engine::MoonshotAnthropic
  baseUrl: 'https://api.moonshot.ai/v1',
  apiKeyEnv: ['MOONSHOT_API_KEY'],
  documentation: 'https://platform.kimi.ai/docs/api/chat',
  makes: ['kimi-'],
  quirks: {
    // What OpenRouter calls reasoning and usage is not in its schema: effort is told by `reasoning_effort`.
    // https://platform.kimi.ai/docs/api/chat
    chatDropFields: ['reasoning', 'include_reasoning', 'usage'],
    // `max_tokens` is deprecated, "please refer to max_completion_tokens".
    // https://platform.kimi.ai/docs/api/chat
    maxTokensField: 'max_completion_tokens',
    // Kimi's thinking models want their reasoning back.
    // https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model
    reasoningField: 'reasoning_content',
    // Beside a call it must be there; most clients do not send it back.
    // https://github.com/bestruirui/octopus/pull/251
    insistsOnReasoning: ['kimi-'],
    // These alone can be told not to think; an effort that is not known is passed over unsaid.
    // https://platform.kimi.ai/docs/guide/use-thinking-effort
    thinkingSwitch: { models: '^kimi-k2\\.[56]', member: 'thinking' },
    // A 400, `tool_choice 'required' is incompatible with thinking enabled`, but for K3.
    // https://github.com/UKGovernmentBEIS/inspect_ai/pull/5152
    noForceWhileThinking: '^kimi-k2',
    // It knows `reasoning_content` only, and caches by itself. https://platform.kimi.ai/docs/api/chat
    dropMessageFields: ['reasoning', 'reasoning_details', 'cache_control'],
    // A 400, `tools.function.parameters is not a valid moonshot flavored json schema`.
    // https://github.com/MoonshotAI/walle/blob/main/docs/mfjs-spec.md
    // https://github.com/anomalyco/opencode/issues/37496 https://github.com/MoonshotAI/kimi-code/issues/2661
    moonshotSchemas: '.',
    // A 400, `unsupported role ROLE_UNSPECIFIED`. https://github.com/openclaw/openclaw/issues/8579
    systemForDeveloper: '.',
  },
};
