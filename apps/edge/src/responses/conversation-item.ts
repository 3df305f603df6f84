import { eachPlace, objectPlaces } from '@tollgate/dialects/surface';
import type { Places } from '@tollgate/dialects/surface';
import { randomBytes } from 'node:crypto';
import { isKeptId } from './turn';

/** An item of a response or a conversation, as JSON. */
export type Item = Record<string, unknown>;

/**
 * What ids of items begin with, by type.
 * https://platform.openai.com/docs/api-reference/conversations/list-items
 */
const idStarts: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
};

/** The items of a list that is JSON text, as they came. */
export function itemsIn(list: Uint8Array): Uint8Array[] {
  return textsAt(list, objectPlaces(list));
}

/**
 * An item as it came, as JSON text, and the id that it is kept under: its own, or one that is made for it.
 */
export interface NewItem {
  readonly id: string;
  readonly text: Uint8Array;
}

export function newItem(item: Item): NewItem {
  return { id: newIdOf(item), text: Buffer.from(JSON.stringify(item)) };
}

/** The items of a list that is JSON text: where they stand in it, and the ids that they are kept under. */
export interface FoundItems {
  readonly places: Places;
  readonly ids: readonly string[];
}

export function findItems(list: Uint8Array): FoundItems {
  const places = objectPlaces(list);
  const ids = textsAt(list, places).map((text) => newIdOf(JSON.parse(Buffer.from(text).toString('utf8')) as Item));
  return { places, ids };
}

export function newItemsAt(list: Uint8Array, { places, ids }: FoundItems): NewItem[] {
  return textsAt(list, places).map((text, at) => ({ id: ids[at] ?? '', text }));
}

function textsAt(list: Uint8Array, places: Places): Uint8Array[] {
  return Array.from(eachPlace(places), ([start, end]) => list.subarray(start, end));
}

function newIdOf({ id, type = 'message' }: Item): string {
  if (isKeptId(id)) return id;
  return `${idStarts[typeof type === 'string' ? type : ''] ?? 'item'}_${randomBytes(24).toString('hex')}`;
}
