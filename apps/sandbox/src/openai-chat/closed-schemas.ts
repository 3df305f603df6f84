import { memberOf, optionalObjects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { Refusal } from '../request/refusal';
import type { RefusalDetails } from '../request/refusal';

type Json = Record<string, unknown>;

/** What a provider knows of a request, and how it refuses the rest. */
interface ClosedSchema {
  body: readonly string[];
  messages: readonly string[];
  /** `message`: in which one the field stands; null: in none. */
  words: (field: string, message: { at: number; role: string } | null) => string;
  details: RefusalDetails;
}

const common = [
  ...['model', 'messages', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p'],
  ...['stop', 'seed', 'n', 'user', 'tools', 'tool_choice', 'parallel_tool_calls', 'response_format', 'prediction'],
  ...['frequency_penalty', 'presence_penalty', 'logit_bias', 'logprobs', 'top_logprobs', 'reasoning_effort'],
  ...['service_tier', 'reasoning_format'],
];

const schemas: Readonly<Record<string, ClosedSchema>> = {
  // https://github.com/Cerebras/cerebras-cloud-sdk-python (types/chat/completion_create_params.py)
  // In the words of https://github.com/livekit/agents/issues/1274
  // https://github.com/Gitlawb/openclaude/issues/740 https://github.com/Kilo-Org/kilocode/issues/10375
  cerebras: {
    body: [...common, 'clear_thinking', 'disable_reasoning', 'min_completion_tokens', 'min_tokens'],
    messages: ['role', 'content', 'name', 'reasoning', 'tool_calls', 'tool_call_id'],
    words: (field, message) => {
      const place = message ? `messages.${message.at}.${message.role}.${field}` : `body.${field}`;
      return `${place}: property '${place}' is unsupported`;
    },
    details: { status: 422, param: 'validation_error', code: 'wrong_api_format' },
  },
  // https://github.com/fw-ai-external/python-sdk (types/chat/completion_create_params.py and
  // types/shared_params/chat_message.py; the name of who speaks is not among its fields, and nobody reported
  // that it were refused). In the words of https://github.com/musistudio/claude-code-router/issues/377
  // https://github.com/BerriAI/litellm/pull/20334 https://github.com/FlowiseAI/Flowise/issues/2866
  fireworks: {
    body: [
      ...common,
      ...['context_length_exceeded_behavior', 'echo', 'echo_last', 'function_call', 'functions', 'ignore_eos'],
      ...['metadata', 'min_p', 'mirostat_lr', 'mirostat_target', 'perf_metrics_in_response', 'prompt_cache_key'],
      ...['prompt_cache_isolation_key', 'prompt_truncate_len', 'raw_output', 'reasoning_history', 'thinking'],
      ...['repetition_penalty', 'return_token_ids', 'safe_tokenization', 'speculation', 'top_k', 'typical_p'],
    ],
    messages: ['role', 'content', 'name', 'reasoning_content', 'tool_calls', 'tool_call_id'],
    words: (field, message) =>
      `Extra inputs are not permitted, field: '${message ? `messages[${message.at}].` : ''}${field}'`,
    details: { code: 'invalid_request_error' },
  },
  // https://github.com/groq/groq-python (types/chat/completion_create_params.py, whose `metadata` is "not
  // currently supported", and types/chat/chat_completion_assistant_message_param.py)
  // In the words of https://github.com/CherryHQ/cherry-studio/issues/11435
  // https://github.com/sipeed/picoclaw/pull/1196
  // https://github.com/skye-harris/hass_local_openai_llm/issues/59
  // https://github.com/tashfeenahmed/freellmapi/issues/1070 https://github.com/janhq/jan/issues/8136
  // https://github.com/agentjido/req_llm/issues/772
  groq: {
    body: [
      ...common,
      ...['citation_options', 'compound_custom', 'disable_tool_validation', 'documents', 'exclude_domains'],
      ...['function_call', 'functions', 'include_domains', 'include_reasoning', 'search_settings', 'store'],
    ],
    messages: ['role', 'content', 'name', 'reasoning', 'function_call', 'tool_calls', 'tool_call_id'],
    words: (field, message) => {
      const refused = `property '${field}' is unsupported`;
      if (!message) return refused;
      const place = `'messages.${message.at}'`;
      return `${place} : for 'role:${message.role}' the following must be satisfied[(${place} : ${refused})]`;
    },
    details: {},
  },
};

/**
 * Where nobody said who serves them, these names are Groq's: Together has models of the same names, and its
 * schema is open. https://github.com/togethercomputer/openapi/blob/main/openapi.yaml
 */
const namesOfGroq = /^(?:llama-3\.[13]-|openai\/gpt-oss-)/;

/** Refuses fields that a provider whose schema is closed does not know. @throws Refusal */
export function checkClosedSchema(body: Json, model: string, provider: string): void {
  const schema = schemas[provider === '' && namesOfGroq.test(model) ? 'groq' : provider];
  if (!schema) return;
  refuse(body, schema.body, (field) => schema.words(field, null), schema);
  for (const [at, message] of optionalObjects(body.messages, 'messages').entries()) {
    const words = (field: string) => schema.words(field, { at, role: textIn(message.role) });
    refuse(message, schema.messages, words, schema);
    const { content, tool_calls: calls } = message;
    const parts = (Array.isArray(content) ? (content as unknown[]) : []).filter(isRecord);
    for (const part of parts) refuse(part, ['type', textIn(part.type)], words, schema);
    for (const call of optionalObjects(calls, 'tool_calls')) {
      refuse(call, ['id', 'type', 'function', 'index'], words, schema);
      refuse(memberOf(call, 'function'), ['name', 'arguments'], words, schema);
    }
  }
}

function refuse(object: Json, known: readonly string[], words: (field: string) => string, of: ClosedSchema): void {
  const found = Object.keys(object).find((field) => !known.includes(field));
  if (found !== undefined) throw new Refusal(words(found), of.details);
}
