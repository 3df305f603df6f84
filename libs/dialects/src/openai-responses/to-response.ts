import type { AnswerBlock, CanonicalAnswer } from '../canonical/answer';
import type { AnswerContext } from '../canonical/codec';
import { CallerTools } from './caller-tools';
import { compactionItem } from './compacted-item';
import {
  annotationOf,
  callItem,
  callItemId,
  callSealItem,
  messageItem,
  reasoningItem,
  refusalPart,
  textPart,
} from './output-items';
import type { ItemEnding } from './output-items';
import { responseObject, stateOf } from './response-object';
import { asksForCompaction } from './summary-request';

/** Writes a whole response. https://platform.openai.com/docs/api-reference/responses/object */
export function toResponse(answer: CanonicalAnswer, context: AnswerContext): object {
  const [choice] = answer.choices;
  const blocks = choice?.blocks ?? [];
  const state = stateOf(
    choice?.finish ?? 'unknown',
    blocks.some(({ type }) => type === 'refusal'),
  );
  const tools = new CallerTools(context.body);
  const isCompacting = asksForCompaction(context.body);
  // Where an answer was cut off, it was in its last block.
  const last: ItemEnding = state.status === 'incomplete' ? 'incomplete' : 'completed';
  const output: object[] = [];
  let said: object[] = [];
  for (const [index, block] of blocks.entries()) {
    if (isCompacting && block.type === 'text') {
      if (last === 'completed') output.push(compactionItem(context.newId(), block.text));
      continue;
    }
    const part = partOf(block);
    if (part) {
      said.push(part);
      continue;
    }
    const ending = index === blocks.length - 1 ? last : 'completed';
    output.push(...message(said, 'completed', context), ...itemsOf(block, ending, tools, context));
    said = [];
  }
  output.push(...message(said, last, context));
  const head = { id: `resp_${context.newId()}`, createdAtS: answer.createdAtS ?? context.nowS };
  return responseObject(context, head, state, output, answer.usage);
}

function message(parts: readonly object[], ending: ItemEnding, { newId }: AnswerContext): object[] {
  return parts.length === 0 ? [] : [messageItem(`msg_${newId()}`, ending, parts)];
}

/** Null for a block that is an item of its own. */
function partOf(block: AnswerBlock): object | null {
  if (block.type === 'refusal') return refusalPart(block.text);
  if (block.type !== 'text') return null;
  return textPart(
    block.text,
    block.citations.flatMap((citation) => annotationOf(citation, block.text.length) ?? []),
    block.logprobs ?? [],
  );
}

function itemsOf(block: AnswerBlock, ending: ItemEnding, tools: CallerTools, { newId }: AnswerContext): object[] {
  if (block.type === 'reasoning') return [reasoningItem(block.id ?? `rs_${newId()}`, block.text, block.seal)];
  if (block.type !== 'tool-call') return [];
  const { id: callId, signature } = block;
  const tool = tools.named(block.name);
  const called = { callId, tool, arguments: block.arguments === '' ? '{}' : block.arguments };
  const item = callItem(callItemId(tool, newId()), ending, called);
  return signature ? [item, callSealItem(`rs_${newId()}`, callId, signature)] : [item];
}
