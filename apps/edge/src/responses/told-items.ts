import { inJson, membersOf, splicedPieces, valueOf } from '@tollgate/dialects/surface';
import { joinedInTurns } from '../generation/in-turns';
import type { Item } from './conversation-item';

/** What is told as JSON text. */
export const jsonType = 'application/json; charset=utf-8';

const quote = 0x22;

/** An item as it is told, as JSON text in pieces of what is kept. */
export interface ToldItem {
  readonly id: string;
  readonly pieces: readonly Uint8Array[];
}

/** What is known of an item from its bytes. Nothing else of it is parsed: it may hold megabytes. */
interface ItemFacts {
  readonly members: ReturnType<typeof membersOf>;
  readonly type: string;
  /** Undefined: it came without one. */
  readonly id: unknown;
}

/** What an item says of itself; without a type it is a message. */
export function factsOf(text: Uint8Array): ItemFacts {
  const members = membersOf(text);
  const type = valueOf(text, members, 'type');
  return { members, type: typeof type === 'string' ? type : 'message', id: valueOf(text, members, 'id') };
}

/**
 * An item as it is told: with its id, its type, and the short form of a message, `{role, content: 'text'}`,
 * in the long one, as OpenAI does. Everything else of it stays as it came. `status`: what it has unless it
 * says so.
 */
export function toldItem(
  text: Uint8Array,
  { members, type }: ItemFacts,
  id: string,
  status: string | null = null,
): ToldItem {
  const set: Record<string, Uint8Array | readonly Uint8Array[]> = { type: inJson(type), id: inJson(id) };
  const content = members.findLast(({ name }) => name === 'content');
  if (content && text[content.valueStart] === quote) {
    const part = valueOf(text, members, 'role') === 'assistant' ? 'output_text' : 'input_text';
    const written = text.subarray(content.valueStart, content.end);
    set.content = [Buffer.from(`[{"type":"${part}","text":`), written, Buffer.from('}]')];
  }
  if (status !== null && !members.some(({ name }) => name === 'status')) set.status = inJson(status);
  return { id, pieces: splicedPieces(text, members, { set }) };
}

/** A page of items, as JSON text. `isMore`: there are others behind them. */
export function toldList(items: readonly ToldItem[], isMore: boolean): Promise<Buffer> {
  const ids = { first_id: items[0]?.id ?? null, last_id: items.at(-1)?.id ?? null };
  const rest = JSON.stringify({ ...ids, has_more: isMore } satisfies Item).slice(1);
  const data = items.flatMap(({ pieces }, at) => (at === 0 ? pieces : [Buffer.from(','), ...pieces]));
  return joinedInTurns([Buffer.from('{"object":"list","data":['), ...data, Buffer.from(`],${rest}`)]);
}
