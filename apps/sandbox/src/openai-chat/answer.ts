import { countTextTokens } from '@tollgate/dialects';
import { planAnswer, textIn } from '../voice/answer-plan';
import type { PlannedBlock } from '../voice/answer-plan';
import type { NeutralRequest } from '../voice/neutral-request';
import type { ChatRequest } from './request';
import { words } from '../voice/words';

/** One step of a choice: the delta that carries it, and how many tokens it adds. */
export interface AnswerStep {
  delta: object;
  tokens: number;
}

/** The controls of the same name. */
type AnswerControls = Parameters<typeof planAnswer>[2];

/** One choice, whole and in steps. `message` is what a plain answer shows. */
export interface AnswerChoice {
  message: object;
  steps: readonly AnswerStep[];
  finishReason: 'stop' | 'length' | 'tool_calls';
  tokens: number;
}

const echoedWords = 12;
/** Without a wish the answer has this many tokens, and up to 31 more by the request. */
const fewestTokens = 24;

/** Writes the answer to a request: the same for the same request. `userText` is echoed in part, so that a person sees what was answered. */
export function writeAnswer(request: ChatRequest, userText: string, controls: AnswerControls): AnswerChoice[] {
  const { wishes, choices } = request;
  if (wishes) return Array.from({ length: choices }, () => writePlanned(wishes, userText, controls));
  const seed = hash(`${request.model}\n${JSON.stringify(request.messages)}`);
  return Array.from({ length: choices }, (_, index) => writeText(request, userText, controls.tokens, seed + index));
}

function writeText(request: ChatRequest, userText: string, tokens: number | null, seed: number): AnswerChoice {
  const wanted = Math.max(tokens ?? fewestTokens + (seed % 32), 1);
  const isCut = request.maxTokens !== null && request.maxTokens < wanted;
  const pieces = textPieces(userText, isCut ? (request.maxTokens ?? wanted) : wanted, seed);
  const stopped = stopAt(pieces, request.stops);
  const steps = (stopped ?? pieces).map((piece) => ({
    delta: { content: piece },
    tokens: stopped ? countTextTokens(piece) : 1,
  }));
  return {
    message: { role: 'assistant', content: (stopped ?? pieces).join(''), refusal: null, annotations: [] },
    steps,
    finishReason: isCut && !stopped ? 'length' : 'stop',
    tokens: steps.reduce((sum, step) => sum + step.tokens, 0),
  };
}

/** The words of the answer: what was asked first, then whatever the seed gives. Each is one token. */
function textPieces(userText: string, count: number, seed: number): string[] {
  const echo = userText
    .slice(0, 400)
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '' && countTextTokens(` ${word}`) === 1)
    .slice(0, echoedWords);
  const opening = ['The', ' sandbox', ' heard', ...echo.map((word) => ` ${word}`), ' and', ' answers'];
  const pieces = opening.slice(0, count);
  let state = seed;
  while (pieces.length < count) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    pieces.push(` ${words[(state >>> 8) % words.length]}`);
  }
  return pieces;
}

/** The pieces up to the first stop sequence, the last one cut where it begins; null when none occurs. */
function stopAt(pieces: readonly string[], stops: readonly string[]): string[] | null {
  const text = pieces.join('');
  const ends = stops.filter((stop) => stop !== '').map((stop) => text.indexOf(stop));
  const end = Math.min(...ends.filter((at) => at >= 0));
  if (!Number.isFinite(end)) return null;
  const kept: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    if (length >= end) break;
    kept.push(piece.slice(0, end - length));
    length += piece.length;
  }
  return kept;
}

/** An answer that thinks, calls tools or follows a schema, as one choice. */
function writePlanned(wishes: NeutralRequest, userText: string, controls: AnswerControls): AnswerChoice {
  const { blocks, finish, outputTokens } = planAnswer(wishes, userText, controls);
  const textOf = (type: PlannedBlock['type']) =>
    blocks.flatMap((block) => (block.type === type ? [textIn(block.pieces)] : [])).join('');
  const reasoning = textOf('reasoning');
  const calls = blocks.filter((block) => block.type === 'tool-call');
  return {
    message: {
      role: 'assistant',
      content: calls.length > 0 ? null : textOf('text'),
      refusal: null,
      annotations: [],
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls: calls.map((call) => toolCall(call, textIn(call.pieces))) }),
    },
    steps: blocks.flatMap((block) => stepsOf(block, calls.indexOf(block as (typeof calls)[number]))),
    finishReason: finish === 'tool-calls' ? 'tool_calls' : 'stop',
    tokens: outputTokens,
  };
}

/** A call is streamed as OpenAI does: the name first, then the arguments in bits. */
function stepsOf(block: PlannedBlock, callIndex: number): AnswerStep[] {
  if (block.type !== 'tool-call') {
    const name = block.type === 'reasoning' ? 'reasoning_content' : 'content';
    return block.pieces.map(({ text, tokens }) => ({ delta: { [name]: text }, tokens }));
  }
  const begin = { delta: { tool_calls: [{ index: callIndex, ...toolCall(block, '') }] }, tokens: block.nameTokens };
  const bits = block.pieces.map(({ text, tokens }) => ({
    delta: { tool_calls: [{ index: callIndex, function: { arguments: text } }] },
    tokens,
  }));
  return [begin, ...bits];
}

function toolCall({ id, name }: { id: string; name: string }, text: string): Record<string, unknown> {
  return { id, type: 'function', function: { name, arguments: text } };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}
