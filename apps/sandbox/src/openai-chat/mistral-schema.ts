import { splitModel } from '../behaviour/read-behaviour';
import { memberOf, optionalObjects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { Refusal } from '../request/refusal';

type Json = Record<string, unknown>;

/** What is wrong with a request, and where, as FastAPI lists it. */
interface Fault {
  type: string;
  loc: readonly (string | number)[];
  msg: string;
  input: unknown;
  ctx?: Json;
}

/**
 * What a request may hold, by the schema that Mistral makes its clients of:
 * https://github.com/mistralai/client-python (models/chatcompletionrequest.py)
 */
const fields = [
  'model',
  'messages',
  'temperature',
  'top_p',
  'max_tokens',
  'stream',
  'stop',
  'random_seed',
  'metadata',
  'response_format',
  'tools',
  'tool_choice',
  'presence_penalty',
  'frequency_penalty',
  'n',
  'prediction',
  'parallel_tool_calls',
  'reasoning_effort',
  'prompt_mode',
  'guardrails',
  'prompt_cache_key',
  'safe_prompt',
];

/**
 * The same of messages by their role, and of calls. https://github.com/mistralai/client-python
 * (models/assistantmessage.py, usermessage.py, systemmessage.py, toolmessage.py, toolcall.py,
 * functioncall.py)
 */
const messageFields: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_calls', 'prefix'],
  tool: ['role', 'content', 'tool_call_id', 'name'],
};
const callFields = ['id', 'type', 'function', 'index'];
const functionFields = ['name', 'arguments'];

/** https://github.com/SillyTavern/SillyTavern/pull/4856 */
const highestTemperature = 1.5;

/**
 * Tokens of a prompt and of its answer together. https://docs.mistral.ai/getting-started/models/
 * https://docs.mistral.ai/models/mistral-large-4-0
 */
const contexts: readonly [models: RegExp, tokens: number][] = [
  [/^mistral-large-4/, 1_048_576],
  [/^mistral-(?:large-2512|medium)/, 262_144],
  [/^mistral-small-2603/, 256_000],
];

/**
 * The schema is closed, that of messages and calls too. In Mistral's words, a bare list as in
 * https://github.com/Gitlawb/openclaude/issues/739 https://github.com/zeroclaw-labs/zeroclaw/issues/2693
 * (older reports have it within an object: https://github.com/editor-code-assistant/eca/issues/231). Of
 * messages: https://github.com/BerriAI/litellm/issues/30835
 * https://github.com/Gage-Technologies/mistral-go/issues/3
 * @throws Refusal
 */
export function checkMistralSchema(body: Json): void {
  const faults = [...extra(body, fields, ['body']), ...heat(body)];
  for (const [at, message] of optionalObjects(body.messages, 'messages').entries())
    faults.push(...faultsOf(message, ['body', 'messages', at]));
  const [first] = faults;
  if (first)
    throw new Refusal(first.msg, {
      status: 422,
      code: first.type,
      param: first.loc.join('.'),
      more: { detail: faults },
    });
}

function heat({ temperature }: Json): Fault[] {
  if (typeof temperature !== 'number' || temperature <= highestTemperature) return [];
  const msg = `Input should be less than or equal to ${highestTemperature}`;
  const ctx = { le: highestTemperature };
  return [{ type: 'less_than_equal', loc: ['body', 'temperature'], msg, input: temperature, ctx }];
}

function faultsOf(message: Json, loc: Fault['loc']): Fault[] {
  const role = textIn(message.role);
  const known = messageFields[role];
  if (!known) {
    const expected = Object.keys(messageFields).sort();
    const msg = `Input tag '${role}' found using 'role' does not match any of the expected tags: ${expected.map((tag) => `'${tag}'`).join(', ')}`;
    return [{ type: 'union_tag_invalid', loc, msg, input: message }];
  }
  const { content, tool_calls: calls } = message;
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  return [
    ...extra(message, known, [...loc, role]),
    ...parts.flatMap((part, at) =>
      // https://github.com/charmbracelet/crush/issues/1590
      Object.hasOwn(part, 'cache_control') ? [forbidden(part, 'cache_control', [...loc, role, 'content', at])] : [],
    ),
    ...optionalObjects(calls, 'tool_calls').flatMap((call, at) => [
      ...extra(call, callFields, [...loc, role, 'tool_calls', at]),
      ...extra(memberOf(call, 'function'), functionFields, [...loc, role, 'tool_calls', at, 'function']),
    ]),
  ];
}

function extra(object: Json, known: readonly string[], loc: Fault['loc']): Fault[] {
  return Object.keys(object)
    .filter((name) => !known.includes(name))
    .map((name) => forbidden(object, name, loc));
}

function forbidden(object: Json, name: string, loc: Fault['loc']): Fault {
  return {
    type: 'extra_forbidden',
    loc: [...loc, name],
    msg: 'Extra inputs are not permitted',
    input: object[name],
  };
}

/** Mistral's tokenizer is not the gateway's: here it makes so much more of the same text. */
const ownCount = 1.05;

/**
 * A prompt and `max_tokens` fit into the context together: https://github.com/mistralai/client-python
 * (docs/models/chatcompletionrequest.md). The words are those of a prompt that is too long alone; of its sum
 * with `max_tokens` no report was found.
 * @throws Refusal
 */
export function checkMistralLimit(model: string, inputTokens: number, maxTokens: number | null): void {
  const context = contexts.find(([models]) => models.test(splitModel(model).name))?.[1] ?? Infinity;
  const tokens = Math.ceil(inputTokens * ownCount) + (maxTokens ?? 0);
  if (tokens <= context) return;
  const message = `Prompt contains ${tokens} tokens and 0 draft tokens, too large for model with ${context} maximum context length`;
  const named = { type: 'invalid_request_invalid_args', code: '3051' };
  throw new Refusal(message, {
    ...named,
    more: { object: 'error', message, param: null, ...named, raw_status_code: 400 },
  });
}
