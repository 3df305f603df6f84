import type {
  CanonicalMessage,
  CanonicalRequest,
  MessagePart,
  ResponseFormat,
  ToolResultPart,
  ReasoningPart,
  ReasoningSeal,
  ToolCallPart,
} from '../canonical/generation-request';
import { invalid, RequestFields } from '../canonical/request-fields';
import { readLocation, type WebSearch } from '../canonical/web-search';
import { fromContent, readCacheControl } from './from-content';
import { fromDetails } from './reasoning-details';
import { fromReasoning } from './from-reasoning';
import { fromToolChoice, fromTools } from './from-tools';
import { customArguments } from '../canonical/custom-tool';
import { recordIn } from '../wire/json-value';

/**
 * Reads a chat completion request. https://platform.openai.com/docs/api-reference/chat/create
 * @throws GatewayError 400 naming the field.
 */
export function fromRequest(body: Record<string, unknown>): CanonicalRequest {
  const fields = RequestFields.of(body, '');
  // What a stream shows beside the answer is between the caller and the gateway.
  fields.ignore('model', 'stream_options', 'usage');
  // Thoughts are told to who asks for them; to leave them out is nothing that is known here.
  if (body.include_reasoning === true) fields.ignore('include_reasoning');
  const unread: string[] = [];
  checkModalities(fields, unread);
  const tools = fromTools(fields, unread);
  const request: CanonicalRequest = {
    surface: 'openai-chat',
    stream: fields.boolean('stream') ?? false,
    messages: fromMessages(fields.list('messages') ?? [], unread),
    tools,
    webSearch: webSearch(fields.nested('web_search_options'), unread),
    ...fromToolChoice(fields, tools ?? [], unread),
    parallelToolCalls: fields.boolean('parallel_tool_calls'),
    maxOutputTokens: outputLimit(fields, unread),
    temperature: fields.number('temperature'),
    topP: fields.number('top_p'),
    topK: topK(fields),
    stop: stopSequences(fields),
    seed: fields.integer('seed'),
    choices: fields.integer('n'),
    presencePenalty: fields.number('presence_penalty'),
    frequencyPenalty: fields.number('frequency_penalty'),
    logprobs: logprobs(fields, unread),
    responseFormat: responseFormat(fields, unread),
    reasoning: fromReasoning(fields, unread),
    user: fields.text('user'),
    metadata: labels(fields),
    unread,
  };
  const extra = fields.rest();
  return Object.keys(extra).length === 0 ? request : { ...request, extra };
}

/**
 * An answer that is to be heard is not one in words: its caller reads `audio` of the message.
 * https://platform.openai.com/docs/guides/audio
 */
function checkModalities(fields: RequestFields, unread: string[]): void {
  const wanted = fields.list('modalities') ?? [];
  if (wanted.includes('audio')) throw invalid('modalities', "cannot hold 'audio': this model answers in text");
  if (wanted.some((kind) => kind !== 'text')) unread.push('modalities');
}

/** https://platform.openai.com/docs/guides/tools-web-search?api-mode=chat */
function webSearch(options: RequestFields | undefined, unread: string[]): WebSearch | undefined {
  if (options === undefined) return undefined;
  const contextSize = options.choice('search_context_size', ['low', 'medium', 'high']);
  const place = options.nested('user_location');
  const location = readLocation(place?.nested('approximate'), unread);
  place?.ignore('type');
  place?.finish(unread);
  options.finish(unread);
  return { isDispensable: false, ...location, ...(contextSize && { contextSize }) };
}

/**
 * Not OpenAI's, but of most who have this format; 0 and -1 are no bound:
 * https://openrouter.ai/docs/api-reference/parameters#top-k
 * https://docs.vllm.ai/en/latest/api/vllm/sampling_params.html
 */
function topK(fields: RequestFields): number | undefined {
  const most = fields.integer('top_k');
  return most !== undefined && most > 0 ? most : undefined;
}

/** A caller who sends both limits meant the newer one. */
function outputLimit(fields: RequestFields, unread: string[]): number | undefined {
  const older = fields.integer('max_tokens');
  const newer = fields.integer('max_completion_tokens');
  if (older !== undefined && newer !== undefined && older !== newer) unread.push('max_tokens');
  return newer ?? older;
}

function stopSequences(fields: RequestFields): string[] | undefined {
  const stop = fields.raw('stop');
  if (stop === undefined) return undefined;
  if (typeof stop === 'string') return [stop];
  const list = fields.list('stop') ?? [];
  if (list.every((item) => typeof item === 'string')) return list;
  throw invalid('stop', 'must be a string or an array of strings');
}

function logprobs(fields: RequestFields, unread: string[]): CanonicalRequest['logprobs'] {
  const isAsked = fields.boolean('logprobs');
  const top = fields.integer('top_logprobs');
  if (isAsked === true) return { top: top ?? 0 };
  if (top !== undefined) unread.push('top_logprobs');
  return undefined;
}

function responseFormat(fields: RequestFields, unread: string[]): ResponseFormat | undefined {
  const format = fields.nested('response_format');
  if (format === undefined) return undefined;
  const type = format.choice('type', ['text', 'json_object', 'json_schema']);
  const schema = format.nested('json_schema');
  format.finish(unread);
  if (type === undefined) throw invalid(format.path('type'), 'is required');
  if (type !== 'json_schema') return { type: type === 'text' ? 'text' : 'json-object' };
  if (schema === undefined) throw invalid(format.path('json_schema'), 'is required and must be an object');
  const read: ResponseFormat = {
    type: 'json-schema',
    name: schema.requiredText('name'),
    description: schema.text('description'),
    schema: schema.object('schema') ?? {},
    strict: schema.boolean('strict'),
  };
  schema.finish(unread);
  return read;
}

function labels(fields: RequestFields): Record<string, string> | undefined {
  const metadata = fields.object('metadata');
  if (metadata === undefined) return undefined;
  const entries = Object.entries(metadata).map(([name, value]): [string, string] => {
    if (typeof value !== 'string') throw invalid(`metadata.${name}`, 'must be a string');
    return [name, value];
  });
  return Object.fromEntries(entries);
}

/**
 * Reads the conversation. `unread` takes the paths of fields that no other dialect knows.
 * @throws GatewayError 400 naming the field.
 */
function fromMessages(messages: readonly unknown[], unread: string[]): CanonicalMessage[] {
  return messages.map((message, index) => fromMessage(RequestFields.of(message, `messages[${index}]`), unread));
}

function fromMessage(fields: RequestFields, unread: string[]): CanonicalMessage {
  const role = fields.requiredText('role');
  const name = role === 'tool' || role === 'function' ? undefined : fields.text('name');
  const parts = marked(partsOf(role, fields, unread), readCacheControl(fields, unread));
  fields.finish(unread);
  return { role: role === 'function' ? 'tool' : readRole(role, fields), ...(name !== undefined && { name }), parts };
}

/**
 * A mark on a message, as opencode sets it, stands for one on its last part.
 * https://openrouter.ai/docs/features/prompt-caching
 */
function marked(parts: MessagePart[], cacheControl: MessagePart['cacheControl']): MessagePart[] {
  const last = parts.at(-1);
  if (cacheControl !== undefined && last) last.cacheControl ??= cacheControl;
  return parts;
}

function readRole(role: string, fields: RequestFields): CanonicalMessage['role'] {
  if (role === 'system' || role === 'developer' || role === 'user' || role === 'assistant' || role === 'tool')
    return role;
  throw invalid(fields.path('role'), 'must be one of system, developer, user, assistant, tool');
}

function partsOf(role: string, fields: RequestFields, unread: string[]): MessagePart[] {
  switch (role) {
    case 'assistant':
      return fromAssistant(fields, unread);
    case 'tool':
      return [result(fields.requiredText('tool_call_id'), fields.text('name'), fields, unread)];
    case 'function': {
      // Results of the older functions are found by name, and so are their calls: see `fromAssistant`.
      const name = fields.requiredText('name');
      return [result(name, name, fields, unread)];
    }
    default:
      return fromContent(fields, unread);
  }
}

function result(
  toolCallId: string,
  toolName: string | undefined,
  fields: RequestFields,
  unread: string[],
): ToolResultPart {
  const content = fromContent(fields, unread).filter((part) => isResultContent(part, fields));
  return { type: 'tool-result', toolCallId, ...(toolName !== undefined && { toolName }), content };
}

function isResultContent(part: MessagePart, fields: RequestFields): part is ToolResultPart['content'][number] {
  if (part.type === 'text' || part.type === 'image' || part.type === 'file') return true;
  throw invalid(fields.path('content'), `must hold text, images or files, not ${part.type}`);
}

/** Reads an assistant's message: what it thought, said, refused and called, in this order. */
function fromAssistant(fields: RequestFields, unread: string[]): MessagePart[] {
  const reasoning = reasoningParts(fields);
  const content = fromContent(fields, unread);
  const refusal = fields.text('refusal');
  const calls = fields.list('tool_calls') ?? [];
  // The sources of an answer, which clients send back with it.
  fields.ignore('annotations');
  return [
    ...reasoning,
    ...content,
    ...(refusal === undefined ? [] : [{ type: 'refusal' as const, text: refusal }]),
    ...calls.map((call, index) => fromCall(RequestFields.of(call, `${fields.path('tool_calls')}[${index}]`), unread)),
    ...fromFunctionCall(fields),
  ];
}

/**
 * `reasoning_details` (OpenRouter's form, which holds seals) says more than `reasoning_content` (DeepSeek's)
 * or `reasoning`.
 * https://openrouter.ai/docs/use-cases/reasoning-tokens https://api-docs.deepseek.com/guides/thinking_mode
 */
function reasoningParts(fields: RequestFields): ReasoningPart[] {
  const details = fields.list('reasoning_details');
  const text = fields.text('reasoning_content') ?? fields.text('reasoning');
  fields.ignore('reasoning');
  if (details !== undefined && details.length > 0) return fromDetails(details, text);
  return text === undefined || text === '' ? [] : [{ type: 'reasoning', text }];
}

function fromCall(fields: RequestFields, unread: string[]): MessagePart {
  const type = fields.text('type') ?? 'function';
  if (type !== 'function' && type !== 'custom') throw invalid(fields.path('type'), 'must be function or custom');
  const called = fields.nested(type);
  if (called === undefined) throw invalid(fields.path(type), 'is required and must be an object');
  const signature = callSignature(fields.raw('extra_content'));
  const cacheControl = readCacheControl(fields, unread);
  fields.ignore('index');
  const call: ToolCallPart & Pick<MessagePart, 'cacheControl'> = {
    type: 'tool-call',
    id: fields.requiredText('id'),
    name: called.requiredText('name'),
    arguments: type === 'custom' ? customArguments(called.text('input')) : (called.text('arguments') ?? ''),
    ...(signature && { signature }),
    ...(cacheControl && { cacheControl }),
  };
  called.finish(unread);
  fields.finish(unread);
  return call;
}

/**
 * Google's place for the signature of a call in this dialect:
 * https://ai.google.dev/gemini-api/docs/openai#thought-signatures
 */
function callSignature(extraContent: unknown): ReasoningSeal | null {
  const value = recordIn(extraContent, 'google').thought_signature;
  return typeof value === 'string' && value !== '' ? { dialect: 'gemini', kind: 'signature', value } : null;
}

/** The older form of a call has no id: its result is found by the function's name. */
function fromFunctionCall(fields: RequestFields): ToolCallPart[] {
  const called = fields.nested('function_call');
  if (called === undefined) return [];
  const name = called.requiredText('name');
  return [{ type: 'tool-call', id: name, name, arguments: called.text('arguments') ?? '' }];
}
