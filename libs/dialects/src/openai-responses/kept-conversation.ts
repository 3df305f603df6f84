import { invalid } from '../canonical/request-fields';
import type { RequestFields } from '../canonical/request-fields';
import type { StateWish } from '../surface-dialect';
import { isRecord } from '../wire/json-value';
import { asBuffer } from '../wire/json-cursor';
import { withoutBom } from '../wire/request-json';
import { membersOf, splicedPieces } from '../wire/splice-object';

const nothing = Buffer.from('[]');
const open = 0x5b;
const quote = 0x22;
/** Each is looked for by itself. */
const mostReferences = 256;
const messageStart = Buffer.from('[{"type":"message","role":"user","content":[{"type":"input_text","text":');
const messageEnd = Buffer.from('}]}]');

/**
 * What a request says of kept responses. What is not said is kept, as at OpenAI:
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-store
 * @throws GatewayError 400 naming the field.
 */
export function readState(fields: RequestFields): StateWish {
  const previousId = fields.text('previous_response_id') ?? null;
  if (previousId !== null && (previousId === '' || previousId.length > 256))
    throw invalid('previous_response_id', 'must be the id of a response');
  const conversationId = conversationOf(fields.raw('conversation'));
  if (conversationId === '' || (conversationId?.length ?? 0) > 256)
    throw invalid('conversation', 'must be the id of a conversation, or an object with it as its id');
  // https://platform.openai.com/docs/api-reference/responses/create#responses-create-previous_response_id
  if (conversationId !== null && previousId !== null)
    throw invalid('conversation', 'cannot be used together with previous_response_id');
  const input = fields.raw('input');
  const references = new Set<string>();
  for (const item of Array.isArray(input) ? input : []) if (isReference(item)) references.add(item.id);
  if (references.size > mostReferences) throw invalid('input', `may refer to at most ${mostReferences} items`);
  const keeps = fields.boolean('store') ?? true;
  const background = fields.boolean('background') ?? false;
  // https://developers.openai.com/api/docs/guides/background
  const completionWindow = fields.nested('background_options')?.text('completion_window') ?? null;
  // https://developers.openai.com/api/docs/guides/websocket-mode
  const warmsUp = fields.boolean('generate') === false;
  return { keeps, background, completionWindow, previousId, conversationId, references: [...references], warmsUp };
}

/**
 * The id of the conversation that a request names, which is '' where it cannot be read. Null: it names none.
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-conversation
 */
export function conversationOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const id = isRecord(value) ? value.id : value;
  return typeof id === 'string' ? id : '';
}

/**
 * Whether it stands for an item of an earlier output. Its type may be left out.
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 */
export function isReference(item: unknown): item is { id: string } {
  if (!isRecord(item) || typeof item.id !== 'string') return false;
  return (
    item.type === 'item_reference' ||
    Object.keys(item).every((name) => name === 'id' || (name === 'type' && item.type === null))
  );
}

/** Where the value of `input` stands in a request's bytes; null: it has none. */
export function inputAt(body: Uint8Array): { start: number; end: number } | null {
  const source = withoutBom(body);
  const skipped = body.length - source.length;
  const input = membersOf(source).findLast(({ name }) => name === 'input');
  return input ? { start: skipped + input.valueStart, end: skipped + input.end } : null;
}

/**
 * The JSON text of an `input` as a list of items, which a text stands for one of. Null or absent: an empty
 * one.
 */
export function asItems(input: Uint8Array): Buffer {
  const text = asBuffer(input);
  if (text[0] === open) return text;
  return text[0] === quote ? Buffer.concat([messageStart, text, messageEnd]) : nothing;
}

/** What stands between the brackets of a list, as JSON text. */
export function insideOf(list: Uint8Array): Buffer {
  const text = asBuffer(list);
  return text.subarray(text.indexOf(open) + 1, text.lastIndexOf(']'));
}

/** Items, one or several with commas between or none, as one list, in pieces of what is given. */
export function joinedPieces(items: readonly Uint8Array[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (const piece of items) {
    if (piece.every((byte) => byte <= 0x20)) continue;
    if (pieces.length > 0) pieces.push(Buffer.from(','));
    pieces.push(piece);
  }
  return [Buffer.from('['), ...pieces, Buffer.from(']')];
}

/**
 * What becomes of a request that says something of kept responses. `items`: its input, in pieces; null: as it
 * is. `isNamed`: what it went on from stays named, for the answer to repeat it. `waits`: it is waited for,
 * and providers refuse what is said of the background without it. `isKept` false: the response is not to be.
 */
interface Composition {
  readonly items: readonly Uint8Array[] | null;
  readonly isNamed: boolean;
  readonly waits: boolean;
  readonly isKept: boolean;
}

/** The request as that, in pieces of what is given, and everything else as it is. */
export function composedPieces(
  body: Uint8Array,
  { items, isNamed, waits, isKept }: Composition,
): readonly Uint8Array[] {
  const source = withoutBom(body);
  const drop = [
    ...(items && !isNamed ? ['previous_response_id', 'conversation'] : []),
    ...(waits ? ['background', 'background_options'] : []),
  ];
  const set = { ...(items && { input: items }), ...(!isKept && { store: Buffer.from('false') }) };
  return splicedPieces(source, membersOf(source), { set, drop });
}
