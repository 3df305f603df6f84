import { inputOf } from '../request/input-text';
import { unasked, type NeutralRequest, type OfferedTool, type Source } from '../request/neutral-request';
import {
  demandKnown,
  flagIn,
  limitIn,
  memberOf,
  numberIn,
  objects,
  optionalObjects,
  textIn,
  textsIn,
} from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { toldSchema } from '../request/told-schema';
import { lookBack, type Turn } from '../request/turns';

const knownFields = [
  'model',
  'messages',
  'stream',
  'tools',
  'strict_tools',
  'documents',
  'citation_options',
  'response_format',
  'safety_mode',
  'max_tokens',
  'stop_sequences',
  'temperature',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'k',
  'p',
  'logprobs',
  'tool_choice',
  'thinking',
  'priority',
];

/** Reads a chat request as strictly as Cohere. https://docs.cohere.com/reference/chat @throws Refusal */
export function readCohereChat(body: Record<string, unknown>): NeutralRequest {
  demandKnown(body, knownFields, (name) => `invalid request: unknown field: parameter '${name}' is not a valid field`);
  demand(typeof body.model === 'string' && body.model !== '', 'invalid request: model is required');
  checkSampling(body);
  const messages = objects(body.messages, 'messages');
  demand(messages.length > 0, 'invalid request: messages must not be empty');
  const tools = optionalObjects(body.tools, 'tools').map(readTool);
  const { tool_choice: choice } = body;
  demand(
    choice === undefined || choice === 'REQUIRED' || choice === 'NONE',
    `invalid request: tool_choice must be one of REQUIRED, NONE, not ${JSON.stringify(choice)}`,
  );
  demand(choice === undefined || tools.length > 0, 'invalid request: cannot specify tool_choice without tools');
  demand(body.strict_tools === undefined || tools.length > 0, 'invalid request: strict_tools needs tools');
  const sources = optionalList(body.documents).map(readDocument);
  demand(
    body.safety_mode === undefined || ['CONTEXTUAL', 'STRICT', 'OFF'].includes(textIn(body.safety_mode)),
    `invalid request: safety_mode must be one of CONTEXTUAL, STRICT, OFF, not ${JSON.stringify(body.safety_mode)}`,
  );
  demand(
    body.safety_mode === undefined || (tools.length === 0 && sources.length === 0),
    'invalid request: safety_mode is not configurable in combination with tools and documents',
  );
  return {
    ...unasked,
    model: body.model,
    stream: flagIn(body.stream, 'stream') === true,
    ...lookBack(readTurns(messages)),
    tools,
    toolChoice: choice === 'REQUIRED' ? 'required' : choice === 'NONE' ? 'none' : 'auto',
    reasons: readThinking(body.thinking),
    schema: readFormat(body.response_format, tools.length > 0) ?? toldSchema(messages),
    maxTokens: limitIn(body.max_tokens, 'max_tokens'),
    stops: textsIn(body.stop_sequences, 'stop_sequences', 5),
    topLogprobs: flagIn(body.logprobs, 'logprobs') === true ? 0 : null,
    sources,
    ...inputOf(messages, body.documents ?? [], body.tools ?? []),
  };
}

function checkSampling(body: Record<string, unknown>): void {
  numberIn(body.temperature, 'temperature', 0, 1);
  numberIn(body.p, 'p', 0.01, 0.99);
  numberIn(body.k, 'k', 0, 500);
  numberIn(body.frequency_penalty, 'frequency_penalty', 0, 1);
  numberIn(body.presence_penalty, 'presence_penalty', 0, 1);
  numberIn(body.seed, 'seed', 0, Number.MAX_SAFE_INTEGER);
}

function readTool(tool: Record<string, unknown>, index: number): OfferedTool {
  demandKnown(tool, ['type', 'function'], (name) => `invalid request: tools[${index}] has no field ${name}`);
  demand(tool.type === 'function', `invalid request: tools[${index}].type must be function`);
  const definition = memberOf(tool, 'function');
  demandKnown(
    definition,
    ['name', 'description', 'parameters'],
    (name) => `invalid request: tools[${index}].function has no field ${name}`,
  );
  const { name, parameters } = definition;
  demand(
    /^[a-zA-Z_]\w*$/.test(textIn(name)),
    `invalid request: tools[${index}].function.name may only contain letters, digits and underscores, and may not begin with a digit`,
  );
  demand(
    parameters === undefined || isRecord(parameters),
    `invalid request: tools[${index}].function.parameters must be an object`,
  );
  return { name: textIn(name), schema: parameters };
}

/** https://docs.cohere.com/docs/reasoning */
function readThinking(thinking: unknown): boolean {
  if (thinking === undefined) return false;
  demand(isRecord(thinking), 'invalid request: thinking must be an object');
  demandKnown(thinking, ['type', 'token_budget'], (name) => `invalid request: thinking has no field ${name}`);
  demand(
    thinking.type === 'enabled' || thinking.type === 'disabled',
    'invalid request: thinking.type must be enabled or disabled',
  );
  limitIn(thinking.token_budget, 'thinking.token_budget');
  return thinking.type === 'enabled';
}

/** https://docs.cohere.com/docs/structured-outputs */
function readFormat(format: unknown, hasTools: boolean): unknown {
  if (!isRecord(format) || format.type === 'text') return null;
  demand(format.type === 'json_object', 'invalid request: response_format.type must be text or json_object');
  demandKnown(
    format,
    ['type', 'json_schema', 'schema'],
    (name) => `invalid request: response_format has no field ${name}`,
  );
  demand(!hasTools, 'invalid request: response_format is not supported with tools');
  const schema = format.json_schema ?? format.schema;
  demand(
    schema === undefined || (isRecord(schema) && schema.type === 'object'),
    'invalid request: response_format.json_schema must have an object at its root',
  );
  return schema ?? { type: 'object', properties: { answer: { type: 'string' } } };
}

function optionalList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** https://docs.cohere.com/docs/rag-citations */
function readDocument(document: unknown, index: number): Source {
  const id = isRecord(document) && typeof document.id === 'string' ? document.id : `doc:${index}`;
  const data = memberOf(document, 'data');
  const text = typeof document === 'string' ? document : textIn(data.text ?? data.snippet);
  const url = typeof data.url === 'string' ? data.url : null;
  return { index, id, title: textIn(data.title), text, url };
}

type Message = Record<string, unknown>;

const partTypes: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image_url', 'document'],
  system: ['text'],
  assistant: ['text', 'thinking'],
  tool: ['text', 'document'],
};

/**
 * What was said so far: results stand right behind their calls, and every call has one.
 * https://docs.cohere.com/docs/tool-use-overview
 * @throws Refusal
 */
function readTurns(messages: readonly Message[]): Turn[] {
  const open = new Set<string>();
  const turns = messages.map((message, index): Turn => {
    demand(
      message.role === 'tool' || open.size === 0,
      `invalid request: tool calls must be followed by their results, missing: ${[...open].join(', ')}`,
    );
    return readMessage(message, `messages[${index}]`, open);
  });
  demand(
    open.size === 0,
    `invalid request: tool calls must be followed by their results, missing: ${[...open].join(', ')}`,
  );
  demand(messages.at(-1)?.role !== 'assistant', 'invalid request: the last message must be a user or a tool message');
  return turns;
}

function readMessage(message: Message, where: string, open: Set<string>): Turn {
  const role = textIn(message.role);
  demand(Object.hasOwn(partTypes, role), `invalid request: ${where}.role must be one of user, assistant, system, tool`);
  const text = contentText(message.content, where, role);
  switch (role) {
    case 'user':
      demand(text !== null, `invalid request: ${where}.content is required`);
      return { kind: 'user', text };
    case 'tool':
      demand(
        open.delete(textIn(message.tool_call_id)),
        `invalid request: ${where}.tool_call_id ${textIn(message.tool_call_id)} has no tool call before it`,
      );
      return { kind: 'results', texts: [text ?? ''] };
    case 'assistant':
      readCalls(message, text, where, open);
      return { kind: 'assistant' };
    default:
      demand(text !== null && text !== '', `invalid request: ${where}.content is required`);
      return { kind: 'assistant' };
  }
}

function readCalls(message: Message, text: string | null, where: string, open: Set<string>): void {
  const calls = optionalObjects(message.tool_calls, `${where}.tool_calls`);
  demand(
    calls.length > 0 || (text !== null && text !== ''),
    `invalid request: ${where} must have at least one of content and tool_calls`,
  );
  for (const call of calls) {
    const called = memberOf(call, 'function');
    demand(textIn(call.id) !== '' && call.type === 'function', `invalid request: ${where}.tool_calls need id and type`);
    demand(
      typeof called.arguments === 'string' && isObject(called.arguments),
      `invalid request: ${where}.tool_calls.function.arguments must be an object in JSON`,
    );
    open.add(textIn(call.id));
  }
}

function isObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Null where there is no content. */
function contentText(content: unknown, where: string, role: string): string | null {
  if (content === undefined || content === null) return null;
  if (typeof content === 'string') return content;
  return objects(content, `${where}.content`)
    .map((part) => {
      demand(
        partTypes[role]?.includes(textIn(part.type)) === true,
        `invalid request: ${where}.content: a ${role} message has no ${textIn(part.type)}`,
      );
      if (part.type !== 'document') return textIn(part.text ?? part.thinking);
      const { data } = memberOf(part, 'document');
      return typeof data === 'string' ? data : JSON.stringify(data);
    })
    .join(' ');
}
