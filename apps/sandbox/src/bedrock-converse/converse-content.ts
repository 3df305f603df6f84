import { jsonObject } from '../answer/json-object';
import { textOf } from '../answer/pieces';
import type { PlannedBlock, TextBlock } from '../answer/planned-answer';
import type { SpokenUsage } from '../speech/simulated-dialect';

type Json = Record<string, unknown>;

/**
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_ResponseElements
 */
export const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'stop-sequence': 'stop_sequence',
  refusal: 'content_filtered',
  filter: 'guardrail_intervened',
  broken: 'malformed_model_output',
} as const;

/** A block of a whole answer. */
export function contentOf(block: PlannedBlock): Json {
  const text = textOf(block.pieces);
  switch (block.type) {
    case 'reasoning':
      return block.isRedacted
        ? { reasoningContent: { redactedContent: block.seal } }
        : { reasoningContent: { reasoningText: { text, signature: block.seal } } };
    case 'text':
      return block.citations.length === 0
        ? { text }
        : { citationsContent: { content: [{ text }], citations: citationsOf(block) } };
    case 'refusal':
      return { text };
    case 'tool-call':
      return { toolUse: { toolUseId: toolUseId(block.id), name: block.name, input: jsonObject(text) } };
  }
}

export function toolUseId(id: string): string {
  return `tooluse_${id}`;
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Citation.html */
export function citationsOf({ citations }: TextBlock): Json[] {
  return citations.map(({ index, title, text }) => ({
    title,
    sourceContent: [{ text }],
    location: { documentChar: { documentIndex: index, start: 0, end: text.length } },
  }));
}

/** What a cache gave and took is counted apart. */
export function metadataOf(usage: SpokenUsage | null): Json {
  const metrics = { latencyMs: 1 };
  if (!usage) return { metrics };
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return {
    usage: {
      inputTokens: inputTokens - cacheReadTokens - cacheWriteTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      cacheReadInputTokens: cacheReadTokens,
      cacheWriteInputTokens: cacheWriteTokens,
    },
    metrics,
  };
}
