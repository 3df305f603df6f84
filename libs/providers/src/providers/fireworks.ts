import type { ProviderInput } from '../provider-input';

/** What marks for the cache and other makers' answers bring to messages. */
const outsideMessages = [
  ...['reasoning', 'reasoning_details', 'cache_control', 'refusal', 'annotations', 'audio', 'function_call'],
  ...['extra_content', 'provider_specific_fields', 'parsed', 'parsed_arguments'],
  ...['metadata', 'options'],
];

/** What requests to OpenAI may have. */
const outsideRequests = [
  'store',
  'safety_identifier',
  'prompt_cache_retention',
  'prompt_cache_options',
  'verbosity',
  'modalities',
];

export const fireworks: ProviderInput = {
  id: 'fireworks',
  name: 'Fireworks AI',
  dialect: 'openai-chat',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  apiKeyEnv: ['FIREWORKS_API_KEY'],
  documentation: 'https://docs.fireworks.ai/tools-sdks/openai-compatibility',
  quirks: {
    // What OpenRouter calls reasoning and usage is not in its schema: effort is told by `reasoning_effort`.
    // https://docs.fireworks.ai/api-reference/post-chatcompletions
    chatDropFields: ['reasoning', 'include_reasoning', 'usage'],
    // The documentation knows `max_tokens` only. https://docs.fireworks.ai/tools-sdks/openai-compatibility
    maxTokensField: 'max_tokens',
    // More is a 400, `Requests with max_tokens > 4096 must have stream=true`.
    // https://github.com/nullclaw/nullclaw/pull/231 https://github.com/nextlevelbuilder/goclaw/pull/660
    mostUnstreamed: 4_096,
    // The schema is closed: a 400, `Extra inputs are not permitted`.
    // https://github.com/FlowiseAI/Flowise/issues/2866
    // https://github.com/fw-ai-external/python-sdk (types/chat/completion_create_params.py)
    dropFields: outsideRequests,
    // The same of messages: https://github.com/musistudio/claude-code-router/issues/377
    // https://github.com/BerriAI/litellm/pull/20334
    dropMessageFields: outsideMessages,
    // Reasoning goes back as it came; how much of it is read is the model's matter (`reasoning_history`).
    // https://github.com/fw-ai-external/python-sdk (types/shared_params/chat_message.py)
    reasoningField: 'reasoning_content',
  },
};
