import { holdsFor } from '../provider-dialect';
import type { UpstreamTarget } from '../provider-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { isRecord, textIn } from '../wire/json-value';
import { parseRequestJson } from '../wire/request-json';
import type { MemberRange } from '../wire/splice-object';
import {
  mayHoldLongIds,
  toShortCallId,
  wantsShortCallIds,
  withCallIds,
  isNothing,
  toMistralTurns,
  wantsMistralTurns,
} from './mistral-turns';
import { isSealed, keptReasoning } from './kept-reasoning';
import { withThoughtsApart } from './thoughts-apart';

type Json = Record<string, unknown>;

/** `messages` null: the caller's own are sent as they are. */
interface TakenMessages {
  messages: readonly unknown[] | null;
  warnings: string[];
}

/**
 * The caller's messages as this provider takes them: without fields that it refuses, with something where it
 * insists on reasoning that the caller did not keep, and with the roles, the ids and the order that it knows.
 * A body that needs none of this is not even parsed. `members`: those of the body.
 */
export function takenMessages(
  body: Uint8Array,
  members: readonly MemberRange[],
  target: UpstreamTarget,
): TakenMessages {
  const kept = keptReasoning(target);
  const source = asBuffer(body);
  const said = members.findLast(({ name }) => name === 'messages');
  const spoken = source.subarray(said?.valueStart ?? 0, said?.end ?? 0);
  const isApart = !wantsMistralTurns(target) && !target.provider.operatorDefined && holdsText(spoken, '"thinking"');
  const refused = kept.refused.filter((field) => isApart || holdsText(spoken, `"${field}"`));
  const isNamed = kept.field === 'reasoning_content' && othersNames.some((name) => holdsText(spoken, name));
  const isFilled = kept.insists && holdsText(source, '"tools"');
  const isRenamed = knowsNoDeveloper(target) && holdsText(source, '"developer"');
  const isOrdered = wantsMistralTurns(target) && holdsText(source, '"assistant"');
  const isShortened = wantsShortCallIds(target) && mayHoldLongIds(source);
  const isTouched = refused.length > 0 || isFilled || isRenamed || isOrdered || isApart || isShortened || isNamed;
  const parsed = isTouched ? parseRequestJson(body) : null;
  if (!isRecord(parsed) || !Array.isArray(parsed.messages)) return { messages: null, warnings: [] };
  const dropped = new Set<string>();
  const hasTools = Array.isArray(parsed.tools) && parsed.tools.length > 0;
  const before: unknown[] = parsed.messages;
  const fitting = before.map((message) => {
    if (!isRecord(message)) return message;
    const beside = isApart ? withThoughtsApart(message) : message;
    const heard = isNamed ? withOwnName(beside) : beside;
    const known = isRenamed ? toSystem(heard) : heard;
    const taken = withoutFields(isShortened ? withCallIds(known, toShortCallId) : known, refused, dropped);
    return isFilled && hasTools ? withReasoning(taken) : taken;
  });
  const warnings = droppedWarnings(dropped, target);
  const messages = isOrdered ? toMistralTurns(fitting, warnings) : fitting;
  const isSame = messages.length === before.length && messages.every((message, index) => message === before[index]);
  return { messages: isSame ? null : messages, warnings };
}

const othersNames = ['"reasoning"', '"reasoning_details"'];

/**
 * An assistant's message with its thoughts as `reasoning_content`, which clients of OpenRouter keep as
 * `reasoning` and in details. Who sends a message back as it came says them under all three names. What
 * another provider has sealed is no part of this model's own thinking.
 * https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks
 */
function withOwnName(message: Json): Json {
  const { role, reasoning, reasoning_details: told, ...rest } = message;
  if (role !== 'assistant' || (reasoning === undefined && told === undefined)) return message;
  const details: unknown[] = Array.isArray(told) ? told : [];
  if (details.some(isSealed)) return message;
  const own = textIn(message, 'reasoning_content') ?? '';
  const others =
    typeof reasoning === 'string' ? reasoning : details.map((detail) => textIn(detail, 'text') ?? '').join('');
  const text = own === '' ? others : own;
  return text === '' ? message : { ...rest, role, reasoning_content: text };
}

/**
 * Stands for reasoning that a caller did not keep: an empty text is refused.
 * https://github.com/NousResearch/hermes-agent/pull/18263
 */
const placeholder = ' ';

/** An assistant's message as a model wants it that insists on its reasoning. */
export function withReasoning(message: Json): Json {
  const { role, reasoning_content: reasoning } = message;
  if (role !== 'assistant' || (typeof reasoning === 'string' && reasoning !== '')) return message;
  return { ...message, reasoning_content: placeholder };
}

/**
 * A message without the fields that a provider refuses: what it refused to say is what it said. The name of a
 * tool stays, which tells whose result a message is. `dropped` gathers those that said something.
 */
export function withoutFields(message: Json, refused: readonly string[], dropped: Set<string>): Json {
  const own = message.role === 'tool' ? refused.filter((field) => field !== 'name') : refused;
  const saysRefusal = !refused.includes('refusal');
  const plain = withoutOwn(saysRefusal ? message : withRefusalSaid(message), own, dropped);
  const inContent = refused.filter((field) => !ofMessages.includes(field));
  const asTaken = (part: Json) => withoutOwn(saysRefusal ? part : asText(part), inContent, dropped);
  const asCalled = (call: Json) => withinFunction(withoutOwn(call, refused, dropped), refused, dropped);
  return withEach(withEach(plain, 'content', asTaken), 'tool_calls', asCalled);
}

/** A call whose function has none of the fields; the very same where it had none. */
function withinFunction(call: Json, refused: readonly string[], dropped: Set<string>): Json {
  if (!isRecord(call.function)) return call;
  const called = withoutOwn(
    call.function,
    refused.filter((field) => field !== 'name'),
    dropped,
  );
  return called === call.function ? call : { ...call, function: called };
}

/** Fields that are something else in a part of the content. */
const ofMessages = ['name', 'refusal', 'audio'];

/** A part that says what the model refused as one that says anything else. */
function asText(part: Json): Json {
  return part.type === 'refusal' && typeof part.refusal === 'string' ? { type: 'text', text: part.refusal } : part;
}

/** The very same message where none of this list changes. */
function withEach(message: Json, list: 'content' | 'tool_calls', write: (item: Json) => Json): Json {
  const items: unknown = message[list];
  if (!Array.isArray(items)) return message;
  const written = items.map((item: unknown) => (isRecord(item) ? write(item) : item));
  return written.some((item, index) => item !== items[index]) ? { ...message, [list]: written } : message;
}

function withRefusalSaid(message: Json): Json {
  const { refusal, content } = message;
  const isSaid = typeof refusal === 'string' && refusal !== '' && isNothing(content);
  return isSaid ? { ...message, refusal: null, content: refusal } : message;
}

/** The very same object where it holds none of the fields. */
function withoutOwn(object: Json, refused: readonly string[], dropped: Set<string>): Json {
  const found = refused.filter((field) => Object.hasOwn(object, field));
  if (found.length === 0) return object;
  for (const field of found) if (saysSomething(object[field])) dropped.add(field);
  return Object.fromEntries(Object.entries(object).filter(([name]) => !found.includes(name)));
}

/** As clients send back what an answer left empty. */
function saysSomething(value: unknown): boolean {
  return value != null && !(Array.isArray(value) && value.length === 0);
}

/** What a caller is told of fields that were left out. */
export function droppedWarnings(dropped: ReadonlySet<string>, { provider }: UpstreamTarget): string[] {
  return [...dropped].map((field) => `${field} of messages was dropped: ${provider.name} does not take it`);
}

/**
 * Whether this model refuses the role `developer`, which is OpenAI's newer word for `system`.
 * https://platform.openai.com/docs/guides/text#message-roles-and-instruction-following
 */
export function knowsNoDeveloper(target: UpstreamTarget): boolean {
  return holdsFor(target.provider.quirks.systemForDeveloper, target);
}

/** The very same message where it is no developer's. */
export function toSystem(message: Record<string, unknown>): Record<string, unknown> {
  return message.role === 'developer' ? { ...message, role: 'system' } : message;
}
