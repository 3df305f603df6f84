import type { ProviderInput } from '../provider-input';

const thoughts = ['reasoning', 'reasoning_content', 'reasoning_details'];

/** What answers of other makers and OpenAI's clients add to messages, and marks for the cache. */
const answers = [
  ...['cache_control', 'parsed', 'parsed_arguments', 'refusal', 'annotations', 'audio', 'extra_content'],
  ...['provider_specific_fields', 'metadata', 'options'],
];

/** What requests to OpenAI may have. */
const outsideRequests = [
  ...['safety_identifier', 'prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options', 'verbosity'],
  'modalities',
];

// `logprobs`, `top_logprobs`, `logit_bias`, `messages[].name` and `n` above 1 are a 400 here. They change
// what comes back, so none is dropped:
// the caller sees Groq's refusal. https://console.groq.com/docs/openai#currently-unsupported-openai-features
export const groq: ProviderInput = {
  id: 'groq',
  name: 'Groq',
  dialect: 'openai-chat',
  // In beta, and without memory of earlier responses. https://console.groq.com/docs/responses-api
  alsoSpeaks: ['openai-responses'],
  baseUrl: 'https://api.groq.com/openai/v1',
  apiKeyEnv: ['GROQ_API_KEY'],
  documentation: 'https://console.groq.com/docs/openai',
  quirks: {
    // Codex says by which programs it has its access, a field of OpenAI's own:
    // https://github.com/lidge-jun/opencodex/issues/4853
    // So are others: https://github.com/CherryHQ/cherry-studio/issues/11435
    // https://github.com/sipeed/picoclaw/pull/1196
    dropFields: ['access_programs', ...outsideRequests],
    // "`metadata` is not supported with this model", which responses take.
    // https://github.com/skye-harris/hass_local_openai_llm/issues/59
    // https://console.groq.com/docs/responses-api
    // What OpenRouter calls reasoning and usage is not in its schema: effort is told by `reasoning_effort`.
    // `include_reasoning` is in it.
    // https://github.com/groq/groq-python (types/chat/completion_create_params.py)
    chatDropFields: ['metadata', 'thinking', 'reasoning', 'usage'],
    // `max_tokens` is deprecated in favour of `max_completion_tokens`.
    // https://console.groq.com/docs/api-reference#chat-create
    maxTokensField: 'max_completion_tokens',
    // "property 'reasoning_content' is unsupported". https://github.com/tashfeenahmed/freellmapi/issues/1070
    // https://github.com/karthink/gptel/issues/774
    // Nor does the schema have what OpenAI's clients add to the answers that they hand out.
    // https://github.com/openai/openai-node/blob/master/src/lib/parser.ts
    // The schema of messages has none of what other makers' answers and Gradio's chats bring, either:
    // https://github.com/ed-donner/llm_engineering/issues/1130
    // https://github.com/groq/groq-python (types/chat/chat_completion_assistant_message_param.py)
    dropMessageFields: [...thoughts, ...answers],
  },
};
