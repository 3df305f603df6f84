import { asBuffer } from '../wire/json-cursor';
import { isObject, itemsOf, listOf, membersNamed, textIn } from '../wire/json-walk';
import { withoutBom } from '../wire/request-json';
import { membersOf, spliceObject } from '../wire/splice-object';
import { fewMarksWarning, keptMarks, mostMarks } from './few-marks';

const mark = 'cache_control';
const trace = `"${mark}"`;

/** Members that hold parts with marks of their own: parts of a turn, texts of a result, calls of chat. */
const lists = ['content', 'tool_calls'];

/** So many lists below a turn marks stand in: its parts, and the texts and pictures of a result. */
const depthOfTurns = 2;

/** A request with no more marks for the cache than Claude takes, and what its caller is told of it. */
interface FewMarks {
  body: Uint8Array;
  warning: string | null;
}

/**
 * The caller's own bytes, of messages or chat completions to Claude. A client that marks each turn, or a part
 * of it by itself beside one that does so too, ends its session by the fifth mark. The very same bytes where
 * there are no more than may be.
 * https://github.com/coder/mux/pull/3112 https://github.com/aws-samples/demo_mcp_on_amazon_bedrock/issues/91
 */
export function withFewMarksInJson(body: Uint8Array): FewMarks {
  const unchanged = { body, warning: null };
  if (!holdsMore(asBuffer(body))) return unchanged;
  const source = withoutBom(body);
  const members = membersNamed(source, [mark, 'tools', 'system', 'messages']);
  const tools = [...itemsOf(members.get('tools'))];
  const system = [...itemsOf(members.get('system'))];
  const turns = [...itemsOf(members.get('messages'))];
  // Chat completions have their instructions in front of the turns.
  const first = turns.findIndex((turn) => !['system', 'developer'].includes(textIn(turn, 'role') ?? ''));
  const begin = first < 0 ? turns.length : first;
  const ofTools = marksIn(tools);
  const ofSystem = marksIn(system) + marksIn(turns.slice(0, begin), depthOfTurns);
  const ofTurns = marksIn(turns.slice(begin), depthOfTurns);
  const kept = keptMarks(ofTools, ofSystem, ofTurns, isObject(members.get(mark)));
  if (kept === null) return unchanged;
  const few = fewOf(kept);
  // In the order of the prompt, in which they are numbered.
  const set = {
    ...(ofTools > 0 && { tools: listOf(few(tools)) }),
    ...(marksIn(system) > 0 && { system: listOf(few(system)) }),
    messages: listOf(few(turns, depthOfTurns)),
  };
  const warning = fewMarksWarning(ofTools + ofSystem + ofTurns, kept.size);
  return { body: spliceObject(source, membersOf(source), { set }), warning };
}

/** Takes the marks away whose numbers are not kept, as it comes by them. */
function fewOf(kept: ReadonlySet<number>): (items: readonly Uint8Array[], depth?: number) => Uint8Array[] {
  let seen = 0;
  const few = (items: readonly Uint8Array[], depth = 0): Uint8Array[] =>
    items.map((item) => {
      if (marksIn([item], depth) === 0) return item;
      const within = listsOf(item, depth).filter(([, parts]) => marksIn(parts, depth - 1) > 0);
      const set = Object.fromEntries(within.map(([name, parts]) => [name, listOf(few(parts, depth - 1))]));
      const drop = isMarked(item) && !kept.has(seen++) ? [mark] : [];
      return spliceObject(item, membersOf(item), { set, drop });
    });
  return few;
}

/** How many marks these items have, with those in so many lists below them. */
function marksIn(items: readonly Uint8Array[], depth = 0): number {
  const numbers = items.map((item) => {
    if (!asBuffer(item).includes(trace)) return 0;
    const within = listsOf(item, depth).map(([, parts]) => marksIn(parts, depth - 1));
    return within.reduce((sum, number) => sum + number, Number(isMarked(item)));
  });
  return numbers.reduce((sum, number) => sum + number, 0);
}

function listsOf(item: Uint8Array, depth: number): [name: string, items: Uint8Array[]][] {
  if (depth === 0 || !isObject(item)) return [];
  return [...membersNamed(item, lists)].map(([name, value]) => [name, [...itemsOf(value)]]);
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

function isMarked(block: Uint8Array): boolean {
  return isObject(block) && isObject(membersNamed(block, [mark]).get(mark));
}
