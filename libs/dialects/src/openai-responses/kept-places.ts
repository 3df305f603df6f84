import { GatewayError } from '@tollgate/contracts';
import { JsonCursor, JsonDepthError, JsonSyntaxError, asBuffer } from '../wire/json-cursor';
import { membersOf } from '../wire/splice-object';
import type { MemberRange } from '../wire/splice-object';
import { isReference } from './kept-conversation';

/**
 * Where values stand in JSON text: for each the first byte, the one behind its last, and which it is of those
 * that were looked for. So a thread can tell of thousands without a copy of each.
 */
export type Places = Uint32Array;

const openBrace = 0x7b;

/** Where a list of items, as JSON text, refers to those with these ids. */
export function referencePlaces(list: Uint8Array, ids: readonly string[]): Places {
  return placesOf(list, ids, (members, textOf) => {
    const item = Object.fromEntries(
      members.map((member) => [member.name, member.name === 'id' || member.name === 'type' ? textOf(member) : true]),
    );
    return isReference(item) ? item.id : null;
  });
}

/** Where a list of items, as JSON text, has those with these ids. */
export function itemPlaces(list: Uint8Array, ids: readonly string[]): Places {
  return placesOf(list, ids, (members, textOf) => {
    const id = members.findLast(({ name }) => name === 'id');
    return id ? textOf(id) : null;
  });
}

/** Where a list, as JSON text, has its objects, in order. */
export function objectPlaces(list: Uint8Array): Places {
  const places: number[] = [];
  const cursor = new JsonCursor(undefined, true).reset(list);
  for (let more = cursor.enterArray(); more; more = cursor.nextItem()) {
    cursor.skip();
    if (list[cursor.valueStart] === openBrace) places.push(cursor.valueStart, cursor.valueEnd, 0);
  }
  return Uint32Array.from(places);
}

/** Where the member of this name has its value in an object, as JSON text. Empty: it has none. */
export function memberPlace(object: Uint8Array, name: string): Places {
  const member = membersOf(object).findLast((one) => one.name === name);
  return Uint32Array.from(member ? [member.valueStart, member.end, 0] : []);
}

/** No name that is looked for is longer, however it is escaped. */
const mostNameBytes = 256;
/** Nobody names them so often but to take the time of whoever hears of all. */
const mostNamed = 64;

/**
 * Where an object, as JSON text, has its members of these names, and those beside each, in order: which of
 * `names` it is, or their number for another. So it tells little, however many members there are.
 * @throws GatewayError 400 for what is no object, or has these names more than 64 times.
 */
export function memberPlaces(object: Uint8Array, names: readonly string[]): Places {
  const places: number[] = [];
  const cursor = new JsonCursor(undefined, true).reset(object);
  let named = 0;
  /** The member in front, where it is not told yet. */
  let before: [start: number, end: number] | null = null;
  let isBehindNamed = false;
  try {
    for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
      const { keyStart, keyEnd } = cursor;
      const which = keyEnd - keyStart > mostNameBytes ? -1 : names.indexOf(cursor.key());
      cursor.skip();
      const isNamed = which >= 0;
      if (isNamed && ++named > mostNamed) throw new GatewayError(400, `This repeats ${names.join(', ')} too often.`);
      if (isNamed && before) places.push(...before, names.length);
      if (isNamed || isBehindNamed) places.push(keyStart - 1, cursor.valueEnd, isNamed ? which : names.length);
      before = isNamed || isBehindNamed ? null : [keyStart - 1, cursor.valueEnd];
      isBehindNamed = isNamed;
    }
    cursor.finish();
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonDepthError || error instanceof SyntaxError)
      throw new GatewayError(400, 'This is not valid JSON, or not one object.');
    throw error;
  }
  return Uint32Array.from(places);
}

/**
 * The list of items in pieces, with `kept` in the place of references to them; a reference to what is not
 * kept stays, for its provider to refuse.
 */
export function piecesWith(list: Uint8Array, places: Places, kept: readonly (Uint8Array | null)[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const [start, end, which] of eachPlace(places)) {
    const item = kept[which];
    if (!item) continue;
    pieces.push(list.subarray(from, start), item);
    from = end;
  }
  pieces.push(list.subarray(from));
  return pieces;
}

/** Each place by itself: first byte, the one behind its last, and which it is. */
export function* eachPlace(places: Places): Generator<[start: number, end: number, which: number]> {
  for (let at = 0; at + 2 < places.length; at += 3) yield [places[at] ?? 0, places[at + 1] ?? 0, places[at + 2] ?? 0];
}

/** `idOf` tells which item an object with these members is or means. The list was parsed before. */
function placesOf(
  list: Uint8Array,
  ids: readonly string[],
  idOf: (members: readonly MemberRange[], textOf: (member: MemberRange) => unknown) => unknown,
): Places {
  const bytes = asBuffer(list);
  const textOf = ({ valueStart, end }: MemberRange): unknown => JSON.parse(bytes.toString('utf8', valueStart, end));
  const indexById = new Map<unknown, number>(ids.map((id, index) => [id, index]));
  const places: number[] = [];
  const cursor = new JsonCursor(undefined, true).reset(bytes);
  for (let more = cursor.enterArray(); more; more = cursor.nextItem()) {
    cursor.skip();
    const { valueStart, valueEnd } = cursor;
    if (bytes[valueStart] !== openBrace) continue;
    const index = indexById.get(idOf(membersOf(bytes, valueStart, valueEnd), textOf));
    if (index !== undefined) places.push(valueStart, valueEnd, index);
  }
  return Uint32Array.from(places);
}
