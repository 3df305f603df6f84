import type { CacheControl, CanonicalRequest } from './generation-request';

/**
 * So many marks for the cache a request may have, or all of it is refused:
 * `A maximum of 4 blocks with cache_control may be provided. Found 5.`
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 * https://github.com/coder/mux/pull/3112 https://github.com/BerriAI/litellm/pull/39210
 */
export const mostMarks = 4;

/**
 * Which marks of a prompt stay, by their number in it: tools, instructions, messages. A mark ends a
 * beginning that is looked for in the cache, so of tools and instructions the last one says it all, and of
 * messages those that stand last, near which the turn before ended; where there is room left, those that end
 * most of the others. `whole`: the request as a whole is marked, which is one of them. Null: all of them.
 */
export function keptMarks(tools: number, system: number, messages: number, whole = false): Set<number> | null {
  const found = tools + system + messages;
  if (found + Number(whole) <= mostMarks) return null;
  const begun = [...(tools > 0 ? [tools - 1] : []), ...(system > 0 ? [tools + system - 1] : [])];
  const last = Array.from({ length: found }, (_, index) => found - 1 - index);
  return new Set([...new Set([...begun, ...last])].slice(0, mostMarks - Number(whole)));
}

/** What a caller is told of those that went. */
export function fewMarksWarning(found: number, kept: number): string {
  return `${found - kept} of ${found} marks for the cache were left out: there may be ${mostMarks}`;
}

/** A request with no more marks for the cache than providers take; `warnings` hears of the others. */
export function withFewMarks(request: CanonicalRequest, warnings: string[]): CanonicalRequest {
  const { messages, tools } = request;
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  const begin = first < 0 ? messages.length : first;
  const marksIn = (of: typeof messages): number => of.flatMap(({ parts }) => parts).filter(isMarked).length;
  const [system, said] = [marksIn(messages.slice(0, begin)), marksIn(messages.slice(begin))];
  const ofTools = tools?.filter(isMarked).length ?? 0;
  const kept = keptMarks(ofTools, system, said);
  if (kept === null) return request;
  warnings.push(fewMarksWarning(ofTools + system + said, kept.size));
  let seen = 0;
  const marked = <Part extends Marked>(part: Part): Part => {
    if (!isMarked(part) || kept.has(seen++)) return part;
    const { cacheControl: _control, ...rest } = part;
    return rest as Part;
  };
  return {
    ...request,
    ...(tools && { tools: tools.map(marked) }),
    messages: messages.map((message) => ({ ...message, parts: message.parts.map(marked) })),
  };
}

interface Marked {
  cacheControl?: CacheControl;
}

function isMarked({ cacheControl }: Marked): boolean {
  return cacheControl !== undefined;
}
