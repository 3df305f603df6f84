import type { ProviderInput } from '../provider-input';

export const alibaba: ProviderInput = {
  id: 'alibaba',
  name: 'Alibaba Cloud Model Studio',
  dialect: 'openai-chat',
  // The same key reaches messages under /apps/anthropic, for a part of the models. What is marked for the
  // cache is kept for chat completions, too (`cacheMarks`), so that nothing is lost that they had.
  // https://www.alibabacloud.com/help/en/model-studio/anthropic-api-messages
  // https://www.alibabacloud.com/help/en/model-studio/context-cache The international (Singapore) endpoint;
  // keys of the Beijing region need https://dashscope.aliyuncs.com/compatible-mode/v1 (override in
  // tollgate.yaml).
  // https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  apiKeyEnv: ['DASHSCOPE_API_KEY'],
  documentation: 'https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope',
  makes: ['qwen'],
  quirks: {
    // What OpenRouter calls reasoning and usage is not in its schema: effort is told by `reasoning_effort`.
    // https://www.alibabacloud.com/help/en/model-studio/use-qwen-by-calling-api
    chatDropFields: ['reasoning', 'include_reasoning', 'usage'],
    // The reference knows `max_tokens` only.
    // https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-openai-chat-completions
    maxTokensField: 'max_tokens',
    // Qwen reads it in a tool loop, and of earlier turns where a request has `preserve_thinking: true`.
    // https://github.com/vercel/ai/pull/20871
    reasoningField: 'reasoning_content',
    // DeepSeek's models insist on it wherever they are served, as was reported of other hosts:
    // https://github.com/danny-avila/LibreChat/issues/13366
    insistsOnReasoning: ['deepseek-v4'],
    // Models that think or not, as they are told; later ones have an effort `none`, or always think.
    // https://www.alibabacloud.com/help/en/model-studio/deep-thinking
    // https://www.alibabacloud.com/help/en/model-studio/glm
    // https://github.com/agentscope-ai/agentscope/issues/1608 (qwen3.8-max)
    thinkingSwitch: { models: '^(?:qwen3\\.(?:[5-7]|8-max)|glm-5)', member: 'enable_thinking' },
    // A 400, `The tool_choice parameter does not support being set to required or object in thinking mode`.
    // https://github.com/cloudwego/eino/issues/994 https://github.com/agentscope-ai/agentscope/issues/1608
    noForceWhileThinking: '^qwen',
    // What is marked is written at five quarters of its price, and read again at a tenth or so. Those whose
    // rates for that the catalog knows: others read unmarked, at a fifth.
    // https://www.alibabacloud.com/help/en/model-studio/context-cache
    cacheMarks: '^qwen3\\.(?:[67]-plus|6-max-preview|[78]-max)$',
    // A 400, `developer is not one of ['system', 'assistant', 'user', 'tool', 'function']`.
    // https://github.com/proma-ai/Proma/issues/1496
    systemForDeveloper: '.',
  },
};
