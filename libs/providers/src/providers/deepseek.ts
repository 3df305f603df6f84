import type { ProviderInput } from '../provider-input';

export const deepseek: ProviderInput = {
  id: 'deepseek',
  name: 'DeepSeek',
  dialect: 'openai-chat',
  // Its messages endpoint takes and tells less than chat completions do (no schema of an answer; marks of
  // what to cache, documents and servers of MCP are passed over unsaid)
  // and refuses histories that its chat completions take, but its web search is there alone.
  // https://api-docs.deepseek.com/guides/anthropic_api
  // https://github.com/deepseek-ai/deepseek-harness/tree/main/packages/web/web-search-deepseek Its responses
  // endpoint has no search, knows one custom tool by name only, and wants reasoning back that clients do not
  // keep, so that nobody is served better there:
  // https://api-docs.deepseek.com/guides/responses_api https://github.com/822807097/codex-router/issues/1
  // https://github.com/lidge-jun/opencodex/issues/1534
  alsoAt: [{ dialect: 'anthropic-messages', path: '/anthropic/v1', tools: '^web_search_' }],
  baseUrl: 'https://api.deepseek.com',
  apiKeyEnv: ['DEEPSEEK_API_KEY'],
  documentation: 'https://api-docs.deepseek.com/api/create-chat-completion',
  makes: ['deepseek-'],
  quirks: {
    // What OpenRouter calls reasoning and usage is not in its schema: effort is told by `reasoning_effort`.
    // https://api-docs.deepseek.com/api/create-chat-completion
    chatDropFields: ['reasoning', 'include_reasoning', 'usage'],
    // The reference knows `max_tokens` only; under another name the limit would be lost.
    // https://api-docs.deepseek.com/api/create-chat-completion
    maxTokensField: 'max_tokens',
    // A model that thinks wants its reasoning back in a tool loop.
    // https://api-docs.deepseek.com/guides/thinking_mode#tool-calls
    reasoningField: 'reasoning_content',
    // V4 refuses a turn without it where tools are offered, and an empty one; most clients do not send it
    // back. https://github.com/NousResearch/hermes-agent/pull/18263
    insistsOnReasoning: ['deepseek-'],
    // In chat completions an effort of `none` turns nothing off.
    // https://api-docs.deepseek.com/guides/thinking_mode https://github.com/BerriAI/litellm/issues/27453
    thinkingSwitch: { models: '.', member: 'thinking' },
    // A 400, `This response_format type is unavailable now`. https://api-docs.deepseek.com/guides/json_mode
    // https://github.com/UKGovernmentBEIS/inspect_ai/issues/4916
    noJsonSchema: '.',
    // A 400, `Thinking mode does not support this tool_choice`.
    // https://github.com/deepseek-ai/DeepSeek-V3/issues/1376
    noForceWhileThinking: '.',
    // It knows `reasoning_content` only, and caches by itself. https://api-docs.deepseek.com/guides/kv_cache
    dropMessageFields: ['reasoning', 'reasoning_details', 'cache_control'],
    // A 400, `unknown variant 'developer'`. https://github.com/earendil-works/pi/issues/1048
    systemForDeveloper: '.',
  },
};
