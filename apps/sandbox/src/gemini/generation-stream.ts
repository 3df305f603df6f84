import { textOf } from '../answer/pieces';
import { sealOf } from '../answer/seal';
import type { PlannedAnswer } from '../answer/planned-answer';
import type { Spoken, SpokenStep, SpokenStream } from '../speech/simulated-dialect';
import {
  callPart,
  earlyUsage,
  finishReasons,
  groundingOf,
  logprobsOf,
  signsText,
  usageOf,
  wholeCalls,
} from './candidate';
import { continuationOf } from './long-answer';
import type { GenerationRequest } from './read-generation';

type Json = Record<string, unknown>;

/** Part of an answer, and how many tokens it shows. */
interface Bit {
  part: Json | null;
  tokens: number;
  logprobs: Json;
}

/**
 * https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent `frame` is what every
 * answer carries.
 */
export function generationStream(spoken: Spoken<GenerationRequest>, frame: Json): SpokenStream {
  const { choices, request, usage } = spoken;
  const writer = request.isEvents ? new EventWriter() : new ArrayWriter();
  const early = { ...earlyUsage(usage, request), ...frame };
  const last = { ...usageOf(usage, request), ...frame };
  if (choices[0].finish === 'refusal') {
    const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, ...last };
    return { ...writer.frame, opening: null, steps: [], closing: () => writer.write(blocked) + writer.end };
  }
  return {
    ...writer.frame,
    opening: null,
    steps: stepsOf(choices, request, (candidate) => writer.write({ candidates: [candidate], ...early })),
    closing: () =>
      choices
        .map((choice, index) => writer.write({ candidates: [lastCandidate(choice, index, request)], ...last }))
        .join('') + writer.end,
  };
}

/** With alt=sse. */
class EventWriter {
  readonly frame = {};
  readonly end = '';

  write(answer: Json): string {
    return `data: ${JSON.stringify(answer)}\r\n\r\n`;
  }
}

/** Without it a stream is one JSON array. */
class ArrayWriter {
  readonly frame = { type: 'application/json; charset=UTF-8' };
  readonly end = '\n]';
  private isFirst = true;

  write(answer: Json): string {
    const before = this.isFirst ? '[' : ',\r\n';
    this.isFirst = false;
    return `${before}${JSON.stringify(answer)}`;
  }
}

function lastCandidate(choice: PlannedAnswer, index: number, request: GenerationRequest): Json {
  const [text] = choice.blocks.filter((block) => block.type === 'text');
  const signature = text && signsText(request) ? { thoughtSignature: sealOf(textOf(text.pieces)) } : {};
  return {
    content: { parts: [{ text: '', ...signature }], role: 'model' },
    finishReason: finishReasons[choice.finish],
    index,
    ...continuationOf(request.longAnswer, choice),
    ...groundingOf(choice),
  };
}

function* stepsOf(
  choices: readonly PlannedAnswer[],
  request: GenerationRequest,
  write: (candidate: Json) => string,
): Generator<SpokenStep> {
  for (const [index, choice] of choices.entries())
    for (const { part, tokens, logprobs } of bitsOf(choice, request)) {
      const candidate = { content: { parts: [part], role: 'model' }, index, ...logprobs };
      yield { bytes: part ? write(candidate) : '', tokens };
    }
}

/** A call comes whole. */
function* bitsOf({ blocks, finish }: PlannedAnswer, request: GenerationRequest): Generator<Bit> {
  const calls = wholeCalls(blocks, finish);
  for (const block of blocks) {
    if (block.type === 'tool-call') {
      const tokens = block.nameTokens + block.pieces.reduce((sum, piece) => sum + piece.tokens, 0);
      const part = calls.includes(block) ? callPart(block, calls[0] === block, request) : null;
      yield { part, tokens, logprobs: {} };
      continue;
    }
    const isThought = block.type === 'reasoning';
    for (const piece of block.pieces) {
      const part = { text: piece.text, ...(isThought && { thought: true }) };
      const isShown = !(isThought && block.isRedacted);
      yield {
        part: isShown ? part : null,
        tokens: piece.tokens,
        logprobs: isThought ? {} : logprobsOf([piece], request.topLogprobs),
      };
    }
  }
}
