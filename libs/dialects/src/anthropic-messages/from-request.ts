import { GatewayError } from '@tollgate/contracts';
import { readCarried } from '../canonical/carried-seal';
import type {
  CanonicalMessage,
  CanonicalRequest,
  MessagePart,
  ReasoningSeal,
  ToolCallPart,
  ReasoningSetting,
  ResponseFormat,
} from '../canonical/generation-request';
import { invalid, RequestFields } from '../canonical/request-fields';
import { isRecord } from '../wire/json-value';
import { attributionWarning, withoutAttribution } from './attribution';
import { fromBlock, fromContent } from './from-content';
import { fromToolChoice, fromTools, withToolChanges } from './from-tools';

/**
 * What tools that run at Anthropic left in an earlier answer: searches of the web and of tools, pages,
 * machines for programs, servers of MCP and the advice of another model.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool#response
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-fetch-tool#response
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool#response-format
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool#response-format
 * https://platform.claude.com/docs/en/agents-and-tools/mcp-connector#response-content-types
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool
 */
const hosted = /^(?:web_search|web_fetch|tool_search(?:_tool_\w+)?|(?:bash_|text_editor_)?code_execution|mcp|advisor)$/;

/**
 * Reads a messages request. https://platform.claude.com/docs/en/api/messages/create
 * @throws GatewayError 400 naming the field.
 */
export function fromRequest(body: Record<string, unknown>): CanonicalRequest {
  refuseKeptThings(body);
  const fields = RequestFields.of(body, '');
  fields.ignore('model');
  const unread: string[] = [];
  const listed = fields.list('tools');
  const said = fields.list('messages') ?? [];
  const { tools: offered, messages: turns } = withToolChanges(listed ?? [], said);
  const { tools, webSearch, codeExecution } = fromTools(offered, unread);
  const { messages, lost } = withoutHostedCalls(turns);
  const request: CanonicalRequest = {
    surface: 'anthropic-messages',
    stream: fields.boolean('stream') ?? false,
    messages: [...fromSystem(fields.raw('system'), unread, lost), ...fromMessages(messages, unread)],
    tools: listed === undefined && tools.length === 0 ? undefined : tools,
    webSearch,
    codeExecution,
    ...fromToolChoice(fields.nested('tool_choice'), { webSearch }, unread),
    maxOutputTokens: fields.integer('max_tokens'),
    temperature: fields.number('temperature'),
    topP: fields.number('top_p'),
    topK: fields.integer('top_k'),
    stop: stopSequences(fields),
    ...fromReasoning(fields, said, unread),
    user: userId(fields, unread),
    unread,
    ...(lost.length > 0 && { lost }),
  };
  const extra = fields.rest();
  return Object.keys(extra).length === 0 ? request : { ...request, extra };
}

/**
 * What is kept or run at Anthropic and would be lost elsewhere, the conversation with it. Its clients send
 * all of it again when told in these words: @anthropic-ai/sdk, lib/internal/threads.
 */
const keptThings = ['thread', 'mcp_servers'];

function refuseKeptThings(body: Record<string, unknown>): void {
  const unsupported = keptThings.filter((name) => {
    const value = body[name] ?? null;
    return Array.isArray(value) ? value.length > 0 : value !== null;
  });
  if (unsupported.length === 0) return;
  const message = `${unsupported.join(' and ')} ${unsupported.length === 1 ? 'is' : 'are'} possible only with Anthropic's own models: send the whole conversation, and run the tools yourself.`;
  const details = unsupported.includes('thread') ? { error_code: 'thread_unsupported_request' } : {};
  throw new GatewayError(400, message).because('unsupported_parameter', { ...details, unsupported });
}

function stopSequences(fields: RequestFields): string[] | undefined {
  const list = fields.list('stop_sequences') ?? [];
  // OpenAI refuses an empty list, which Anthropic takes.
  if (list.length === 0) return undefined;
  if (list.every((item) => typeof item === 'string')) return list;
  throw invalid('stop_sequences', 'must be an array of strings');
}

function userId(fields: RequestFields, unread: string[]): string | undefined {
  const metadata = fields.nested('metadata');
  const id = metadata?.text('user_id');
  metadata?.finish(unread);
  return id;
}

function isOfHosted(block: unknown): boolean {
  if (!isRecord(block)) return false;
  const { type, name } = block;
  if (type === 'server_tool_use') return hosted.test(String(name));
  if (type === 'mcp_tool_use' || type === 'mcp_tool_listing') return true;
  return typeof type === 'string' && type.endsWith('_tool_result') && hosted.test(type.replace(/_tool_result$/, ''));
}

/**
 * The messages without the calls that Anthropic answered itself and what they gave: only Anthropic can read
 * what it sealed into them, and the text behind them says what came of it. `lost` tells it to the caller.
 */
function withoutHostedCalls(said: readonly unknown[]): { messages: unknown[]; lost: string[] } {
  const lost: string[] = [];
  const messages = said.map((message, index) => {
    if (!isRecord(message) || message.role !== 'assistant' || !Array.isArray(message.content)) return message;
    const content = message.content.filter((block) => !isOfHosted(block));
    if (content.length === message.content.length) return message;
    lost.push(`what ran at Anthropic for messages[${index}] was dropped: what it found stands in the answer after it`);
    return { ...message, content };
  });
  return { messages, lost };
}

/**
 * Reads `messages`. The tool results of a user turn become a `tool` message of their own. A system message
 * that only changes the effort says nothing, nor does one that a later user message has cleared:
 * https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages#turn-scoped-system-messages
 */
function fromMessages(messages: readonly unknown[], unread: string[]): CanonicalMessage[] {
  const lastOfUser = messages.findLastIndex((message) => isRecord(message) && message.role === 'user');
  return messages.flatMap((message, i) => {
    const fields = RequestFields.of(message, `messages[${i}]`);
    const role = fields.choice('role', ['user', 'assistant', 'system']);
    if (role === undefined) throw invalid(fields.path('role'), 'is required and must be user, assistant or system');
    if (role === 'system') fields.ignore('output_config');
    // `never` is OpenRouter's, beside Anthropic's word:
    // https://openrouter.ai/docs/client-sdks/typescript/models/anthropicsystemclearat
    const clearAt = role === 'system' ? fields.choice('clear_at', ['next_user_message', 'never']) : undefined;
    const isCleared = clearAt === 'next_user_message';
    const content = fields.raw('content') ?? (role === 'system' ? [] : undefined);
    const at = fields.path('content');
    const parts = role === 'assistant' ? withCallSeals(content, at, unread) : fromContent(content, at, unread);
    fields.finish(unread);
    if (role === 'system' && (parts.length === 0 || (isCleared && i < lastOfUser))) return [];
    return role === 'user' ? userMessages(parts) : [{ role, parts }];
  });
}

/**
 * Reads the `system` prompt, which is a string or text blocks, without what in it is meant for Anthropic:
 * `lost` tells it to the caller.
 */
function fromSystem(system: unknown, unread: string[], lost: string[]): CanonicalMessage[] {
  if (system === undefined || system === '') return [];
  const said = fromContent(system, 'system', unread);
  if (!said.every((part) => part.type === 'text')) throw invalid('system', 'may hold text blocks only');
  const parts = said.flatMap((part) => {
    const text = withoutAttribution(part.text);
    if (text === part.text) return [part];
    lost.push(attributionWarning);
    return text === '' ? [] : [{ ...part, text }];
  });
  return parts.length === 0 ? [] : [{ role: 'system', parts }];
}

function userMessages(parts: readonly MessagePart[]): CanonicalMessage[] {
  const messages: CanonicalMessage[] = [];
  for (const part of parts) {
    const role = part.type === 'tool-result' ? 'tool' : 'user';
    const last = messages.at(-1);
    if (last?.role === role) last.parts.push(part);
    else messages.push({ role, parts: [part] });
  }
  return parts.length === 0 ? [{ role: 'user', parts: [] }] : messages;
}

/**
 * Reads an assistant turn, and gives tool calls back the seals that `carriedText` put into a block behind
 * them.
 */
function withCallSeals(content: unknown, at: string, unread: string[]): MessagePart[] {
  if (!Array.isArray(content)) return fromContent(content, at, unread);
  const parts: MessagePart[] = [];
  const calls = new Map<string, ToolCallPart>();
  for (const [i, block] of content.entries()) {
    const carried = sealOfCall(block);
    const call = carried && calls.get(carried.toolCallId);
    if (call) call.signature = carried.seal;
    else for (const part of fromBlock(block, `${at}[${i}]`, unread)) parts.push(part);
    const last = parts.at(-1);
    if (last?.type === 'tool-call') calls.set(last.id, last);
  }
  return parts;
}

function sealOfCall(block: unknown): { seal: ReasoningSeal; toolCallId: string } | null {
  if (!isRecord(block) || block.type !== 'redacted_thinking' || typeof block.data !== 'string') return null;
  const { seal, toolCallId } = readCarried(block.data, 'anthropic-messages', 'redacted');
  return toolCallId === undefined || !seal ? null : { seal, toolCallId };
}

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
type Effort = (typeof efforts)[number];

/**
 * Reads `thinking` and `output_config`, with what `said` changes of it.
 * https://platform.claude.com/docs/en/build-with-claude/thinking
 * https://platform.claude.com/docs/en/build-with-claude/effort
 */
function fromReasoning(
  fields: RequestFields,
  said: readonly unknown[],
  unread: string[],
): Pick<CanonicalRequest, 'reasoning' | 'responseFormat'> {
  const config = fields.nested('output_config');
  const effort = effortAtEnd(said, config?.choice('effort', efforts));
  // The beta's name for `output_config.format`, which still works:
  // https://platform.claude.com/docs/en/build-with-claude/structured-outputs
  const format = config?.nested('format') ?? fields.nested('output_format');
  const reasoning = { ...fromThinking(fields.nested('thinking'), unread), ...(effort === undefined ? {} : { effort }) };
  const responseFormat = format === undefined ? undefined : fromFormat(format, unread);
  config?.finish(unread);
  return {
    ...(Object.keys(reasoning).length === 0 ? {} : { reasoning }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
  };
}

/**
 * The effort of the answer: system messages behind what a user said change it for the answer to that,
 * elsewhere from the next thing on that a user says.
 * https://platform.claude.com/docs/en/build-with-claude/effort-per-message
 */
function effortAtEnd(said: readonly unknown[], first: Effort | undefined): Effort | undefined {
  let current = first;
  let next = first;
  let isAfterUser = false;
  for (const [i, message] of said.entries()) {
    const fields = RequestFields.of(message, `messages[${i}]`);
    const role = fields.raw('role');
    if (role === 'system') {
      next = fields.nested('output_config')?.choice('effort', efforts) ?? next;
      if (isAfterUser) current = next;
      continue;
    }
    isAfterUser = role === 'user' && isNewInput(fields.raw('content'));
    if (isAfterUser) current = next;
  }
  return current;
}

/** The results of tools are none. */
function isNewInput(content: unknown): boolean {
  return !Array.isArray(content) || content.some((block) => !isRecord(block) || block.type !== 'tool_result');
}

function fromThinking(thinking: RequestFields | undefined, unread: string[]): ReasoningSetting {
  if (thinking === undefined) return {};
  const setting = thinkingMode(thinking);
  const display = thinking.choice('display', ['summarized', 'omitted']);
  thinking.finish(unread);
  if (display === undefined) return setting;
  return { ...setting, summary: display === 'omitted' ? 'none' : 'auto' };
}

function thinkingMode(thinking: RequestFields): ReasoningSetting {
  switch (thinking.requiredText('type')) {
    case 'enabled': {
      const budgetTokens = thinking.integer('budget_tokens');
      if (budgetTokens === undefined || budgetTokens < 1_024)
        throw invalid(thinking.path('budget_tokens'), 'must be an integer of at least 1024');
      return { budgetTokens };
    }
    case 'adaptive':
      return { adaptive: true };
    // Between tools is the least that some models can think, and what they have in the place of `disabled`.
    case 'between_tools':
    case 'disabled':
      return { off: true };
    default:
      throw invalid(thinking.path('type'), 'must be one of enabled, adaptive, disabled, between_tools');
  }
}

/** The dialect has no name for a schema; other dialects need one. */
function fromFormat(format: RequestFields, unread: string[]): ResponseFormat {
  const type = format.requiredText('type');
  if (type !== 'json_schema') throw invalid(format.path('type'), 'must be json_schema');
  const schema = format.object('schema');
  if (schema === undefined) throw invalid(format.path('schema'), 'is required and must be an object');
  format.finish(unread);
  return { type: 'json-schema', name: 'answer', schema, strict: true };
}
