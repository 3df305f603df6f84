import { foreignMark, readMark } from '../canonical/carried-seal';
import { keptReasoning } from '../openai-chat/kept-reasoning';
import { sealerOf, type UpstreamTarget } from '../provider-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { isRecord, parseJson, recordIn } from '../wire/json-value';
import { isObject, itemsOf, listOf, membersNamed, textIn } from '../wire/json-walk';
import { withoutBom } from '../wire/request-json';
import { inJson, membersOf, spliceObject, valueOf } from '../wire/splice-object';
import { isClaude, factsOf } from './model-facts';
import { budgetOf } from '../canonical/reasoning-effort';

const noSignature = ['""', 'null'].flatMap((none) => [`"signature":${none}`, `"signature": ${none}`]);

/**
 * How thoughts that this provider did not sign, or whose mark is ours, show in a body, as the usual writers
 * of JSON write it. Other bodies are not even walked over.
 */
const traces = [`"${foreignMark}`, '"tollgate@', ...noSignature];

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
  // Some have null where nothing signed: https://github.com/BerriAI/litellm/pull/31654
  const seal = block[field] === null ? '' : block[field];
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

/** https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
const leastBudget = 1_024;

interface KnownThinking {
  body: Uint8Array;
  warnings: string[];
}

/**
 * A native request in which the model of an older form can think: agents ask every model whose name they do
 * not know for adaptive thinking and an effort, which those before Claude 4.6 refuse.
 * https://code.claude.com/docs/en/llm-gateway-protocol https://github.com/mnfst/llm-gateway/pull/1928 The
 * very same bytes for every other model, that of another maker or of an operator's server included, and where
 * it is not asked for.
 */
export function withKnownThinking(body: Uint8Array, target: UpstreamTarget): KnownThinking {
  const unchanged = { body, warnings: [] };
  if (!isClaude(target.upstreamModel)) return unchanged;
  const { thinking, efforts } = factsOf(target);
  if ((thinking !== 'none' && thinking !== 'budget') || !holdsText(asBuffer(body), '"adaptive"')) return unchanged;
  const plain = withoutBom(body);
  if (textIn(membersNamed(plain, ['thinking']).get('thinking'), 'type') !== 'adaptive') return unchanged;
  const members = membersOf(plain);
  const settings = ['output_config', 'max_tokens', 'temperature'];
  const asked = Object.fromEntries(settings.map((name) => [name, valueOf(plain, members, name)]));
  const config = recordIn(asked, 'output_config');
  const budget = thinking === 'none' || isBare(plain) ? null : budgetFor(asked);
  const set: Record<string, Buffer> = {};
  const drop: string[] = [];
  const warnings: string[] = [];
  if (budget === null) {
    drop.push('thinking');
    warnings.push('adaptive thinking was dropped: this model cannot think about this request');
  } else {
    set.thinking = inJson({ type: 'enabled', budget_tokens: budget });
    warnings.push(`adaptive thinking became a budget of ${budget} tokens: this model knows no other form`);
  }
  if (config.effort !== undefined && efforts.length === 0) {
    const { effort: _, ...others } = config;
    if (Object.keys(others).length === 0) drop.push('output_config');
    else set.output_config = inJson(others);
    // What the effort was meant for is in the budget.
    if (budget === null) warnings.push('effort was dropped: this model knows none');
  }
  return { body: spliceObject(plain, members, { set, drop }), warnings };
}

/**
 * Whether a call is answered that came without thoughts. Messages are walked over: what they hold may be
 * large.
 */
function isBare(body: Uint8Array): boolean {
  const said = [...itemsOf(membersNamed(body, ['messages']).get('messages'))];
  const last = said.findLast((message) => textIn(message, 'role') === 'assistant');
  const blocks = last ? [...itemsOf(membersNamed(last, ['content']).get('content'))].filter(isObject) : [];
  const types = blocks.map((block) => textIn(block, 'type'));
  return types.includes('tool_use') && !/thinking$/.test(types[0] ?? '');
}

/** Half of the output at most; null where there is too little. */
function budgetFor(asked: Record<string, unknown>): number | null {
  const { max_tokens: most, temperature } = asked;
  if (typeof most !== 'number' || most <= leastBudget || (temperature ?? 1) !== 1) return null;
  const { effort } = recordIn(asked, 'output_config');
  const wished = budgetOf(isEffort(effort) ? effort : 'medium');
  return Math.max(leastBudget, Math.min(wished, Math.floor(most / 2)));
}

function isEffort(value: unknown): value is Parameters<typeof budgetOf>[0] {
  return typeof value === 'string' && ['low', 'medium', 'high', 'xhigh', 'max'].includes(value);
}
