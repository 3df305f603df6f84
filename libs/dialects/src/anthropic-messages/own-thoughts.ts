import { foreignMark, readMark } from '../canonical/carried-seal';
import { keptReasoning } from '../openai-chat/kept-reasoning';
import { sealerOf } from '../provider-dialect';
import type { UpstreamTarget } from '../provider-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { isRecord } from '../wire/json-value';
import { parseRequestJson, withoutBom } from '../wire/request-json';
import { membersOf, spliceObject } from '../wire/splice-object';
import { isClaude } from './model-facts';

type Block = Record<string, unknown>;

/**
 * How thoughts that this provider did not sign, or whose mark is ours, show in a body, as the usual writers
 * of JSON write it. Other bodies are not even parsed.
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
  const parsed = parseRequestJson(body);
  if (!isRecord(parsed) || !Array.isArray(parsed.messages)) return body;
  const before: readonly unknown[] = parsed.messages;
  const messages = before.map((message) => withOwnBlocks(message, { sealer: sealerOf(target), insists }));
  if (messages.every((message, i) => message === before[i])) return body;
  // A turn that held nothing else is left out; Anthropic joins its neighbours.
  const kept = messages.filter((message) => !isRecord(message) || !isEmpty(message.content));
  const plain = withoutBom(body);
  return spliceObject(plain, membersOf(plain), { set: { messages: Buffer.from(JSON.stringify(kept)) } });
}

function withOwnBlocks(message: unknown, thinker: Thinker): unknown {
  if (!isRecord(message) || message.role !== 'assistant' || !Array.isArray(message.content)) return message;
  const before: readonly unknown[] = message.content;
  const content = before.flatMap((block) => (isThought(block) ? ownThought(block, thinker) : [block]));
  const isBare = content.some((block) => isRecord(block) && block.type === 'tool_use') && !content.some(isThought);
  if (thinker.insists && isBare) content.unshift({ type: 'thinking', thinking: ' ', signature: '' });
  const isSame = content.length === before.length && content.every((block, i) => block === before[i]);
  return isSame ? message : { ...message, content };
}

/** The thought as its model takes it; none where it cannot. */
function ownThought(block: Block, { sealer, insists }: Thinker): Block[] {
  const field = block.type === 'thinking' ? 'signature' : 'data';
  const seal = block[field];
  if (typeof seal !== 'string') return [block];
  const { madeBy, value } = readMark(seal);
  if (madeBy === sealer) return [{ ...block, [field]: value }];
  const isForeign = madeBy !== null || seal.startsWith(foreignMark) || (seal === '' && field === 'signature');
  if (!isForeign) return [block];
  const { thinking } = block;
  return insists && typeof thinking === 'string' && thinking !== ''
    ? [{ type: 'thinking', thinking, signature: '' }]
    : [];
}

function isThought(block: unknown): block is Block {
  return isRecord(block) && (block.type === 'thinking' || block.type === 'redacted_thinking');
}

function isEmpty(content: unknown): boolean {
  return Array.isArray(content) && content.length === 0;
}
