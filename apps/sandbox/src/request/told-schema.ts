import { optionalObjects, textIn } from './read-values';

/** A schema that instructions end with in words, which a model follows as well; null: none. */
export function toldSchema(messages: unknown): unknown {
  const instructions = optionalObjects(messages, 'messages').filter(({ role }) => role === 'system');
  const told = instructions.map(({ content }) => /JSON schema: (\{.*\})\s*$/.exec(textIn(content))?.[1]);
  const last = told.findLast((text) => text !== undefined);
  return last === undefined ? null : JSON.parse(last);
}
