import { optionalObjects } from '../request/read-values';
import { demand } from '../request/refusal';

const mostPoints = 4;

type Json = Record<string, unknown>;

/**
 * The blocks up to the last cache point, in the order of the prompt: tools, system, messages. Null where
 * there is none. https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 * @throws Refusal for a model that has no cache, and for more points than four:
 * https://github.com/BerriAI/litellm/pull/39210 https://github.com/twentyhq/twenty/pull/26227
 */
export function cachedParts(
  model: string,
  system: unknown,
  { tools }: Json,
  messages: readonly Json[],
): string[] | null {
  const blocks = [
    ...optionalObjects(tools, 'toolConfig.tools'),
    ...optionalObjects(system, 'system'),
    ...messages.flatMap(({ role, content }) =>
      optionalObjects(content, 'content').map((block) => ({ role, ...block })),
    ),
  ];
  const points = blocks.filter(isPoint).length;
  // The name of a profile of the caller's own says nothing of its model.
  demand(
    points === 0 || /claude|nova|^arn:/.test(model),
    'You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.',
    { status: 403 },
  );
  demand(
    points <= mostPoints,
    `The model returned the following errors: A maximum of ${mostPoints} blocks with cache_control may be provided. Found ${points}.`,
  );
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
