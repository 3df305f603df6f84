import { isRecord } from './json-value';

/**
 * How OpenAI's seals begin; what stands in their place in the messages of agents of another model is plain
 * text. https://github.com/openai/codex/issues/33551
 */
const seal = /^gAAAAA/;

/** What a part of the type `encrypted_content` says openly. Null: it is none, or is sealed. */
export function openText(part: unknown): string | null {
  if (!isRecord(part) || part.type !== 'encrypted_content') return null;
  const { encrypted_content: text } = part;
  return typeof text === 'string' && !seal.test(text) ? text : null;
}
