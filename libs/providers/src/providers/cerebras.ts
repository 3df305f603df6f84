import type { ProviderInput } from '../provider-input';

/** What thoughts, marks for the cache and other makers' answers bring to messages. */
const outsideMessages = [
  ...['reasoning_content', 'reasoning_details', 'cache_control', 'refusal', 'annotations', 'audio'],
  ...['function_call', 'extra_content', 'provider_specific_fields', 'parsed', 'parsed_arguments'],
  ...['metadata', 'options'],
];

/** What requests to OpenAI may have. */
const outsideRequests = [
  ...['store', 'metadata', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention'],
  ...['prompt_cache_options', 'verbosity', 'modalities'],
];

export const cerebras: ProviderInput = {
  id: 'cerebras',
  name: 'Cerebras',
  dialect: 'openai-chat',
  baseUrl: 'https://api.cerebras.ai/v1',
  apiKeyEnv: ['CEREBRAS_API_KEY'],
  documentation: 'https://inference-docs.cerebras.ai/resources/openai',
  quirks: {
    // What OpenRouter calls reasoning and usage is not in its schema: effort is told by `reasoning_effort`.
    // https://github.com/Cerebras/cerebras-cloud-sdk-python (types/chat/completion_create_params.py)
    chatDropFields: ['thinking', 'reasoning', 'include_reasoning', 'usage'],
    // The reference knows `max_completion_tokens` only.
    // https://inference-docs.cerebras.ai/api-reference/chat-completions
    maxTokensField: 'max_completion_tokens',
    // The schema is closed, a 422: https://github.com/livekit/agents/issues/1274
    // https://github.com/Gitlawb/openclaude/issues/740
    // https://docs.getbifrost.ai/providers/supported-providers/cerebras
    dropFields: outsideRequests,
    // Its answers name it `reasoning` (https://inference-docs.cerebras.ai/capabilities/reasoning), and it
    // refuses `reasoning_content`, as all that is not in its schema of messages:
    // https://github.com/OpenMinis/OpenMinis/issues/361
    // https://github.com/Cerebras/cerebras-cloud-sdk-python (types/chat/completion_create_params.py)
    dropMessageFields: outsideMessages,
  },
};
