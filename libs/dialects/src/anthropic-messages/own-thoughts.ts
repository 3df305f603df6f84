import { foreignMark, readMark } from '../canonical/carried-seal';
import { keptReasoning } from '../openai-chat/kept-reasoning';
import { sealerOf } from '../provider-dialect';
import type { UpstreamTarget } from '../provider-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { isRecord, parseJson } from '../wire/json-value';
import { isObject, itemsOf, listOf, membersNamed, textIn } from '../wire/json-walk';
import { withoutBom } from '../wire/request-json';
import { inJson, membersOf, spliceObject } from '../wire/splice-object';
import { isClaude } from './model-facts';

/**
 * How thoughts that this provider did not sign, or whose mark is ours, show in a body, as the usual writers
 * of JSON write it. Other bodies are not even walked over.
 */
const traces = [`"${foreignMark}`, '"tollgate@', '"signature":""', '"signature": ""'];

/** What a request's thoughts become. `insists`: the model refuses a call without thoughts before it. */
interface Thinker {
  sealer: string;
  insists: boolean;
}

/**
 * A request with the thoughts that its model can take back: a caller may change models, and so may a
 * fallback. What others thought is left out, since Anthropic refuses it; its own thoughts lose our mark.
 * Where a model of another maker insists on thoughts beside calls, others' stay without their seal, and a
 * space stands where there are none: https://github.com/farion1231/cc-switch/pull/3377
 * https://github.com/SuperJJ007/CSSwitch/pull/72 The very same bytes where there is nothing to do.
 */
export function withOwnThoughts(body: Uint8Array, target: UpstreamTarget): Uint8Array {
  const insists = !isClaude(target.upstreamModel) && keptReasoning(target).insists;
  const source = asBuffer(body);
  if (![...traces, ...(insists ? ['"tool_use"'] : [])].some((trace) => holdsText(source, trace))) return body;
  const plain = withoutBom(body);
  const before = [...itemsOf(membersNamed(plain, ['messages']).get('messages'))];
  const messages = before.map((message) => withOwnBlocks(message, { sealer: sealerOf(target), insists }));
  if (messages.every((message, i) => message === before[i])) return body;
  // A turn that held nothing else is left out; Anthropic joins its neighbours.
  const kept = messages.filter((message) => !isEmpty(contentOf(message)));
  return spliceObject(plain, membersOf(plain), { set: { messages: listOf(kept) } });
}

/**
 * Thoughts alone are parsed: a picture beside one is walked over and stays as it was written, since nobody
 * else is served meanwhile.
 */
function withOwnBlocks(message: Uint8Array, thinker: Thinker): Uint8Array {
  const list = contentOf(message);
  if (!list || textIn(message, 'role') !== 'assistant') return message;
  const before = [...itemsOf(list)];
  const content = before.flatMap((block) => (isThought(block) ? ownThought(block, thinker) : [block]));
  const isBare = content.some((block) => textIn(block, 'type') === 'tool_use') && !content.some(isThought);
  if (thinker.insists && isBare) content.unshift(inJson({ type: 'thinking', thinking: ' ', signature: '' }));
  const isSame = content.length === before.length && content.every((block, i) => block === before[i]);
  return isSame ? message : spliceObject(message, membersOf(message), { set: { content: listOf(content) } });
}

/** The thought as its model takes it; none where it cannot. */
function ownThought(json: Uint8Array, { sealer, insists }: Thinker): Uint8Array[] {
  const block = parseJson(asBuffer(json).toString('utf8'));
  if (!isRecord(block)) return [json];
  const field = block.type === 'thinking' ? 'signature' : 'data';
  const seal = block[field];
  if (typeof seal !== 'string') return [json];
  const { madeBy, value } = readMark(seal);
  if (madeBy === sealer) return [inJson({ ...block, [field]: value })];
  const isForeign = madeBy !== null || seal.startsWith(foreignMark) || (seal === '' && field === 'signature');
  if (!isForeign) return [json];
  const { thinking } = block;
  return insists && typeof thinking === 'string' && thinking !== ''
    ? [inJson({ type: 'thinking', thinking, signature: '' })]
    : [];
}

function isThought(block: Uint8Array): boolean {
  const type = textIn(block, 'type');
  return type === 'thinking' || type === 'redacted_thinking';
}

/** The content of a message, as JSON text; undefined: it has none. */
function contentOf(message: Uint8Array): Uint8Array | undefined {
  return isObject(message) ? membersNamed(message, ['content']).get('content') : undefined;
}

function isEmpty(content: Uint8Array | undefined): boolean {
  return content?.[0] === 0x5b && itemsOf(content).next().done === true;
}
