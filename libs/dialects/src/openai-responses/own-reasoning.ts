import { foreignMark, readMark } from '../canonical/carried-seal';
import { shortName } from '../canonical/short-names';
import { sealerOf } from '../provider-dialect';
import type { UpstreamTarget } from '../provider-dialect';
import { holdsMatch, holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { isRecord, parseJson } from '../wire/json-value';
import { isObject, itemsOf, listOf } from '../wire/json-walk';
import { withoutBom } from '../wire/request-json';
import { inJson, membersOf, spliceObject, valueOf } from '../wire/splice-object';
import type { MemberRange, ObjectEdits } from '../wire/splice-object';
import { codexNotes, isAgentMessage, openAgentMessage, userMessageOf, withoutNotes } from './agent-messages';
import { ownCompaction } from './compacted-item';

type Item = Record<string, unknown>;

/**
 * Who is asked: the one whose seals it can read (`sealerOf`), and whether it knows what agents say to each
 * other.
 */
interface Asked {
  readonly sealer: string;
  readonly operatorDefined: boolean;
  readonly knowsAgents: boolean;
}

/** Who is asked at a place. */
export function askedAt(target: UpstreamTarget): Asked {
  const { operatorDefined, quirks } = target.provider;
  return { sealer: sealerOf(target), operatorDefined, knowsAgents: quirks.agentMessages };
}

/**
 * How items that this gateway has written or marked show in a body, ids that OpenAI refuses among them. Other
 * bodies are not walked over.
 */
const ourMark = '"tollgate';
const tracesInIds =
  /"id"\s*:\s*"(?:(?:rs|msg|fc|ctc|tsc|sh|apc)_[0-9a-f]{32}"|(?!(?=[\w-]{1,64}")(?:msg|fc|ctc|rs|ws|tsc|cmp|ci|fs|ig|mcp[lr]?|cu|l?sh|apc|pmpt|conv)_))/;
const longCallId = /"call_id"\s*:\s*"[^"]{65}/;
const noContent = /"content"\s*:\s*null/;
/** Ids of our own making; OpenAI's are longer. */
const ourId = /^(?:rs|msg|fc|ctc|tsc|sh|apc)_[0-9a-f]{32}$/;
/**
 * How OpenAI's ids of what others have, too, begin. It refuses any other:
 * https://github.com/Wei-Shaw/sub2api/issues/3981
 */
const begins: Readonly<Record<string, string>> = { message: 'msg', function_call: 'fc', custom_tool_call: 'ctc' };
/**
 * Ids that it takes of items: https://github.com/can1357/oh-my-pi/issues/284 (GitHub Copilot's have 416
 * characters) https://github.com/earendil-works/pi/issues/1022
 */
const takenId = /^[\w-]{1,64}$/;
const saidByModel = [
  ...['message', 'function_call', 'custom_tool_call', 'tool_search_call', 'shell_call', 'apply_patch_call'],
];

/**
 * A request as this provider can read it. What a model of another provider, or another
 * organisation, has sealed is left out: OpenAI answers 400 or 404 to it for the rest of the conversation
 * (https://github.com/openai/codex/issues/9045, https://github.com/BerriAI/litellm/issues/18094). Its own
 * seals lose their mark.
 * Ids of calls beyond 64 characters become their digests, https://github.com/openai/codex/issues/14355 and
 * ids that are none of OpenAI's go, but for servers of an operator's own, which may keep something in them.
 * The caller keeps everything, so that who signed it gets it when he returns. The very same bytes where there
 * is nothing to do.
 * @throws SealedElsewhere for a conversation that another provider, or another account, has compacted.
 */
export function withOwnReasoning(body: Uint8Array, asked: Asked): Uint8Array {
  if (!showsTraces(asBuffer(body))) return body;
  const source = withoutBom(body);
  const members = membersOf(source);
  const input = ownInput(source, members, asked);
  return input ? spliceObject(source, members, { set: { input } }) : body;
}

/**
 * The input of the request that has these members, as `withOwnReasoning` leaves it, in pieces; null: as it
 * is. Each item is walked over and written by itself, so that a picture beside one that changes is neither
 * parsed nor copied: nobody else is served meanwhile.
 */
export function ownInput(
  source: Uint8Array,
  members: readonly MemberRange[],
  asked: Asked,
): readonly Uint8Array[] | null {
  const input = members.findLast(({ name }) => name === 'input');
  const list = source.subarray(input?.valueStart ?? 0, input?.end ?? 0);
  if (!showsTraces(asBuffer(list))) return null;
  const before = [...itemsOf(list)];
  const own = ownItems(before, asked);
  if (own.length === before.length && own.every((item, index) => item === before[index])) return null;
  return listOf(own);
}

function showsTraces(bytes: Buffer): boolean {
  return (
    [ourMark, '"agent_message"', `"${codexNotes}"`].some((text) => holdsText(bytes, text)) ||
    holdsMatch(bytes, '"id"', tracesInIds) ||
    holdsMatch(bytes, '"call_', longCallId) ||
    holdsMatch(bytes, '"conte', noContent)
  );
}

function ownItems(items: readonly Uint8Array[], asked: Asked): Uint8Array[] {
  const own: Uint8Array[] = [];
  /** True behind reasoning that was left out: what it led to may not name it by an id. */
  let isCut = false;
  for (const [index, json] of items.entries()) {
    if (!isObject(json)) {
      own.push(json);
      continue;
    }
    const members = membersOf(json);
    const said = lookedAt(json, members);
    const item = takenItem(said, asked);
    if (isAgentMessage(item)) own.push(betweenAgents(json, asked));
    else if (item.type === 'compaction') own.push(compacted(json, index, asked));
    else if (item.type === 'reasoning' && isForeign(item, asked.sealer)) isCut = true;
    else {
      isCut &&= item.type !== 'reasoning' && isSaid(item);
      const left = isSaid(item) && (isCut || isOurs(item)) ? withoutId(item) : withoutMark(withoutNoContent(item));
      own.push(left === said ? json : spliceObject(json, members, editsTo(left, said)));
    }
  }
  return own;
}

/** No other value begins with an n. */
const startOfNull = 0x6e;
const lookedAtNames = ['type', 'role', 'id', 'call_id', 'encrypted_content', codexNotes];

/** What decides of an item, without what it says. */
function lookedAt(json: Uint8Array, members: readonly MemberRange[]): Item {
  const names = lookedAtNames.filter((name) => members.some((member) => member.name === name));
  const content = members.findLast(({ name }) => name === 'content');
  const isNull = content && json[content.valueStart] === startOfNull;
  return {
    ...Object.fromEntries(names.map((name) => [name, valueOf(json, members, name)])),
    ...(isNull && { content: null }),
  };
}

/** What makes an item of which this was looked at one of which that is left. */
function editsTo(left: Item, said: Item): ObjectEdits {
  const changed = Object.entries(left).filter(([name, value]) => value !== said[name]);
  return {
    set: Object.fromEntries(changed.map(([name, value]) => [name, inJson(value)])),
    drop: Object.keys(said).filter((name) => !Object.hasOwn(left, name)),
  };
}

/** It without what whoever is asked refuses of every kind of item. The very same where nothing is. */
function takenItem(item: Item, { operatorDefined, knowsAgents }: Asked): Item {
  const known = knowsAgents ? item : withoutNotes(item);
  return operatorDefined ? known : withTakenIds(known);
}

function compacted(json: Uint8Array, index: number, asked: Asked): Buffer {
  return inJson(ownCompaction(takenItem(wholeItem(json), asked), asked.sealer, `input[${index}]`));
}

/** What agents said to each other, as whoever is asked takes it. The very same where it does so as it is. */
function betweenAgents(json: Uint8Array, { knowsAgents }: Asked): Uint8Array {
  const item = wholeItem(json);
  const taken = knowsAgents ? openAgentMessage(item) : userMessageOf(item);
  return taken === item ? json : inJson(taken);
}

function wholeItem(json: Uint8Array): Item {
  const item = parseJson(asBuffer(json).toString('utf8'));
  if (!isRecord(item)) throw new TypeError('an item of the input is no object');
  return item;
}

function isForeign(item: Item, sealer: string): boolean {
  const { encrypted_content: sealed } = item;
  if (typeof sealed !== 'string') return isOurs(item);
  if (sealed.startsWith(foreignMark)) return true;
  return (readMark(sealed).madeBy ?? sealer) !== sealer;
}

/** A message of the model, or a call. */
function isSaid({ type = 'message', role = 'assistant' }: Item): boolean {
  return role === 'assistant' && typeof type === 'string' && saidByModel.includes(type);
}

function isOurs({ id }: Item): boolean {
  return typeof id === 'string' && ourId.test(id);
}

/** The very same item where its ids are taken. */
function withTakenIds(item: Item): Item {
  const { type = 'message', id, call_id: callId } = item;
  const begin = (typeof type === 'string' && begins[type]) || '';
  const isTaken = typeof id !== 'string' || (id.startsWith(begin) && takenId.test(id));
  // What refers to an item is nothing without its id.
  const taken = isTaken || type === 'item_reference' ? item : withoutId(item);
  const short = typeof callId === 'string' ? shortName(callId) : callId;
  return short === callId ? taken : { ...taken, call_id: short };
}

/** The very same item where it has none. */
function withoutId(item: Item): Item {
  if (!Object.hasOwn(item, 'id')) return item;
  const { id: _, ...left } = item;
  return left;
}

/**
 * Codex says of thoughts that they have no content, which xAI answers with a 422:
 * https://github.com/Wei-Shaw/sub2api/issues/4237
 */
function withoutNoContent(item: Item): Item {
  if (item.type !== 'reasoning' || item.content !== null) return item;
  const { content: _, ...rest } = item;
  return rest;
}

function withoutMark(item: Item): Item {
  const { encrypted_content: sealed } = item;
  if (typeof sealed !== 'string') return item;
  const { value } = readMark(sealed);
  return value === sealed ? item : { ...item, encrypted_content: value };
}
