import { isRecord } from '../wire/json-value';
import { openText } from '../wire/open-text';

type Item = Record<string, unknown>;

/**
 * What Codex notes of an item for OpenAI alone; others refuse the field.
 * https://github.com/lidge-jun/opencodex/pull/3038
 */
export const codexNotes = 'internal_chat_message_metadata_passthrough';

/** The very same item where it holds none of these notes. */
export function withoutNotes(item: Item): Item {
  if (!Object.hasOwn(item, codexNotes)) return item;
  const { [codexNotes]: _, ...rest } = item;
  return rest;
}

/** Stands for what only OpenAI can open. */
export const sealedText = '(This part is sealed. Only OpenAI can open it.)';

/** Whether an item is what one agent of Codex says to another: a task, or what came of it. */
export function isAgentMessage(item: Item): boolean {
  return item.type === 'agent_message';
}

/** Whether a part of it can be opened by OpenAI alone. */
export function holdsSealed({ content }: Item): boolean {
  return Array.isArray(content) && content.some((part) => isSealedPart(part));
}

/**
 * It as OpenAI takes it, which refuses what is not sealed in the place of a seal: agents of other models say
 * it openly there. The very same item where nothing is.
 * https://github.com/openai/codex/issues/33551
 */
export function openAgentMessage(item: Item): Item {
  const content: unknown[] = Array.isArray(item.content) ? item.content : [];
  const opened = content.map((part) => asText(openText(part)) ?? part);
  return opened.every((part, index) => part === content[index]) ? item : { ...item, content: opened };
}

/**
 * It as a message of the user, for whoever knows no such items: they are a 400 or a 422 elsewhere.
 * https://github.com/BerriAI/litellm/issues/36528
 * https://github.com/router-for-me/CLIProxyAPI/issues/5207
 */
export function userMessageOf(item: Item): Item {
  const { author, recipient, content } = openAgentMessage(item);
  const said = typeof content === 'string' ? [asText(content)] : Array.isArray(content) ? (content as unknown[]) : [];
  const names = [author, recipient].filter((name) => typeof name === 'string').join(' to ');
  const parts = said.map((part) => (isSealedPart(part) ? asText(sealedText) : part));
  return { type: 'message', role: 'user', content: [asText(`[Message of an agent: ${names}]`), ...parts] };
}

function isSealedPart(part: unknown): boolean {
  return isRecord(part) && part.type === 'encrypted_content' && openText(part) === null;
}

function asText(text: string | null): Item | null {
  return text === null ? null : { type: 'input_text', text };
}
