import type { CanonicalMessage, MessagePart, ToolResultPart } from '../canonical/generation-request';
import { invalid, RequestFields } from '../canonical/request-fields';
import { fromAssistant } from './from-assistant';
import { fromContent, readCacheControl } from './from-content';

/**
 * Reads the conversation. `unread` takes the paths of fields that no other dialect knows.
 * @throws GatewayError 400 naming the field.
 */
export function fromMessages(messages: readonly unknown[], unread: string[]): CanonicalMessage[] {
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
      // Results of the older functions are found by name, and so are their calls: see from-assistant.ts.
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
