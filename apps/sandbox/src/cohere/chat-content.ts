import { logprobOf } from '../answer/logprobs';
import { textOf } from '../answer/pieces';
import type { Piece } from '../answer/pieces';
import type { PlannedAnswer, TextBlock, ToolCallBlock } from '../answer/planned-answer';
import type { SpokenUsage } from '../speech/simulated-dialect';

type Json = Record<string, unknown>;

export const finishReasons = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  'tool-calls': 'TOOL_CALL',
  'stop-sequence': 'STOP_SEQUENCE',
  refusal: 'COMPLETE',
  filter: 'ERROR',
  broken: 'ERROR',
} as const;

/** What the model says of its calls. */
export const toolPlan = 'I will use the tools.';

/** The message of a whole answer. */
export function messageOf({ blocks }: PlannedAnswer): Json {
  const content = blocks.flatMap((block): Json[] => {
    const text = textOf(block.pieces);
    if (block.type === 'tool-call') return [];
    if (block.type !== 'reasoning') return [{ type: 'text', text }];
    return block.isRedacted ? [] : [{ type: 'thinking', thinking: text }];
  });
  const calls = blocks.flatMap((block) => (block.type === 'tool-call' ? [callOf(block, textOf(block.pieces))] : []));
  const citations = blocks.flatMap((block, index) => (block.type === 'text' ? citationsOf(block, index) : []));
  return {
    role: 'assistant',
    ...(content.length > 0 && { content }),
    ...(calls.length > 0 && { tool_calls: calls, tool_plan: toolPlan }),
    ...(citations.length > 0 && { citations }),
  };
}

export function callOf({ id, name }: ToolCallBlock, text: string): Json {
  return { id, type: 'function', function: { name, arguments: text } };
}

/** https://docs.cohere.com/docs/rag-citations */
export function citationsOf({ pieces, citations }: TextBlock, contentIndex: number): Json[] {
  const said = textOf(pieces);
  return citations.map(({ id, title, text, url }) => ({
    start: 0,
    end: said.length,
    text: said,
    sources: [{ type: 'document', id, document: { id, title, text, ...(url !== null && { url }) } }],
    content_index: contentIndex,
    type: 'TEXT_CONTENT',
  }));
}

/** https://docs.cohere.com/reference/chat#response.body.logprobs */
export function logprobItem({ text }: Piece): Json {
  return { token_ids: [text.length], text, logprobs: [logprobOf(text).logprob] };
}

/** Billed units and tokens are the same here; at Cohere they may differ. */
export function usageOf(usage: SpokenUsage | null): Json {
  if (!usage) return {};
  const tokens = { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };
  return { usage: { billed_units: tokens, tokens, cached_tokens: usage.cacheReadTokens } };
}
