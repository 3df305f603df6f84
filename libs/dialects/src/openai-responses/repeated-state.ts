import { asBuffer } from '../wire/json-cursor';
import { parseJson } from '../wire/json-value';
import { withoutBom } from '../wire/request-json';
import { conversationOf } from './kept-conversation';
import { membersOf, spliceObject } from '../wire/splice-object';
import type { MemberRange, ObjectEdits } from '../wire/splice-object';

const sealed = 'reasoning.encrypted_content';
/** The lines before the data of the few events that hold a whole response. */
const holdsResponse = /^event: ?response\.(?:created|queued|in_progress|completed|incomplete|failed)\r?\ndata: ?/;

/**
 * What becomes of a request's state on its way to a provider: the gateway keeps responses, and puts the
 * conversation before the input, so the provider keeps nothing. What can be gone on from needs its reasoning
 * sealed, which `seals` says that its provider does.
 */
export function withoutState(source: Uint8Array, members: readonly MemberRange[], seals: boolean): ObjectEdits {
  const valueOf = (name: string): unknown => {
    const member = members.findLast((one) => one.name === name);
    return member && parseJson(Buffer.from(source.subarray(member.valueStart, member.end)).toString('utf8'));
  };
  const include = valueOf('include');
  const asked: unknown[] = Array.isArray(include) ? include : [];
  const isGoneOnFrom = valueOf('store') !== false || conversationOf(valueOf('conversation')) !== null;
  const asks = seals && isGoneOnFrom && !asked.includes(sealed);
  return {
    set: {
      store: Buffer.from('false'),
      ...(asks && { include: Buffer.from(JSON.stringify([...asked, sealed])) }),
    },
    drop: ['previous_response_id', 'conversation'],
  };
}

/**
 * Has the responses in events and documents of a provider, which kept nothing, repeat what its caller asked
 * of the gateway. Null: there is nothing to say.
 */
export function repeatedState(body: Uint8Array): ((bytes: Buffer) => Buffer) | null {
  const source = asBuffer(withoutBom(body));
  const told: Record<string, Buffer> = { store: Buffer.from('true') };
  for (const { name, valueStart, end } of membersOf(source)) {
    const value = source.subarray(valueStart, end);
    if (name === 'previous_response_id' || name === 'store') told[name] = Buffer.from(value);
    if (name === 'conversation') Object.assign(told, toldConversation(value));
  }
  if (told.store?.toString() !== 'false') told.store = Buffer.from('true');
  else if (!told.previous_response_id && !told.conversation) return null;
  return (bytes) => {
    const head = holdsResponse.exec(bytes.subarray(0, 64).toString('latin1'))?.[0].length;
    if (head === undefined) return bytes[0] === 0x7b ? withMembers(bytes, told) : bytes;
    const end = bytes.lastIndexOf('}') + 1;
    const event = bytes.subarray(head, end);
    const response = membersOf(event).findLast(({ name }) => name === 'response');
    if (!response || event[response.valueStart] !== 0x7b) return bytes;
    const changed = withMembers(event.subarray(response.valueStart, response.end), told);
    return Buffer.concat([bytes.subarray(0, head + response.valueStart), changed, bytes.subarray(head + response.end)]);
  };
}

/**
 * A response names its conversation as an object.
 * https://platform.openai.com/docs/api-reference/responses/object#responses/object-conversation
 */
function toldConversation(value: Buffer): Record<string, Buffer> {
  const id = conversationOf(parseJson(value.toString('utf8')));
  return id ? { conversation: Buffer.from(JSON.stringify({ id })) } : {};
}

function withMembers(response: Buffer, told: Record<string, Buffer>): Buffer {
  return spliceObject(response, membersOf(response), { set: told });
}
