import type { GenerationEvent } from '../canonical/generation-event';
import { isRecord, recordIn } from '../wire/json-value';
import { OpenBlock, type BlockNumbers } from './open-block';

/**
 * The content of a whole answer, as the events of a stream that sent each block in one piece.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
 */
export function documentEvents(
  content: readonly unknown[],
  numbers: BlockNumbers,
  newId: () => string,
): GenerationEvent[] {
  return content.flatMap((item) => {
    const block = new OpenBlock(numbers);
    return isRecord(item) ? [...blockEvents(item, block, newId), ...block.end()] : [];
  });
}

function blockEvents(item: Record<string, unknown>, block: OpenBlock, newId: () => string): GenerationEvent[] {
  if (isRecord(item.toolUse)) {
    const { toolUseId, name, input } = item.toolUse;
    if (typeof name !== 'string') return [];
    const id = typeof toolUseId === 'string' && toolUseId !== '' ? toolUseId : newId();
    return [...block.toolCall(id, name), ...block.delta({ toolUse: { input: JSON.stringify(input ?? {}) } })];
  }
  if (isRecord(item.reasoningContent)) {
    const { redactedContent } = item.reasoningContent;
    return block.delta({ reasoningContent: { ...recordIn(item.reasoningContent, 'reasoningText'), redactedContent } });
  }
  return isRecord(item.citationsContent) ? citedText(item.citationsContent, block) : block.delta(item);
}

function citedText({ content, citations }: Record<string, unknown>, block: OpenBlock): GenerationEvent[] {
  const texts = Array.isArray(content) ? content.filter(isRecord).flatMap((part) => block.delta(part)) : [];
  const sources = Array.isArray(citations) ? citations.flatMap((citation) => block.delta({ citation })) : [];
  return [...texts, ...sources];
}
