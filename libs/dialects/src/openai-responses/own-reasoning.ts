import { foreignMark, readMark } from '../canonical/carried-seal';
import { shortName } from '../canonical/short-name';
import { asBuffer } from '../wire/json-cursor';
import { isRecord } from '../wire/json-value';
import { parseRequestJson, withoutBom } from '../wire/request-json';
import { membersOf, spliceObject } from '../wire/splice-object';
import { ownCompaction } from './compacted-item';

type Item = Record<string, unknown>;

/** Who is asked: the one whose seals it can read (`sealerOf`). */
interface Asked {
  readonly sealer: string;
  readonly operatorDefined: boolean;
}

/**
 * How items that this gateway has written or marked show in a body, and ids that OpenAI refuses. Other bodies
 * are not even parsed.
 */
const traces = [
  /"tollgate[:@]/,
  /"(?:rs|msg|fc|ctc|tsc|sh|apc)_[0-9a-f]{32}"/,
  /"call_id"\s*:\s*"[^"]{65}/,
  /"id"\s*:\s*"(?!(?=[\w-]{1,64}")(?:msg|fc|ctc|rs|ws|tsc|cmp|ci|fs|ig|mcp[lr]?|cu|l?sh|apc|pmpt|conv)_)/,
];
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
  const text = asBuffer(body).toString('latin1');
  if (!traces.some((trace) => trace.test(text))) return body;
  const parsed = parseRequestJson(body);
  if (!isRecord(parsed) || !Array.isArray(parsed.input)) return body;
  const before: unknown[] = parsed.input;
  const input = ownItems(before, asked);
  if (input.length === before.length && input.every((item, index) => item === before[index])) return body;
  const plain = withoutBom(body);
  return spliceObject(plain, membersOf(plain), { set: { input: Buffer.from(JSON.stringify(input)) } });
}

function ownItems(items: readonly unknown[], { sealer, operatorDefined }: Asked): unknown[] {
  const own: unknown[] = [];
  /** True behind reasoning that was left out: what it led to may not name it by an id. */
  let isCut = false;
  for (const [index, said] of items.entries()) {
    const item = isRecord(said) && !operatorDefined ? withTakenIds(said) : said;
    if (!isRecord(item)) own.push(item);
    else if (item.type === 'compaction') own.push(ownCompaction(item, sealer, `input[${index}]`));
    else if (item.type === 'reasoning' && isForeign(item, sealer)) isCut = true;
    else {
      isCut &&= item.type !== 'reasoning' && isSaid(item);
      own.push(isSaid(item) && (isCut || isOurs(item)) ? withoutId(item) : withoutMark(item));
    }
  }
  return own;
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

function withoutId({ id: _, ...item }: Item): Item {
  return item;
}

function withoutMark(item: Item): Item {
  const { encrypted_content: sealed } = item;
  if (typeof sealed !== 'string') return item;
  const { value } = readMark(sealed);
  return value === sealed ? item : { ...item, encrypted_content: value };
}
