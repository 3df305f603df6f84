import { optionalObjects } from '../request/read-values';

type Json = Record<string, unknown>;

/**
 * The blocks up to the last cache point, in the order of the prompt: tools, system, messages. Null where
 * there is none. https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
export function cachedParts(system: unknown, { tools }: Json, messages: readonly Json[]): string[] | null {
  const blocks = [
    ...optionalObjects(tools, 'toolConfig.tools'),
    ...optionalObjects(system, 'system'),
    ...messages.flatMap(({ role, content }) =>
      optionalObjects(content, 'content').map((block) => ({ role, ...block })),
    ),
  ];
  const last = blocks.findLastIndex(isPoint);
  // Points move on from one request to the next, and what stands before them stays the same.
  return last < 0
    ? null
    : blocks
        .slice(0, last)
        .filter((block) => !isPoint(block))
        .map((block) => JSON.stringify(block));
}

function isPoint(block: Json): boolean {
  return block.cachePoint !== undefined;
}
