import { countTextTokens } from '@tollgate/dialects';
import type { ChatRequest, ToolDefinition } from './request';
import { exampleOf } from './example-of';
import { words } from './words';

/** One step of a choice: the delta that carries it, and how many tokens it adds. */
export interface AnswerStep {
  delta: object;
  tokens: number;
}

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
const argumentCharactersPerStep = 6;

/** Writes the answer to a request: the same for the same request. `userText` is echoed in part, so that a person sees what was answered. */
export function writeAnswer(request: ChatRequest, userText: string, tokens: number | null): AnswerChoice[] {
  const seed = hash(`${request.model}\n${JSON.stringify(request.messages)}`);
  return Array.from({ length: request.choices }, (_, index) =>
    request.tool ? callTool(request.tool, seed + index) : writeText(request, userText, tokens, seed + index),
  );
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

/** A call of the tool with example arguments, streamed as OpenAI does: the name first, then the arguments in bits. */
function callTool(tool: ToolDefinition, seed: number): AnswerChoice {
  const id = `call_${seed.toString(36).padStart(8, '0')}`;
  const text = JSON.stringify(exampleOf(tool.parameters));
  const nameTokens = countTextTokens(tool.name);
  const steps: AnswerStep[] = [
    {
      delta: { tool_calls: [{ index: 0, id, type: 'function', function: { name: tool.name, arguments: '' } }] },
      tokens: nameTokens,
    },
  ];
  let counted = 0;
  for (let at = 0; at < text.length; at += argumentCharactersPerStep) {
    const total = countTextTokens(text.slice(0, at + argumentCharactersPerStep));
    const bit = text.slice(at, at + argumentCharactersPerStep);
    steps.push({ delta: { tool_calls: [{ index: 0, function: { arguments: bit } }] }, tokens: total - counted });
    counted = total;
  }
  const call = { id, type: 'function', function: { name: tool.name, arguments: text } };
  return {
    message: { role: 'assistant', content: null, tool_calls: [call], refusal: null, annotations: [] },
    steps,
    finishReason: 'tool_calls',
    tokens: nameTokens + counted,
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}
