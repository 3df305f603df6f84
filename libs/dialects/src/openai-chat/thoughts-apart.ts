import { isRecord, textIn } from '../wire/json-value';

type Json = Record<string, unknown>;

/** The words of a part in which a model of Mistral's thinks. https://docs.mistral.ai/capabilities/reasoning/ */
export function thoughtsIn(thinking: unknown): string {
  const thoughts: readonly unknown[] = Array.isArray(thinking) ? thinking : [];
  return thoughts.map((thought) => textIn(thought, 'text') ?? '').join('');
}

/**
 * The parts of a content with the thoughts that stand among them beside what is said, as other providers of
 * this dialect have them. Null: there are none.
 */
export function apart(content: unknown): { said: unknown[]; thoughts: string } | null {
  const parts: unknown[] = Array.isArray(content) ? content : [];
  const thoughts = parts.filter((part): part is Json => isRecord(part) && part.type === 'thinking');
  if (thoughts.length === 0) return null;
  return {
    said: parts.filter((part) => !isRecord(part) || part.type !== 'thinking'),
    thoughts: thoughts.map(({ thinking }) => thoughtsIn(thinking)).join(''),
  };
}

/**
 * An assistant's message with its thoughts beside what it said: others than Mistral refuse parts of that
 * kind. The very same message where it has none.
 */
export function withThoughtsApart(message: Json): Json {
  const parts = message.role === 'assistant' ? apart(message.content) : null;
  if (!parts) return message;
  const { said, thoughts } = parts;
  return { ...message, content: said.length === 0 ? '' : said, reasoning_content: thoughts };
}
