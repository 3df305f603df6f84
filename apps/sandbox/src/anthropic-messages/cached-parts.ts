import { optionalObjects } from '../request/read-values';
import { demand } from '../request/refusal';

const mostMarks = 4;

type Block = Record<string, unknown>;

/** The blocks up to the last one that is marked, in the order of the prompt: tools, system, messages. Null where none is. https://platform.claude.com/docs/en/build-with-claude/prompt-caching @throws Refusal for more marks than four */
export function cachedParts(body: Block, messages: readonly Block[]): string[] | null {
  const blocks = [
    ...optionalObjects(body.tools, 'tools'),
    ...contentOf(body.system),
    ...messages.flatMap(({ role, content }) => contentOf(content).map((block) => ({ role, ...block }))),
  ];
  const marks = blocks.filter(isMarked).length;
  demand(marks <= mostMarks, `A maximum of ${mostMarks} blocks with cache_control may be provided. Found ${marks}.`);
  const last = body.cache_control === undefined ? blocks.findLastIndex(isMarked) : blocks.length - 1;
  // The mark moves on from one request to the next, and what stands before it stays the same.
  return last < 0
    ? null
    : blocks.slice(0, last + 1).map((block) => JSON.stringify({ ...block, cache_control: undefined }));
}

function contentOf(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return optionalObjects(content, 'content');
}

function isMarked({ cache_control: control }: Block): boolean {
  return control !== undefined && control !== null;
}
