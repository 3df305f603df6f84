import type { PlannedAnswer, PlannedBlock, ToolCallBlock } from '../answer/planned-answer';
import type { Spoken, SpokenStep, SpokenStream } from '../speech/simulated-dialect';
import { callOf, citationsOf, finishReasons, logprobItem, toolPlan, usageOf } from './chat-content';

type Json = Record<string, unknown>;

/** https://docs.cohere.com/v2/docs/streaming */
export function chatStream({ choices, newId, request, usage }: Spoken): SpokenStream {
  const [answer] = choices;
  const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] };
  return {
    opening: event('message-start', { id: newId(), delta: { message } }),
    steps: stepsOf(answer, request.topLogprobs !== null),
    closing: () => event('message-end', { delta: { finish_reason: finishReasons[answer.finish], ...usageOf(usage) } }),
  };
}

export function event(type: string, members: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

/** Contents and calls are numbered apart. */
function* stepsOf({ blocks }: PlannedAnswer, hasLogprobs: boolean): Generator<SpokenStep> {
  let contents = 0;
  let calls = 0;
  for (const block of blocks) {
    if (block.type !== 'tool-call') yield* contentSteps(block, contents++, hasLogprobs);
    else {
      if (calls === 0)
        yield { bytes: event('tool-plan-delta', { delta: { message: { tool_plan: toolPlan } } }), tokens: 0 };
      yield* callSteps(block, calls++);
    }
  }
}

function* contentSteps(
  block: Exclude<PlannedBlock, ToolCallBlock>,
  index: number,
  hasLogprobs: boolean,
): Generator<SpokenStep> {
  const type = block.type === 'reasoning' ? 'thinking' : 'text';
  const content = (members: Json) => ({ index, delta: { message: { content: members } } });
  const isHidden = block.type === 'reasoning' && block.isRedacted;
  yield { bytes: isHidden ? '' : event('content-start', content({ type, [type]: '' })), tokens: 0 };
  for (const piece of block.pieces) {
    const logprobs = hasLogprobs && type === 'text' ? { logprobs: logprobItem(piece) } : {};
    const delta = event('content-delta', { ...content({ [type]: piece.text }), ...logprobs });
    yield { bytes: isHidden ? '' : delta, tokens: piece.tokens };
  }
  for (const [at, citations] of block.type === 'text' ? citationsOf(block, index).entries() : []) {
    const begun = event('citation-start', { index: at, delta: { message: { citations } } });
    yield { bytes: begun + event('citation-end', { index: at }), tokens: 0 };
  }
  yield { bytes: isHidden ? '' : event('content-end', { index }), tokens: 0 };
}

function* callSteps(block: ToolCallBlock, index: number): Generator<SpokenStep> {
  const call = (type: string, members: Json) => event(type, { index, delta: { message: { tool_calls: members } } });
  yield { bytes: call('tool-call-start', callOf(block, '')), tokens: block.nameTokens };
  for (const { text, tokens } of block.pieces)
    yield { bytes: call('tool-call-delta', { function: { arguments: text } }), tokens };
  yield { bytes: event('tool-call-end', { index }), tokens: 0 };
}
