import type { AnswerBlock, AnswerChoice, CanonicalAnswer } from '../canonical/answer';
import type { AnswerContext } from '../canonical/codec';
import { toUsage } from './answer-usage';
import { carriedText, noSeal } from '../canonical/carried-seal';
import { toStop } from './stop-reason';
import { toCitation } from './to-citation';
import { toToolInput } from '../canonical/tool-input';

const noChoice: AnswerChoice = { blocks: [], finish: 'unknown' };

/**
 * A whole answer as a message: its first choice, which is the only one that the dialect can ask for.
 * https://platform.claude.com/docs/en/api/messages
 */
export function toResponse(answer: CanonicalAnswer, { model, newId, request }: AnswerContext): object {
  const choice = answer.choices[0] ?? noChoice;
  const ending = {
    reason: choice.finish,
    refused: choice.blocks.some(({ type }) => type === 'refusal'),
    calledTools: choice.blocks.some(({ type }) => type === 'tool-call'),
    ...(choice.stopSequence === undefined ? {} : { stopSequence: choice.stopSequence }),
  };
  return {
    id: `msg_${newId()}`,
    type: 'message',
    role: 'assistant',
    model,
    content: choice.blocks.flatMap(toContentBlocks),
    ...toStop(ending, request),
    usage: toUsage(answer.usage),
  };
}

/** None for an empty text: Anthropic refuses such a block when it comes back. */
function toContentBlocks(block: AnswerBlock): object[] {
  switch (block.type) {
    case 'text':
      return textBlocks(block);
    case 'refusal':
      return block.text === '' ? [] : [{ type: 'text', text: block.text }];
    case 'reasoning':
      return reasoningBlocks(block);
    case 'tool-call':
      return toolBlocks(block);
  }
}

function textBlocks({ text, citations }: Extract<AnswerBlock, { type: 'text' }>): object[] {
  const shown = citations.map(toCitation).filter((citation) => citation !== null);
  if (text === '' && shown.length === 0) return [];
  return [{ type: 'text', text, ...(shown.length === 0 ? {} : { citations: shown }) }];
}

function reasoningBlocks({ text, seal, id }: Extract<AnswerBlock, { type: 'reasoning' }>): object[] {
  if (seal === undefined) return text === '' ? [] : [{ type: 'thinking', thinking: text, signature: noSeal }];
  const value = carriedText(seal, 'anthropic-messages', id === undefined ? {} : { id });
  if (text === '' && seal.kind !== 'signature') return [{ type: 'redacted_thinking', data: value }];
  return [{ type: 'thinking', thinking: text, signature: value }];
}

function toolBlocks({ id, name, arguments: text, signature }: Extract<AnswerBlock, { type: 'tool-call' }>): object[] {
  const call = { type: 'tool_use', id, name, input: toToolInput(text) };
  if (signature === undefined) return [call];
  return [call, { type: 'redacted_thinking', data: carriedText(signature, 'anthropic-messages', { toolCallId: id }) }];
}
