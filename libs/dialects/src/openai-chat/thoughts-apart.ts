import { isRecord, textIn } from '../wire/json-value';

type Json = Record<string, unknown>;

/** The words of a part in which a model of Mistral's thinks. https://docs.mistral.ai/capabilities/reasoning/ */
export function thoughtsIn(thinking: unknown): string {
  const thoughts: readonly unknown[] = Array.isArray(thinking) ? thinking : [];
  return thoughts.map((thought) => textIn(thought, 'text') ?? '').join('');
}

/**
 * An assistant's message with its thoughts beside what it said, as other providers of this dialect have them:
 * they refuse parts of that kind. The very same message where it has none.
 */
export function withThoughtsApart(message: Json): Json {
  const content: unknown[] = Array.isArray(message.content) ? message.content : [];
  const thoughts = content.filter((part): part is Json => isRecord(part) && part.type === 'thinking');
  if (message.role !== 'assistant' || thoughts.length === 0) return message;
  const said = content.filter((part) => !isRecord(part) || part.type !== 'thinking');
  return {
    ...message,
    content: said.length === 0 ? '' : said,
    reasoning_content: thoughts.map(({ thinking }) => thoughtsIn(thinking)).join(''),
  };
}
