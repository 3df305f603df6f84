import { asBuffer } from '../wire/json-cursor';
import { isRecord } from '../wire/json-value';
import { parseRequestJson, withoutBom } from '../wire/request-json';
import { membersOf, spliceObject } from '../wire/splice-object';
import { foreignMark } from '../canonical/carried-seal';

/** How reasoning that Anthropic did not sign shows in a body, as the usual writers of JSON write it. Other bodies are not even parsed. */
const traces = [`"${foreignMark}`, '"signature":""', '"signature": ""'];

/**
 * A request without the reasoning that models of other providers left in the conversation, which Anthropic refuses: a caller may change models, and so may a fallback.
 * The very same bytes where there is none.
 */
export function withoutForeignReasoning(body: Uint8Array): Uint8Array {
  const source = asBuffer(body);
  if (!traces.some((trace) => source.includes(trace))) return body;
  const parsed = parseRequestJson(body);
  if (!isRecord(parsed) || !Array.isArray(parsed.messages)) return body;
  const before: readonly unknown[] = parsed.messages;
  const messages = before.map(withoutForeignBlocks);
  if (messages.every((message, i) => message === before[i])) return body;
  // A turn that held nothing else is left out; Anthropic joins its neighbours.
  const kept = messages.filter((message) => !isRecord(message) || !isEmpty(message.content));
  const plain = withoutBom(body);
  return spliceObject(plain, membersOf(plain), { set: { messages: Buffer.from(JSON.stringify(kept)) } });
}

function withoutForeignBlocks(message: unknown): unknown {
  if (!isRecord(message) || message.role !== 'assistant' || !Array.isArray(message.content)) return message;
  const content = message.content.filter((block) => !isForeign(block));
  return content.length === message.content.length ? message : { ...message, content };
}

function isForeign(block: unknown): boolean {
  if (!isRecord(block)) return false;
  if (block.type === 'thinking') return block.signature === '' || isMarked(block.signature);
  return block.type === 'redacted_thinking' && isMarked(block.data);
}

function isMarked(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(foreignMark);
}

function isEmpty(content: unknown): boolean {
  return Array.isArray(content) && content.length === 0;
}
