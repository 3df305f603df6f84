import type { CanonicalMessage, MessagePart, ReasoningSeal, ToolCallPart } from '../canonical/generation-request';
import { RequestFields, invalid } from '../canonical/request-fields';
import { isRecord } from '../wire/json-value';
import { readCarried } from '../canonical/carried-seal';
import { attributionWarning, withoutAttribution } from './attribution';
import { fromBlock, fromContent } from './from-content';

/**
 * Reads `messages`. The tool results of a user turn become a `tool` message of their own. A system message
 * that only changes the effort says nothing, nor does one that a later user message has cleared:
 * https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages#turn-scoped-system-messages
 */
export function fromMessages(messages: readonly unknown[], unread: string[]): CanonicalMessage[] {
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
export function fromSystem(system: unknown, unread: string[], lost: string[]): CanonicalMessage[] {
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
