import type { PlannedBlock } from '../answer/planned-answer';
import type { Spoken, SpokenStep, SpokenStream } from '../speech/simulated-dialect';
import { citationsOf, contentBlocks, inputUsage, signatureOf, stopOf, toolUseId } from './message-content';
import { outputUsage, toolUsage } from './server-tools';
import type { ServerBlock } from './server-tools';

/**
 * https://platform.claude.com/docs/en/build-with-claude/streaming `head`: what a message has besides its
 * content.
 */
export function messageStream(spoken: Spoken, head: Record<string, unknown>): SpokenStream {
  const { request, model, choices, usage } = spoken;
  const [answer] = choices;
  const early = usage && { ...inputUsage(usage, request), output_tokens: 1 };
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage: early ?? {} };
  const late = usage
    ? { ...cumulative(early ?? {}), ...outputUsage(request, model, usage), ...toolUsage(answer.hosted) }
    : {};
  return {
    opening: event('message_start', { message }) + event('ping', {}),
    steps: stepsOf(contentBlocks(spoken), request),
    closing: () => event('message_delta', { delta: stopOf(answer), usage: late }) + event('message_stop', {}),
  };
}

/**
 * What the end of a stream tells of its input once more.
 * https://platform.claude.com/docs/en/api/messages/create (MessageDeltaUsage)
 */
function cumulative(usage: Record<string, unknown>): Record<string, unknown> {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage;
  return { input_tokens, cache_creation_input_tokens, cache_read_input_tokens };
}

function* stepsOf(blocks: readonly (PlannedBlock | ServerBlock)[], request: Spoken['request']): Generator<SpokenStep> {
  for (const [index, block] of blocks.entries()) {
    if ('begun' in block) {
      yield { bytes: serverEvents(index, block), tokens: 0 };
      continue;
    }
    const tokens = block.type === 'tool-call' ? block.nameTokens : 0;
    yield { bytes: event('content_block_start', { index, content_block: emptyContent(block) }), tokens };
    for (const piece of block.pieces) {
      const delta = deltaOf(block, piece.text);
      yield { bytes: delta ? event('content_block_delta', { index, delta }) : '', tokens: piece.tokens };
    }
    const last = lastDeltas(block, request).map((delta) => event('content_block_delta', { index, delta }));
    yield { bytes: last.join('') + event('content_block_stop', { index }), tokens: 0 };
  }
}

function serverEvents(index: number, { begun, delta }: ServerBlock): string {
  return [
    event('content_block_start', { index, content_block: begun }),
    delta === null ? '' : event('content_block_delta', { index, delta }),
    event('content_block_stop', { index }),
  ].join('');
}

function emptyContent(block: PlannedBlock): Record<string, unknown> {
  switch (block.type) {
    case 'reasoning':
      return block.isRedacted
        ? { type: 'redacted_thinking', data: block.seal }
        : { type: 'thinking', thinking: '', signature: '' };
    case 'text':
      return { type: 'text', text: '', ...(block.citations.length > 0 && { citations: [] }) };
    case 'refusal':
      return { type: 'text', text: '' };
    case 'tool-call':
      return { type: 'tool_use', id: toolUseId(block.id), name: block.name, input: {} };
  }
}

function deltaOf(block: PlannedBlock, text: string): Record<string, unknown> | null {
  switch (block.type) {
    case 'reasoning':
      return block.isRedacted ? null : { type: 'thinking_delta', thinking: text };
    case 'text':
    case 'refusal':
      return { type: 'text_delta', text };
    case 'tool-call':
      return { type: 'input_json_delta', partial_json: text };
  }
}

/** What comes behind the last bit of a block. */
function lastDeltas(block: PlannedBlock, request: Spoken['request']): Record<string, unknown>[] {
  if (block.type === 'reasoning' && !block.isRedacted)
    return [{ type: 'signature_delta', signature: signatureOf(block, request) }];
  if (block.type !== 'text') return [];
  return citationsOf(block).map((citation) => ({ type: 'citations_delta', citation }));
}

function event(type: string, members: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}
