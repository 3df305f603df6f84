import type { ProviderInput } from '../provider-input';

// `completion_tokens` leaves reasoning out, `total_tokens` has it; the dialect counts the difference.
// https://docs.x.ai/docs/key-information/consumption-and-rate-limits
export const xai: ProviderInput = {
  id: 'xai',
  name: 'xAI',
  dialect: 'openai-chat',
  // Both endpoints serve the same models. https://docs.x.ai/docs/api-reference#create-new-response
  alsoSpeaks: ['openai-responses'],
  baseUrl: 'https://api.x.ai/v1',
  apiKeyEnv: ['XAI_API_KEY'],
  documentation: 'https://docs.x.ai/docs/api-reference#chat-completions',
  makes: ['grok-'],
  quirks: {
    // What OpenRouter calls reasoning and usage is not in its schema: effort is told by `reasoning_effort`.
    // https://docs.x.ai/docs/api-reference#chat-completions
    chatDropFields: ['reasoning', 'include_reasoning', 'usage'],
    // It compacts conversations itself. https://docs.x.ai/developers/advanced-api-usage/context-compaction
    compacts: true,
    // `max_tokens` is deprecated in favour of `max_completion_tokens`, which also bounds reasoning tokens.
    // https://docs.x.ai/docs/api-reference#chat-completions
    maxTokensField: 'max_completion_tokens',
    // `prompt_cache_key` counts for responses only; both lead a conversation to the server that has its
    // cache.
    // https://docs.x.ai/developers/advanced-api-usage/prompt-caching/maximizing-cache-hits
    conversationHeader: 'x-grok-conv-id',
    // No model takes penalties. https://github.com/miaoxworld/NativeTavern/issues/83
    // Codex says by which programs it has its access: https://github.com/lidge-jun/opencodex/issues/4853
    // "Argument not supported: metadata", also of an empty one.
    // https://github.com/router-for-me/CLIProxyAPI/issues/5648
    // https://github.com/rbb-dev/Open-WebUI-OpenRouter-pipe/issues/62
    dropFields: ['presence_penalty', 'frequency_penalty', 'access_programs', 'metadata'],
    // Models that reason take no stop sequences, which Claude Code sends by itself.
    // https://github.com/lidge-jun/opencodex/issues/5278 https://github.com/langchain-ai/langchain/pull/38335
    reasonersRefuse: ['stop'],
    // A 400, "The function name tool_search is reserved for the tool_search tool".
    // https://github.com/NousResearch/hermes-agent/issues/95003
    // https://github.com/can1357/oh-my-pi/issues/7970
    reservedTools: ['web_search', 'tool_search'],
    // A 400, "tool parameter root must be an object type". https://github.com/lidge-jun/opencodex/pull/1726
    // https://github.com/tetsuo-ai/agenc-core/pull/1324
    plainToolRoots: true,
    // In responses. https://docs.x.ai/developers/tools/overview
    webSearch: '^grok-',
    // So do its programs run. https://docs.x.ai/developers/tools/overview
    codeExecution: '^grok-',
    // None is in the schema of messages. https://docs.x.ai/docs/api-reference#chat-completions
    dropMessageFields: ['reasoning', 'reasoning_content', 'reasoning_details', 'cache_control'],
  },
};
