import type { TokenUsage } from '@tollgate/contracts';
import { withMarkedSeals } from '../canonical/marked-seals';
import { passThrough } from '../canonical/pass-through';
import { shortNamesIn } from '../canonical/short-names';
import { samplingRefused } from '../canonical/takes-sampling';
import { sealerOf, type Translation } from '../provider-dialect';
import { asBuffer } from '../wire/json-cursor';
import { isRecord, parseJson } from '../wire/json-value';
import { withoutBom } from '../wire/request-json';
import { type MemberRange, membersOf, type ObjectEdits, spliceObject, valueOf } from '../wire/splice-object';
import { countInputTokens } from './count-input-tokens';
import { conversationOf } from './kept-conversation';
import { askedAt, ownInput } from './own-reasoning';
import { openaiResponsesProviderCodec } from './provider-codec';
import { openaiResponsesSurfaceCodec } from './surface-codec';
import type { StreamEnding } from '../canonical/passing-answer-reader';
import { usageOf } from './response-object';

type Json = Record<string, unknown>;

/**
 * An item from `added` to `done`. `part` and `delta`: what its parts and its text last told of themselves.
 */
interface Item {
  whole: Json;
  isDone: boolean;
  part: Json | null;
  delta: Json | null;
  text: string;
}

/** The member that a text becomes when it is done, by the name of its event. */
const textMembers: Readonly<Record<string, string>> = {
  output_text: 'text',
  refusal: 'refusal',
  reasoning_summary_text: 'text',
  reasoning_text: 'text',
  function_call_arguments: 'arguments',
  custom_tool_call_input: 'input',
};

/**
 * Closes a responses stream early: whatever is open is told as done, and the response as incomplete.
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
class ResponsesEnding implements StreamEnding {
  private response: Json = {};
  private readonly items = new Map<unknown, Item>();
  private sequence = 0;
  private out = '';

  add(event: Json): void {
    const { response, item, output_index: index } = event;
    if (typeof event.sequence_number === 'number') this.sequence = event.sequence_number + 1;
    if (isRecord(response)) this.response = response;
    else if (isRecord(item)) {
      const isDone = event.type === 'response.output_item.done';
      this.items.set(index, { whole: item, isDone, part: null, delta: null, text: '' });
    } else {
      const open = this.items.get(index);
      if (open) extend(open, event);
    }
  }

  close(usage: TokenUsage): string {
    for (const [index, item] of this.items) if (!item.isDone) this.finish(index, item);
    const response = {
      ...this.response,
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [...this.items.values()].map(({ whole }) => whole),
      usage: usageOf(usage),
    };
    this.tell('response.incomplete', { response });
    return this.out;
  }

  private finish(index: unknown, item: Item): void {
    const { delta } = item;
    if (delta) {
      const { delta: _delta, obfuscation: _obfuscation, sequence_number: _number, type, ...place } = delta;
      const name = nameOf(type);
      this.tell(`response.${name}.done`, {
        ...place,
        ...(name === 'output_text' && { logprobs: [] }),
        [textMembers[name] ?? 'text']: item.text,
      });
      extend(item, { type: `response.${name}.done`, [textMembers[name] ?? 'text']: item.text });
    }
    if (item.part) {
      const { sequence_number: _number, type, ...place } = item.part;
      const told = String(type).replace(/added$/, 'done');
      this.tell(told, place);
      extend(item, { ...item.part, type: told });
    }
    item.whole = { ...item.whole, ...(item.whole.type !== 'reasoning' && { status: 'incomplete' }) };
    this.tell('response.output_item.done', { output_index: index, item: item.whole });
  }

  private tell(type: string, members: object): void {
    this.out += `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.sequence++, ...members })}\n\n`;
  }
}

/** Takes an event inside of an item. */
function extend(item: Item, event: Json): void {
  const type = String(event.type);
  if (typeof event.delta === 'string') {
    item.delta = event;
    item.text += event.delta;
  } else if (type.endsWith('_part.added')) item.part = event;
  else if (type.endsWith('_part.done')) {
    const list = type.includes('summary') ? 'summary' : 'content';
    const before = item.whole[list];
    item.whole = { ...item.whole, [list]: [...(Array.isArray(before) ? (before as unknown[]) : []), event.part] };
    item.part = null;
  } else if (type.endsWith('.done')) endText(item, type, event);
}

/** A text that is whole stands in its part, or in the item itself. */
function endText(item: Item, type: string, event: Json): void {
  const member = textMembers[nameOf(type)];
  if (member === undefined) return;
  const text = event[member];
  if (item.part && isRecord(item.part.part)) item.part = { ...item.part, part: { ...item.part.part, [member]: text } };
  else item.whole = { ...item.whole, [member]: text };
  item.delta = null;
  item.text = '';
}

/** `output_text` for the events of an output text. */
function nameOf(type: unknown): string {
  return String(type)
    .replace(/^response\./, '')
    .replace(/\.(?:delta|done)$/, '');
}

const sealed = 'reasoning.encrypted_content';
/** The lines before the data of the few events that hold a whole response. */
const holdsResponse = /^event: ?response\.(?:created|queued|in_progress|completed|incomplete|failed)\r?\ndata: ?/;

/**
 * Responses to responses: bytes pass in both directions, OpenAI's own tools included, but for seals, which
 * tell on their way who made them, and for state, which the gateway keeps.
 */
export const openaiResponsesToOpenaiResponses: Translation = passThrough({
  surface: openaiResponsesSurfaceCodec,
  provider: openaiResponsesProviderCodec,
  address: ({ upstreamModel, stream }) => ({
    path: '/responses',
    headers: { 'content-type': 'application/json', accept: stream ? 'text/event-stream' : 'application/json' },
    members: { model: upstreamModel },
  }),
  ownedFields: [
    ...['model', 'input', 'instructions', 'stream', 'max_output_tokens', 'temperature', 'top_p'],
    ...['user', 'safety_identifier', 'prompt_cache_key'],
  ],
  limitField: 'max_output_tokens',
  refuses: (source, members, target) => {
    const reasoning = valueOf(source, members, 'reasoning');
    return samplingRefused(target, isRecord(reasoning) ? reasoning.effort : null);
  },
  countInputTokens,
  newEnding: () => new ResponsesEnding(),
  // Who compacts conversations itself hands reasoning out sealed, of models that are known to reason; others
  // refuse to be asked for it.
  edits: (source, members, target) => {
    const { provider, model } = target;
    const seals = provider.quirks.compacts && model.capabilities.reasoning && !model.unlisted;
    const { set, drop } = withoutState(source, members, seals);
    const input = ownInput(source, members, askedAt(target));
    const warnings: string[] = [];
    const names = shortNamesIn(source, members, target, warnings);
    return { set: { ...set, ...names, ...(input && { input }) }, drop, warnings };
  },
  rewriter: (body, target) => {
    const repeat = repeatedState(body);
    return (bytes) => withMarkedSeals(repeat ? repeat(bytes) : bytes, 'encrypted_content', sealerOf(target));
  },
});

/**
 * What becomes of a request's state on its way to a provider: the gateway keeps responses, and puts the
 * conversation before the input, so the provider keeps nothing. What can be gone on from needs its reasoning
 * sealed, which `seals` says that its provider does.
 */
function withoutState(source: Uint8Array, members: readonly MemberRange[], seals: boolean): ObjectEdits {
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
function repeatedState(body: Uint8Array): ((bytes: Buffer) => Buffer) | null {
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
