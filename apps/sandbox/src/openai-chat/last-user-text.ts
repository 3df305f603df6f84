import { isRecord } from '../voice/record';

/** The text of the last user message, its parts joined; empty when there is none. */
export function lastUserText(messages: readonly unknown[]): string {
  const last = messages.findLast((message) => isRecord(message) && message.role === 'user');
  const content: unknown = isRecord(last) ? last.content : '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: unknown) => (isRecord(part) && typeof part.text === 'string' ? part.text : '')).join(' ');
}
