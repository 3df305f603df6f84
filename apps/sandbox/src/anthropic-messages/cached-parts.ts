import { optionalObjects } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';

const mostMarks = 4;

type Block = Record<string, unknown>;

/**
 * The blocks up to the last one that is marked, in the order of the prompt: tools, system, messages; null
 * where none is. `forAnHour`: how many of them, from the first one on, are kept so long.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching @throws Refusal for more marks than
 * four, and for one of an hour behind one of five minutes
 */
export function cachedParts(body: Block, messages: readonly Block[]): { parts: string[] | null; forAnHour: number } {
  const blocks: Block[] = [
    ...optionalObjects(body.tools, 'tools'),
    ...contentOf(body.system),
    ...messages.flatMap(({ role, content }) => contentOf(content).map((block) => ({ role, ...block }))),
  ];
  const marked = [body, ...blocks, ...blocks.flatMap(resultOf)];
  for (const block of marked) checkMark(block.cache_control);
  checkMarkCount(marked);
  const short = blocks.findIndex((block) => isMarked(block) && !isForAnHour(block));
  const long = blocks.findLastIndex(isForAnHour);
  demand(
    short < 0 || long < short,
    "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
  );
  const last = body.cache_control === undefined ? blocks.findLastIndex(isMarked) : blocks.length - 1;
  // The mark moves on from one request to the next, and what stands before it stays the same.
  const parts = blocks.slice(0, last + 1).map((block) => JSON.stringify({ ...block, cache_control: undefined }));
  return { parts: last < 0 ? null : parts, forAnHour: isForAnHour(body) ? last + 1 : long + 1 };
}

/** https://github.com/coder/mux/pull/3112 @throws Refusal where more of these are marked than may be. */
export function checkMarkCount(blocks: readonly Block[]): void {
  const marks = blocks.filter(isMarked).length;
  demand(marks <= mostMarks, `A maximum of ${mostMarks} blocks with cache_control may be provided. Found ${marks}.`);
}

function contentOf(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return optionalObjects(content, 'content');
}

/** What a tool gave back, which may be marked like the block around it. */
function resultOf({ type, content }: Block): Block[] {
  return type === 'tool_result' && Array.isArray(content) ? optionalObjects(content, 'content') : [];
}

function checkMark(control: unknown): void {
  if (control === undefined || control === null) return;
  const { type, ttl = '5m' } = isRecord(control) ? control : {};
  demand(type === 'ephemeral', "cache_control: Input tag does not match any of the expected tags: 'ephemeral'");
  demand(ttl === '5m' || ttl === '1h', "cache_control.ephemeral.ttl: Input should be '5m' or '1h'");
}

function isMarked({ cache_control: control }: Block): boolean {
  return control !== undefined && control !== null;
}

function isForAnHour({ cache_control: control }: Block): boolean {
  return isRecord(control) && control.ttl === '1h';
}
