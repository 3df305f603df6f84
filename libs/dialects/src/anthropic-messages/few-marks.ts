import { fewMarksWarning, keptMarks, mostMarks } from '../canonical/few-marks';
import type { UpstreamTarget } from '../provider-dialect';
import { asBuffer } from '../wire/json-cursor';
import { isList, isObject, itemsOf, listOf, membersNamed } from '../wire/json-walk';
import { withoutBom } from '../wire/request-json';
import { membersOf, spliceObject } from '../wire/splice-object';
import { isClaude } from './model-facts';

const mark = 'cache_control';
const trace = `"${mark}"`;

/** A native request with no more marks for the cache than Claude takes, and what its caller is told of it. */
interface FewMarks {
  body: Uint8Array;
  warning: string | null;
}

/**
 * A client that marks each turn, or a part of it by itself beside one that does so too, ends its session by
 * the fifth mark. The very same bytes where there are no more than may be.
 * https://github.com/coder/mux/pull/3112 https://github.com/aws-samples/demo_mcp_on_amazon_bedrock/issues/91
 */
export function withFewMarks(body: Uint8Array, target: UpstreamTarget): FewMarks {
  const unchanged = { body, warning: null };
  if (!isClaude(target.upstreamModel) || !holdsMore(asBuffer(body))) return unchanged;
  const source = withoutBom(body);
  const members = membersNamed(source, [mark, 'tools', 'system', 'messages']);
  const tools = [...itemsOf(members.get('tools'))];
  const system = [...itemsOf(members.get('system'))];
  const turns = [...itemsOf(members.get('messages'))];
  const blocks = turns.map((turn) => [...itemsOf(isObject(turn) ? contentOf(turn) : undefined)]);
  const counts = [tools, system, blocks.flat()].map((list) => list.filter(isMarked).length);
  const [ofTools = 0, ofSystem = 0, ofTurns = 0] = counts;
  const kept = keptMarks(ofTools, ofSystem, ofTurns, isObject(members.get(mark)));
  if (kept === null) return unchanged;
  let seen = 0;
  const few = (block: Uint8Array): Uint8Array =>
    !isMarked(block) || kept.has(seen++) ? block : spliceObject(block, membersOf(block), { drop: [mark] });
  // In the order of the prompt, in which they are numbered.
  const set = {
    ...(ofTools > 0 && { tools: listOf(tools.map(few)) }),
    ...(ofSystem > 0 && { system: listOf(system.map(few)) }),
    messages: listOf(
      turns.map((turn, index) => {
        const before = blocks[index] ?? [];
        if (!before.some(isMarked)) return turn;
        return spliceObject(turn, membersOf(turn), { set: { content: listOf(before.map(few)) } });
      }),
    ),
  };
  const found = ofTools + ofSystem + ofTurns;
  return { body: spliceObject(source, membersOf(source), { set }), warning: fewMarksWarning(found, kept.size) };
}

/** Whether the name of a mark stands there more often than there may be marks. */
function holdsMore(bytes: Buffer): boolean {
  let at = bytes.indexOf(trace);
  for (let seen = 1; at >= 0; seen++) {
    if (seen > mostMarks) return true;
    at = bytes.indexOf(trace, at + trace.length);
  }
  return false;
}

function contentOf(turn: Uint8Array): Uint8Array | undefined {
  const content = membersNamed(turn, ['content']).get('content');
  return isList(content) ? content : undefined;
}

function isMarked(block: Uint8Array): boolean {
  return isObject(block) && isObject(membersNamed(block, [mark]).get(mark));
}
