import { textOf } from '../answer/pieces';
import type { Piece } from '../answer/pieces';
import type { PlannedAnswer, PlannedBlock, ToolCallBlock } from '../answer/planned-answer';
import { customInput } from '../openai-responses/output-item';
import type { Spoken, SpokenStep, SpokenStream } from '../speech/simulated-dialect';
import { soundOf } from '../answer/plan-answer';
import { annotationsOf, chatCall, chatLogprobs, chatUsage, finishReasons, speechDeltas } from './chat-message';
import { withOwnIds } from './mistral-turns';
import { asTold } from './odd-calls';
import { chatIdOf, toldCharge } from './told-charge';
import type { ChatRequest } from './read-chat';

/** What one chunk adds to its choice. */
interface Delta {
  delta: object;
  tokens: number;
  logprobs: object | null;
  sound?: number;
}

/** The chunks of a completion. https://platform.openai.com/docs/api-reference/chat-streaming */
export function chatStream(spoken: Spoken<ChatRequest>): SpokenStream {
  const { model, request, usage } = spoken;
  const choices = spoken.choices.map((choice) => withOwnIds(choice, model));
  const chunks = new ChunkWriter(spoken);
  const role = { role: 'assistant', content: '', refusal: null };
  const finish = () =>
    choices.map((choice, index) => chunks.chunk(index, {}, null, `"${finishReasons[choice.finish]}"`)).join('');
  return {
    opening: choices.map((_, index) => chunks.chunk(index, role)).join(''),
    steps: stepsOf(choices, request, chunks),
    closing: () =>
      `${finish()}${request.includeUsage && usage ? chunks.usage({ ...chatUsage(usage, request), ...toldCharge(spoken) }) : ''}data: [DONE]\n\n`,
  };
}

/** Writes the events of one stream. As OpenAI does, each has `"usage":null` when usage was asked for. */
class ChunkWriter {
  private readonly before: string;
  private readonly after: string;

  constructor(spoken: Spoken<ChatRequest>) {
    const { model, nowS, request } = spoken;
    const members = JSON.stringify({
      id: chatIdOf(spoken),
      object: 'chat.completion.chunk',
      created: nowS,
      model,
      service_tier: request.tier,
      system_fingerprint: 'fp_sandbox',
    });
    this.before = `data: ${members.slice(0, -1)},"choices":[`;
    this.after = request.includeUsage ? '],"usage":null}\n\n' : ']}\n\n';
  }

  chunk(choice: number, delta: object, logprobs: object | null = null, finishReason = 'null'): string {
    const { before, after } = this;
    return `${before}{"index":${choice},"delta":${JSON.stringify(delta)},"logprobs":${JSON.stringify(logprobs)},"finish_reason":${finishReason}}${after}`;
  }

  usage(usage: object): string {
    return `${this.before}],"usage":${JSON.stringify(usage)}}\n\n`;
  }
}

/** All choices in the order in which they are written: one delta of each in turn. */
function* stepsOf(choices: readonly PlannedAnswer[], request: ChatRequest, chunks: ChunkWriter): Generator<SpokenStep> {
  const runs = choices.map((choice) => deltasOf(choice, request));
  for (let isOver = false; !isOver;) {
    isOver = true;
    for (const [index, run] of runs.entries()) {
      const { value, done } = run.next();
      if (done === true || value === undefined) continue;
      isOver = false;
      const { delta, logprobs, tokens, sound } = value;
      yield { bytes: chunks.chunk(index, delta, logprobs), tokens, sound };
    }
  }
}

function* deltasOf({ blocks }: PlannedAnswer, request: ChatRequest): Generator<Delta, undefined> {
  const calls = blocks.filter(({ type }) => type === 'tool-call');
  for (const block of blocks) yield* blockDeltas(block, calls.indexOf(block), request);
  return undefined;
}

function* blockDeltas(block: PlannedBlock, callIndex: number, request: ChatRequest): Generator<Delta> {
  switch (block.type) {
    case 'tool-call':
      yield* callDeltas(block, callIndex, request);
      return;
    case 'reasoning':
      for (const { text, tokens } of block.pieces)
        yield { ...plain(block.isRedacted ? {} : { reasoning_content: text }), tokens };
      return;
    case 'refusal':
      for (const { text, tokens } of block.pieces) yield { ...plain({ refusal: text }), tokens };
      return;
    case 'text':
      if (block.isSpoken === true) {
        for (const piece of block.pieces) yield* saidDeltas(piece);
        return;
      }
      for (const piece of block.pieces) yield textDelta(piece, request.topLogprobs);
      if (block.citations.length > 0) yield plain({ annotations: annotationsOf(block) });
  }
}

/** A call begins with its name, and its arguments follow in bits, a free text in one. */
function* callDeltas(block: ToolCallBlock, index: number, { freeText, model }: ChatRequest): Generator<Delta> {
  const { name, nameTokens, pieces } = block;
  const said = (call: object, tokens: number): Delta => ({
    ...plain({ tool_calls: [asTold({ index, ...call }, index, model)] }),
    tokens,
  });
  yield said(chatCall(block, '', freeText), nameTokens);
  if (freeText.has(name)) {
    const tokens = pieces.reduce((sum, piece) => sum + piece.tokens, 0);
    yield said({ custom: { input: customInput(textOf(pieces)) } }, tokens);
    return;
  }
  for (const { text, tokens } of pieces) yield said({ function: { arguments: text } }, tokens);
}

function* saidDeltas(piece: Piece): Generator<Delta> {
  const [words, sound] = speechDeltas(piece);
  const ofSound = soundOf(piece.tokens);
  yield { ...plain(words), tokens: piece.tokens - ofSound };
  yield { ...plain(sound), tokens: ofSound, sound: ofSound };
}

function textDelta(piece: Piece, topLogprobs: number | null): Delta {
  const logprobs = topLogprobs === null ? null : chatLogprobs([piece], topLogprobs);
  return { delta: { content: piece.text }, tokens: piece.tokens, logprobs };
}

function plain(delta: object): Delta {
  return { delta, tokens: 0, logprobs: null };
}
