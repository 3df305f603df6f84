import { readCarried } from '../canonical/carried-seal';
import { customArguments } from '../canonical/custom-tool';
import type { CanonicalMessage, MessagePart, ReasoningSeal, ToolResultPart } from '../canonical/generation-request';
import { invalid, RequestFields } from '../canonical/request-fields';
import { bringsTools, flatName, flatNames, requiredName, searchName } from './caller-tools';
import { codexNotes, holdsSealed, isAgentMessage, userMessageOf } from './agent-messages';
import { fromClientCall, fromClientOutput } from './client-tools';
import { readSummary } from './compacted-item';
import { fromContent } from './from-content';
import { isRecord } from '../wire/json-value';

/**
 * What tools that run at OpenAI left of an earlier answer, of a model before this one. Codex has images made
 * unasked. https://platform.openai.com/docs/api-reference/responses/object#responses-object-output
 */
const ranAtOpenai = /^(?:(?:web_search|file_search|code_interpreter|image_generation|mcp)_call|mcp_list_tools)$/;
const foundBefore = 'what it found stands in the answer after it';

/** What of the caller's body does not reach the model: `unread` as paths, `lost` in whole sentences. */
interface Losses {
  unread: string[];
  lost: string[];
}

/** What an item comes to: a message, or the seal of a tool call that stands beside it. */
interface ReadItem {
  role: CanonicalMessage['role'];
  parts: MessagePart[];
  callSeal?: { toolCallId: string; seal: ReasoningSeal };
}

/**
 * Reads `instructions` and `input`. Reasoning, text and calls of the assistant that stand together are one
 * message, as they are in other dialects.
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-input @throws GatewayError
 * 400 naming the item.
 */
export function fromInput(fields: RequestFields, losses: Losses): CanonicalMessage[] {
  const instructions = fields.text('instructions');
  const messages: CanonicalMessage[] =
    instructions === undefined ? [] : [{ role: 'system', parts: [{ type: 'text', text: instructions }] }];
  const input = fields.raw('input');
  if (typeof input === 'string') return [...messages, { role: 'user', parts: [{ type: 'text', text: input }] }];
  const seals = new Map<string, ReasoningSeal>();
  for (const [index, item] of (fields.list('input') ?? []).entries()) {
    const read = fromItem(item, `input[${index}]`, losses);
    if (read?.callSeal) seals.set(read.callSeal.toolCallId, read.callSeal.seal);
    else if (read) add(messages, read);
  }
  const answered = withResultsInPlace(messages);
  return seals.size === 0 ? answered : answered.map((message) => withCallSeals(message, seals));
}

function add(messages: CanonicalMessage[], { role, parts }: ReadItem): void {
  const last = messages.at(-1);
  if (role === 'assistant' && last?.role === 'assistant') last.parts.push(...parts);
  else messages.push({ role, parts });
}

function withCallSeals(message: CanonicalMessage, seals: ReadonlyMap<string, ReasoningSeal>): CanonicalMessage {
  const parts = message.parts.map((part) => {
    const signature = part.type === 'tool-call' ? seals.get(part.id) : undefined;
    return signature ? { ...part, signature } : part;
  });
  return { ...message, parts };
}

/** Null for an item that is left out. */
function fromItem(item: unknown, at: string, losses: Losses): ReadItem | null {
  const { unread, lost } = losses;
  if (isRecord(item) && isAgentMessage(item)) {
    if (holdsSealed(item)) lost.push(`${at} (agent_message) is told but for what only OpenAI can open`);
    return fromItem(userMessageOf(item), at, losses);
  }
  const fields = RequestFields.of(item, at);
  // Ids and states of items mean something only where items are kept.
  fields.ignore('id', 'status', 'phase', codexNotes);
  const type = fields.text('type') ?? 'message';
  if (ranAtOpenai.test(type)) {
    const left = type === 'image_generation_call' ? 'this model does not see the image' : foundBefore;
    lost.push(`${at} (${type}) was dropped: ${left}`);
    return null;
  }
  // fromTools has read the tools.
  if (bringsTools({ type })) fields.ignore('tools');
  const read = isServed(type, fields) ? null : readItem(type, fields, unread);
  fields.finish(unread);
  return read;
}

/** True for what says nothing but which tools there are. */
function isServed(type: string, fields: RequestFields): boolean {
  if (type === 'additional_tools') fields.ignore('role');
  else if (!/^tool_search_(call|output)$/.test(type) || fields.raw('call_id') !== undefined) return false;
  fields.ignore('execution', 'arguments');
  return true;
}

function readItem(type: string, fields: RequestFields, unread: string[]): ReadItem {
  switch (type) {
    case 'message':
      return fromMessage(fields, unread);
    case 'function_call':
      return fromCall(fields, fields.text('arguments') ?? '');
    case 'custom_tool_call':
      return fromCall(fields, customArguments(fields.text('input')));
    case 'tool_search_call':
      fields.ignore('execution');
      return fromCall(fields, JSON.stringify(fields.raw('arguments') ?? {}), searchName);
    case 'tool_search_output':
      fields.ignore('execution');
      return { role: 'tool', parts: [foundTools(fields)] };
    case 'shell_call':
    case 'apply_patch_call': {
      const { kind, arguments: given } = fromClientCall(fields);
      return fromCall(fields, given, kind);
    }
    case 'shell_call_output':
    case 'apply_patch_call_output':
      return { role: 'tool', parts: [fromClientResult(fields)] };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'tool', parts: [fromOutput(fields, unread)] };
    case 'reasoning':
      return fromReasoning(fields, unread);
    case 'compaction':
      return fromCompaction(fields);
    case 'item_reference':
      throw invalid(fields.path('type'), 'cannot be item_reference: this model keeps no items. Send the item itself');
    default:
      throw invalid(fields.path('type'), `has the value '${type}', which only OpenAI's own models can read`);
  }
}

function fromMessage(fields: RequestFields, unread: string[]): ReadItem {
  const role = fields.choice('role', ['user', 'assistant', 'system', 'developer']);
  if (role === undefined) throw invalid(fields.path('role'), 'is required');
  return { role, parts: fromContent(fields, 'content', unread) };
}

function fromCall(fields: RequestFields, text: string, known?: string): ReadItem {
  const id = requiredName(fields, 'call_id');
  const name = known ?? flatName(fields.text('namespace') ?? null, requiredName(fields, 'name'));
  return { role: 'assistant', parts: [{ type: 'tool-call', id, name, arguments: text }] };
}

/** What a search of the caller found, by the names under which the model now has it. */
function foundTools(fields: RequestFields): ToolResultPart {
  const names = flatNames(fields.list('tools') ?? []);
  const text = names.length === 0 ? 'No tool was found.' : `These tools can be called now: ${names.join(', ')}`;
  return {
    type: 'tool-result',
    toolCallId: requiredName(fields, 'call_id'),
    toolName: searchName,
    content: [{ type: 'text', text }],
  };
}

function fromClientResult(fields: RequestFields): ToolResultPart {
  const { kind, text, isError } = fromClientOutput(fields);
  return {
    type: 'tool-result',
    toolCallId: requiredName(fields, 'call_id'),
    toolName: kind,
    content: [{ type: 'text', text }],
    ...(isError && { isError }),
  };
}

function fromOutput(fields: RequestFields, unread: string[]): ToolResultPart {
  const toolCallId = requiredName(fields, 'call_id');
  const namespace = fields.text('namespace') ?? null;
  const name = fields.text('name');
  const content = fromContent(fields, 'output', unread).map((part) => {
    if (part.type === 'text' || part.type === 'image' || part.type === 'file') return part;
    throw invalid(fields.path('output'), `must hold text, images or files, not ${part.type}`);
  });
  return {
    type: 'tool-result',
    toolCallId,
    ...(name !== undefined && { toolName: flatName(namespace, name) }),
    content,
  };
}

function fromReasoning(fields: RequestFields, unread: string[]): ReadItem {
  const id = fields.text('id');
  const text = [...textsIn(fields, 'summary', unread), ...textsIn(fields, 'content', unread)].join('\n\n');
  const sealed = fields.text('encrypted_content');
  if (sealed === undefined)
    return { role: 'assistant', parts: [{ type: 'reasoning', text, ...(id !== undefined && { id }) }] };
  const carried = readCarried(sealed, 'openai-responses', 'encrypted');
  const { seal, toolCallId } = carried;
  if (!seal) return { role: 'assistant', parts: [{ type: 'reasoning', text }] };
  if (toolCallId !== undefined) return { role: 'assistant', parts: [], callSeal: { toolCallId, seal } };
  const own = seal.dialect === 'openai-responses' ? id : carried.id;
  return { role: 'assistant', parts: [{ type: 'reasoning', text, seal, ...(own !== undefined && { id: own }) }] };
}

function fromCompaction(fields: RequestFields): ReadItem {
  const summary = readSummary({ encrypted_content: fields.text('encrypted_content') });
  if (summary === null)
    throw invalid(fields.path('type'), 'is a conversation that was compacted by a provider, which alone can read it');
  return { role: summary.role, parts: [{ type: 'text', text: summary.text }] };
}

function textsIn(fields: RequestFields, name: string, unread: string[]): string[] {
  return (fields.list(name) ?? []).map((part, index) => {
    const nested = RequestFields.of(part, `${fields.path(name)}[${index}]`);
    const text = nested.requiredText('text');
    nested.ignore('type');
    nested.finish(unread);
    return text;
  });
}

/**
 * The messages with the results of tools right behind the turn that called them. Only responses tell results
 * by their ids wherever they stand: what Codex says to the model while its tools run comes between.
 * https://github.com/lidge-jun/opencodex/issues/1292 https://github.com/farion1231/cc-switch/pull/3047
 * https://github.com/deepseek-ai/awesome-deepseek-integration/issues/740
 * The very same where they stand so. A result of no call stays where it is.
 */
export function withResultsInPlace(messages: CanonicalMessage[]): CanonicalMessage[] {
  const calledAt = new Map<string, number>();
  const placeOf = new Map<MessagePart, number>();
  let isInPlace = true;
  let lastOther = -1;
  for (const [index, { role, parts }] of messages.entries()) {
    if (role !== 'tool') lastOther = index;
    for (const part of parts) {
      if (part.type === 'tool-call') calledAt.set(part.id, index);
      const place = part.type === 'tool-result' ? calledAt.get(part.toolCallId) : undefined;
      if (place === undefined) continue;
      placeOf.set(part, place);
      isInPlace &&= place === lastOther;
    }
  }
  if (isInPlace) return messages;
  const results = new Map<number, MessagePart[]>();
  for (const [part, place] of placeOf) {
    const behind = results.get(place);
    if (behind) behind.push(part);
    else results.set(place, [part]);
  }
  return messages.flatMap((message, index) => {
    const parts = message.parts.filter((part) => !placeOf.has(part));
    const own = parts.length === message.parts.length ? [message] : parts.length > 0 ? [{ ...message, parts }] : [];
    const behind = (results.get(index) ?? []).map((part): CanonicalMessage => ({ role: 'tool', parts: [part] }));
    return [...own, ...behind];
  });
}
