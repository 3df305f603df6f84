import type { GatewayError, ServedTerms } from '@tollgate/contracts';
import { costMembers } from '../canonical/cost-event';
import { GatheredStream, type StreamAssembly } from '../canonical/gathered-stream';
import { served, servedTier } from '../canonical/served-terms';
import { SseTranscript } from '../canonical/sse-transcript';
import type { SurfaceDialect } from '../surface-dialect';
import { openaiFullContext, toldError } from '../upstream-error/told-error';
import { JsonDepthError, JsonSyntaxError } from '../wire/json-cursor';
import { isRecord, parseJson, textIn, recordIn } from '../wire/json-value';
import { mergeDelta } from '../wire/merge-delta';
import type { SseEvent } from '../wire/sse-splitter';
import { ChunkReader } from './chunk-reader';
import { countInputTokens } from './count-input-tokens';
import { OutputTally } from './delta-reader';
import { providerHeaders } from './provider-headers';
import { readRequest } from './read-request';
import { isFlatCustom } from '../canonical/custom-tool';
import { invalid } from '../canonical/request-fields';

/**
 * Counts what a caller of a chat completion stream was sent. Only whole events count; what is no chunk is
 * passed over.
 */
export class ChatTranscript extends SseTranscript {
  private readonly tally = new OutputTally();
  private readonly chunks = new ChunkReader(this.tally);

  outputTokens(): number {
    return this.tally.tokens();
  }

  served(): ServedTerms | undefined {
    return served({ tier: servedTier(parseJson(this.chunks.tier)) }).served;
  }

  protected read(event: SseEvent): void {
    try {
      this.chunks.read(event.data, event.dataStart, event.dataEnd);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError || error instanceof JsonDepthError)) throw error;
    }
  }
}

/**
 * Puts the chunks of a chat completion together, without log probabilities.
 * https://platform.openai.com/docs/api-reference/chat-streaming
 */
export class ChatAssembly implements StreamAssembly {
  private top: Record<string, unknown> | null = null;
  private readonly choices = new Map<unknown, Record<string, unknown>>();

  add(_name: string, { choices, object: _, ...rest }: Record<string, unknown>): void {
    this.top ??= {};
    for (const [name, value] of Object.entries(rest)) if (value !== null) this.top[name] = value;
    if (!Array.isArray(choices)) return;
    for (const choice of choices as unknown[]) if (isRecord(choice)) this.addChoice(choice);
  }

  answer(): Record<string, unknown> | null {
    return this.top && { object: 'chat.completion', ...this.top, choices: [...this.choices.values()] };
  }

  private addChoice({ index = 0, delta, finish_reason: finish }: Record<string, unknown>): void {
    const message = {};
    const choice = this.choices.get(index) ?? { index, message, finish_reason: null };
    this.choices.set(index, choice);
    if (isRecord(delta)) mergeDelta(choice, { message: delta });
    if (typeof finish === 'string') choice.finish_reason = finish;
  }
}

const told = (error: GatewayError) => toldError(error, openaiFullContext);

/** OpenAI chat completions, as callers speak them. https://platform.openai.com/docs/api-reference/chat */
export const openaiChatSurface: SurfaceDialect = {
  name: 'openai-chat',
  path: '/v1/chat/completions',
  inOwnForm,
  readRequest,
  providerHeaders,
  keepAlive: Buffer.from(': keep-alive\n\n'),
  errorBody: (error) => told(error),
  // No [DONE] follows, so no client takes what it has for the whole answer.
  streamError: (error) => Buffer.from(`data: ${JSON.stringify(told(error))}\n\n`),
  closesStream: (line) => /^data: ?\[DONE\]/.test(line),
  // As the chunk of usage, which has no choices either; strict clients want the fields that every chunk has.
  costEvent: (cost, first) => {
    const { id, object, created, model } = isRecord(first) ? first : {};
    const chunk = { id, object, created, model, choices: [], ...costMembers(cost) };
    return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
  },
  countInputTokens,
  // `store` keeps the completion, and a spoken answer is named by an id that expires:
  // https://platform.openai.com/docs/api-reference/chat/create
  keepsState: (body) => isRecord(body) && (body.store === true || isRecord(body.audio)),
  answerId: (first) => textIn(first, 'id'),
  transcript: () => new ChatTranscript(),
  gatheredStream: (maxBytes) => new GatheredStream(new ChatAssembly(), maxBytes),
};

type Json = Record<string, unknown>;

/**
 * A chat completion request from a body in the form of the responses API, which Cursor sends to this address:
 * `input` for messages, and tools without their inner object.
 * https://github.com/Helicone/helicone/issues/5629 https://github.com/icebear0828/codex-proxy/issues/707
 * The answer is a chat completion all the same. A tool of free text stays without one: its calls go back in
 * the form that its caller knows, and are understood in it. The very same object where it is one already.
 * @throws GatewayError 400 for an item that chat completions cannot say.
 */
function inOwnForm(body: unknown): unknown {
  if (!isRecord(body)) return body;
  const isOther = body.input !== undefined && body.messages === undefined;
  const tools: unknown[] = Array.isArray(body.tools) ? body.tools : [];
  const free = new Set(tools.filter(isFlatCustom).map(({ name }) => name));
  const choice = body.tool_choice;
  const isNested = !tools.some(isFlatFunction) && !isFlat(choice);
  const plain = isNested
    ? body
    : {
        ...body,
        ...(tools.length > 0 && { tools: tools.map((tool) => (isFlatFunction(tool) ? toNested(tool) : tool)) }),
        ...(isFlat(choice) && { tool_choice: toNested(choice) }),
      };
  return withOwnTurns(isOther ? toChat(plain) : plain, free);
}

/** The very same object where nothing that was said must be said otherwise. */
function withOwnTurns(body: Json, free: ReadonlySet<unknown>): Json {
  const before: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const messages = before.map((message) => toOwnTurn(message, free));
  return messages.every((message, index) => message === before[index]) ? body : { ...body, messages };
}

/**
 * What the assistant said, without a content that is empty, which Cursor sends beside calls,
 * https://github.com/archestra-ai/archestra/pull/7375 and its calls of tools of free text as such.
 */
function toOwnTurn(message: unknown, free: ReadonlySet<unknown>): unknown {
  if (!isRecord(message) || message.role !== 'assistant') return message;
  const { content, tool_calls: calls } = message;
  const isEmpty = Array.isArray(content) && content.length === 0;
  const hasFree = free.size > 0 && Array.isArray(calls) && calls.some((call) => isCallOf(call, free));
  if (!isEmpty && !hasFree) return message;
  return {
    ...message,
    ...(isEmpty && { content: Array.isArray(calls) && calls.length > 0 ? null : '' }),
    ...(hasFree && { tool_calls: calls.map((call: unknown) => (isCallOf(call, free) ? toFreeCall(call) : call)) }),
  };
}

function isCallOf(call: unknown, free: ReadonlySet<unknown>): call is Json {
  return isRecord(call) && free.has(recordIn(call, 'function').name);
}

function toFreeCall({ function: called, type: _type, ...rest }: Json): Json {
  const { name, arguments: input } = recordIn({ called }, 'called');
  return { ...rest, type: 'custom', custom: { name, input } };
}

function toChat(body: Json): Json {
  const { input, instructions, text, reasoning, max_output_tokens: limit, ...others } = body;
  // What these ask for is in every chat completion, or in none.
  const { include: _include, truncation: _truncation, ...rest } = others;
  const { effort } = recordIn({ reasoning }, 'reasoning');
  const { format, verbosity } = recordIn({ text }, 'text');
  const items: unknown[] = typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input);
  const system = typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : [];
  return {
    ...rest,
    messages: [...system, ...toMessages(items)],
    ...(limit != null && { max_completion_tokens: limit }),
    ...(effort != null && { reasoning_effort: effort }),
    ...(verbosity != null && { verbosity }),
    ...(isRecord(format) && { response_format: toResponseFormat(format) }),
  };
}

function listOf(input: unknown): unknown[] {
  if (Array.isArray(input)) return input;
  throw invalid('input', 'must be a string or an array of items');
}

/** Calls that follow one another, and the text before them, are one turn. */
function toMessages(items: readonly unknown[]): Json[] {
  const messages: Json[] = [];
  for (const [index, item] of items.entries()) {
    const at = `input[${index}]`;
    if (!isRecord(item)) throw invalid(at, 'must be an object');
    const type = textIn(item, 'type') ?? 'message';
    if (type === 'message') messages.push({ role: item.role, content: toContent(item.content, at) });
    else if (type === 'function_call' || type === 'custom_tool_call') addCall(messages, type, item);
    else if (type === 'function_call_output' || type === 'custom_tool_call_output')
      messages.push({ role: 'tool', tool_call_id: item.call_id, content: toContent(item.output, at) });
    else if (type !== 'reasoning') throw invalid(`${at}.type`, `has the value '${type}': use /v1/responses for it`);
  }
  return messages;
}

function addCall(messages: Json[], type: 'function_call' | 'custom_tool_call', item: Json): void {
  const { call_id: id, name, arguments: args, input } = item;
  const call =
    type === 'function_call'
      ? { id, type: 'function', function: { name, arguments: args } }
      : { id, type: 'custom', custom: { name, input } };
  const last = messages.at(-1);
  if (last?.role !== 'assistant') messages.push({ role: 'assistant', content: null, tool_calls: [call] });
  // A list of our own, which must not be copied for each call: there may be very many.
  else if (Array.isArray(last.tool_calls)) last.tool_calls.push(call);
  else last.tool_calls = [call];
}

function toContent(content: unknown, at: string): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown, index) => {
    const { type, text, image_url: url, detail, file_data, filename, file_id } = isRecord(part) ? part : {};
    switch (type) {
      case 'input_text':
      case 'output_text':
      case 'text':
        return { type: 'text', text };
      case 'refusal':
      case 'image_url':
        return part;
      case 'input_image':
        return { type: 'image_url', image_url: { url, ...(detail != null && { detail }) } };
      case 'input_file':
        return { type: 'file', file: { file_data, filename, file_id } };
      default:
        throw invalid(
          `${at}.content[${index}].type`,
          `has the value '${String(type)}', which chat completions do not know`,
        );
    }
  });
}

function toResponseFormat({ type, ...schema }: Json): Json {
  return type === 'json_schema' ? { type, json_schema: schema } : { type };
}

/** A function or a custom tool without its inner object. */
interface FlatTool extends Json {
  type: 'function' | 'custom';
}

function isFlat(tool: unknown): tool is FlatTool {
  if (!isRecord(tool) || (tool.type !== 'function' && tool.type !== 'custom')) return false;
  return tool[tool.type] === undefined && textIn(tool, 'name') !== null;
}

function isFlatFunction(tool: unknown): tool is FlatTool {
  return isFlat(tool) && tool.type === 'function';
}

function toNested({ type, ...inner }: FlatTool): Json {
  return { type, [type]: inner };
}
