import { JsonCursor } from './json-cursor';
import { withoutBom } from './request-json';
import { membersOf } from './splice-object';

/** A name of an effort, of a type or of a duration takes no more bytes. */
const mostNameBytes = 1_024;
const openBrace = 0x7b;
const openBracket = 0x5b;
const open = Buffer.from('[');
const comma = Buffer.from(',');
const close = Buffer.from(']');

/** Whether a value in JSON text is an object. */
export function isObject(json: Uint8Array | undefined): json is Uint8Array {
  return json?.[0] === openBrace;
}

/** Whether a value in JSON text is a list. */
export function isList(json: Uint8Array | undefined): json is Uint8Array {
  return json?.[0] === openBracket;
}

/**
 * The values of these members, as JSON text. A walk over the bytes: a body may hold so many values that to
 * build them would keep everybody else waiting.
 */
export function membersNamed(object: Uint8Array, names: readonly string[]): ReadonlyMap<string, Uint8Array> {
  const source = withoutBom(object);
  const members = membersOf(source).filter(({ name }) => names.includes(name));
  return new Map(members.map(({ name, valueStart, end }) => [name, source.subarray(valueStart, end)]));
}

/** The items of a list, as JSON text that was parsed before; nothing of what is no list. */
export function* itemsOf(list: Uint8Array | undefined): Generator<Uint8Array, void> {
  if (!isList(list)) return;
  const cursor = new JsonCursor(undefined, true).reset(list);
  for (let more = cursor.enterArray(); more; more = cursor.nextItem()) {
    cursor.skip();
    yield list.subarray(cursor.valueStart, cursor.valueEnd);
  }
}

/** A list of items that are JSON text, in pieces. */
export function listOf(items: readonly Uint8Array[]): readonly Uint8Array[] {
  return [open, ...items.flatMap((item, index) => (index === 0 ? [item] : [comma, item])), close];
}

/** The text that an object has as this member; null: there is none, or no object. */
export function textIn(object: Uint8Array | undefined, name: string): string | null {
  return isObject(object) ? shortText(membersNamed(object, [name]).get(name)) : null;
}

/** The text that a value is; null: it is none, or too long. */
export function shortText(json: Uint8Array | undefined): string | null {
  const value = shortValue(json);
  return typeof value === 'string' ? value : null;
}

/** These members of an object, but for those that are too long; null: it is no object. */
export function shortMembers(object: Uint8Array | undefined, names: readonly string[]): Record<string, unknown> | null {
  if (!isObject(object)) return null;
  return Object.fromEntries([...membersNamed(object, names)].map(([name, json]) => [name, shortValue(json)]));
}

/** Undefined: there is none, or it is too long. */
function shortValue(json: Uint8Array | undefined): unknown {
  return json === undefined || json.length > mostNameBytes ? undefined : JSON.parse(Buffer.from(json).toString('utf8'));
}
