import type { CanonicalMessage, CanonicalRequest, MessagePart } from '../canonical/generation-request';
import { attachmentsOf, seeBelow } from '../canonical/result-attachments';
import type { UpstreamTarget } from '../provider-dialect';
import { idleThoughtsWarning } from './kept-reasoning';
import { toAssistant } from './to-assistant';
import { cacheMark, toContent, toParts } from './to-content';

type Message = Record<string, unknown>;
type ToolResult = Extract<MessagePart, { type: 'tool-result' }>;

/**
 * The conversation as this dialect has it. Images and files in tool results follow in a user message, because
 * tool messages take text only.
 */
export function toMessages(
  { messages, surface }: CanonicalRequest,
  target: UpstreamTarget,
  warnings: string[],
): Message[] {
  const written: Message[] = [];
  let attachments: MessagePart[] = [];
  for (const message of messages) {
    const results = message.parts.filter((part) => part.type === 'tool-result');
    if (results.length === 0) {
      written.push(...attached(attachments));
      attachments = [];
    }
    for (const result of results) {
      written.push(toResult(result));
      attachments.push(...attachmentsOf(result));
    }
    if (isThoughtAlone(message)) {
      const warning = idleThoughtsWarning(target);
      if (!warnings.includes(warning)) warnings.push(warning);
      continue;
    }
    const rest = message.parts.filter((part) => part.type !== 'tool-result');
    if (rest.length > 0 || results.length === 0) {
      // A caller of this dialect chose its word; others get the one that every provider knows.
      const role = message.role === 'developer' && surface !== 'openai-chat' ? 'system' : message.role;
      written.push(toMessage({ ...message, role, parts: rest }, target, warnings));
    }
  }
  return [...written, ...attached(attachments)];
}

/**
 * An answer of which only its thoughts came: a message has content or calls.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
 */
function isThoughtAlone({ role, parts }: CanonicalMessage): boolean {
  return role === 'assistant' && parts.length > 0 && parts.every(({ type }) => type === 'reasoning');
}

function toMessage(message: CanonicalMessage, target: UpstreamTarget, warnings: string[]): Message {
  const { role, name, parts } = message;
  if (role === 'assistant') return { role, name, ...toAssistant(parts, target, warnings) };
  return { role: role === 'tool' ? 'user' : role, name, content: toContent(parts) };
}

function toResult({ toolCallId, content, isError, cacheControl }: ToolResult): Message {
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const shown = text === '' && content.length > 0 ? seeBelow : text;
  const said = isError === true ? `Error: ${shown}` : shown;
  const written = cacheControl ? [{ type: 'text', text: said, ...cacheMark(cacheControl) }] : said;
  return { role: 'tool', tool_call_id: toolCallId, content: written };
}

function attached(attachments: readonly MessagePart[]): Message[] {
  return attachments.length === 0 ? [] : [{ role: 'user', content: toParts(attachments) }];
}
