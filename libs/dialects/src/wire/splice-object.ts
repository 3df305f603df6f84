import { JsonCursor, asBuffer } from './json-cursor';

/** `null` alone begins with it. */
const letterN = 0x6e;

/**
 * Where one member of an object stands in its bytes: `start` is the name's opening quote, `valueStart` to
 * `end` the value.
 */
export interface MemberRange {
  name: string;
  start: number;
  valueStart: number;
  end: number;
}

/**
 * What to change in an object; everything else stays byte for byte, white space and number spelling included.
 * `set`: the member gets this JSON text as its value, perhaps in pieces, and is appended when the object has
 * no such member. Its earlier duplicates go.
 * `single`: members whose earlier duplicates go, so that every parser reads the value that JSON.parse reads
 * (the last one).
 * `rename`: members that get another name (their earlier duplicates go too). `drop`: members that go.
 */
export interface ObjectEdits {
  set?: Readonly<Record<string, Uint8Array | readonly Uint8Array[]>>;
  single?: readonly string[];
  rename?: Readonly<Record<string, string>>;
  drop?: readonly string[];
}

/**
 * The members of the object in bytes[start, end), which were parsed before, in order, duplicates included.
 * @throws JsonSyntaxError when it is not one object.
 */
export function membersOf(bytes: Uint8Array, start = 0, end = bytes.length): MemberRange[] {
  const cursor = new JsonCursor(undefined, true).reset(bytes, start, end);
  const members: MemberRange[] = [];
  for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
    const name = cursor.key();
    const nameStart = cursor.keyStart - 1;
    cursor.skip();
    members.push({ name, start: nameStart, valueStart: cursor.valueStart, end: cursor.valueEnd });
  }
  cursor.finish();
  return members;
}

/** The value of one of an object's members, the last of duplicates; undefined: there is none. */
export function valueOf(source: Uint8Array, members: readonly MemberRange[], name: string): unknown {
  const member = members.findLast((each) => each.name === name);
  return member && JSON.parse(asBuffer(source.subarray(member.valueStart, member.end)).toString('utf8'));
}

/** The names of an object's members that are null, by the last of duplicates. */
export function nullsIn(source: Uint8Array, members: readonly MemberRange[]): Set<string> {
  const nulls = new Set<string>();
  for (const { name, valueStart } of members) {
    if (source[valueStart] === letterN) nulls.add(name);
    else nulls.delete(name);
  }
  return nulls;
}

/** A value as edits set it. */
export function inJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** Applies edits to the object in `bytes` whose members are `members` (of the whole of `bytes`). */
export function spliceObject(bytes: Uint8Array, members: readonly MemberRange[], edits: ObjectEdits): Buffer {
  return Buffer.concat(splicedPieces(bytes, members, edits));
}

/** As `spliceObject`, in pieces of what is given. */
export function splicedPieces(
  bytes: Uint8Array,
  members: readonly MemberRange[],
  edits: ObjectEdits,
): readonly Uint8Array[] {
  const source = asBuffer(bytes);
  const pieces: Uint8Array[] = [];
  const first = members[0];
  const last = members[members.length - 1];
  const bodyStart = first ? first.start : source.lastIndexOf('}');
  const bodyEnd = last ? last.end : bodyStart;
  pieces.push(source.subarray(0, bodyStart));
  let written = 0;
  for (const [index, member] of members.entries()) {
    if (isLeftOut(members, index, edits)) continue;
    // The separator in front of a member is the source's own, so that its white space survives.
    if (written > 0) pieces.push(source.subarray(members[index - 1]?.end ?? member.start, member.start));
    // One by one: a list has more pieces than a call may have arguments.
    for (const piece of writtenMember(source, member, edits)) pieces.push(piece);
    written++;
  }
  for (const [name, value] of Object.entries(edits.set ?? {})) {
    if (members.some((member) => member.name === name)) continue;
    pieces.push(Buffer.from(`${written > 0 ? ',' : ''}${JSON.stringify(name)}:`));
    for (const piece of piecesOf(value)) pieces.push(piece);
    written++;
  }
  pieces.push(source.subarray(bodyEnd));
  return pieces;
}

function isLeftOut(members: readonly MemberRange[], index: number, edits: ObjectEdits): boolean {
  const name = members[index]?.name ?? '';
  if (edits.drop?.includes(name)) return true;
  const owned =
    edits.single?.includes(name) || own(edits.set, name) !== undefined || own(edits.rename, name) !== undefined;
  return Boolean(owned) && members.findLastIndex((member) => member.name === name) > index;
}

function writtenMember(source: Buffer, member: MemberRange, edits: ObjectEdits): Uint8Array[] {
  const value = own(edits.set, member.name);
  const newName = own(edits.rename, member.name);
  if (value === undefined && newName === undefined) return [source.subarray(member.start, member.end)];
  const name =
    newName === undefined
      ? source.subarray(member.start, member.valueStart)
      : Buffer.from(`${JSON.stringify(newName)}:`);
  return [name, ...piecesOf(value ?? source.subarray(member.valueStart, member.end))];
}

function piecesOf(value: Uint8Array | readonly Uint8Array[]): readonly Uint8Array[] {
  return value instanceof Uint8Array ? [value] : value;
}

/** The record's own entry: a caller may name a member `constructor`. */
function own<Value>(record: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}
