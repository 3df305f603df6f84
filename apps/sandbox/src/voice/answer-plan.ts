import { countTextTokens } from '@tollgate/dialects';
import { exampleOf } from './example-of';
import type { NeutralRequest, OfferedTool } from './neutral-request';
import { words } from './words';

/** A bit of an answer, and how many tokens it is. */
export interface Piece {
  text: string;
  tokens: number;
}

export type PlannedBlock =
  | { type: 'reasoning'; pieces: readonly Piece[]; signature: string }
  | { type: 'text'; pieces: readonly Piece[] }
  | { type: 'tool-call'; id: string; name: string; nameTokens: number; pieces: readonly Piece[] };

/** What a simulated model answers: the same to the same request. */
export interface PlannedAnswer {
  blocks: readonly PlannedBlock[];
  finish: 'stop' | 'length' | 'tool-calls' | 'stop-sequence';
  /** The sequence that stopped it; null for any other finish. */
  stopSequence: string | null;
  outputTokens: number;
  reasoningTokens: number;
}

const fewestTokens = 24;
const echoedWords = 12;
const thoughtTokens = 9;
const charactersPerPiece = 6;

/** `userText` is without controls; `tokens` and `calls` are the controls of the same name. */
export function planAnswer(
  request: NeutralRequest,
  userText: string,
  { tokens, calls }: { tokens: number | null; calls: number | null },
): PlannedAnswer {
  const seed = hash(`${request.model}\n${request.inputText}`);
  const thought = request.reasons ? [thinking(seed)] : [];
  const called = toolsToCall(request, userText, calls);
  if (called.length > 0) {
    const blocks = called.map((tool, index) => callOf(tool, seed + index));
    return finished([...thought, ...blocks], 'tool-calls', null);
  }
  const { pieces, finish, stopSequence } = textOf(request, userText, tokens, seed);
  return finished([...thought, { type: 'text', pieces }], finish, stopSequence);
}

/** The text of a block's pieces. */
export function textIn(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('');
}

/** What a reasoning block of this text must be signed with: who changes the text breaks the signature. */
export function signatureOf(text: string): string {
  return Buffer.from(`sandbox:${hash(text).toString(36)}`).toString('base64');
}

function finished(
  blocks: readonly PlannedBlock[],
  finish: PlannedAnswer['finish'],
  stopSequence: string | null,
): PlannedAnswer {
  const tokensOf = (block: PlannedBlock) =>
    block.pieces.reduce((sum, piece) => sum + piece.tokens, block.type === 'tool-call' ? block.nameTokens : 0);
  const reasoningTokens = blocks
    .filter(({ type }) => type === 'reasoning')
    .reduce((sum, block) => sum + tokensOf(block), 0);
  const outputTokens = blocks.reduce((sum, block) => sum + tokensOf(block), 0);
  return { blocks, finish, stopSequence, outputTokens, reasoningTokens };
}

function thinking(seed: number): PlannedBlock {
  const pieces = randomWords(seed + 1, thoughtTokens).map((text) => ({ text, tokens: 1 }));
  return { type: 'reasoning', pieces, signature: signatureOf(textIn(pieces)) };
}

/** A tool is called when the request demands it, or when the user names it (or `calls` says so) and enough results are not here yet. */
function toolsToCall(request: NeutralRequest, userText: string, calls: number | null): OfferedTool[] {
  const { tools, toolChoice, resultRounds } = request;
  const [first] = tools;
  if (!first || toolChoice === 'none') return [];
  if (typeof toolChoice === 'object') return tools.filter(({ name }) => name === toolChoice.name);
  const mentioned = tools.filter(({ name }) => new RegExp(`\\b${name.replace(/\W/g, '\\$&')}\\b`).test(userText));
  const wanted = calls ?? (mentioned.length > 0 ? 1 : 0);
  if (toolChoice === 'auto' && resultRounds.length >= wanted) return [];
  return mentioned.length > 0 ? mentioned : [first];
}

function callOf(tool: OfferedTool, seed: number): PlannedBlock {
  const pieces = cut(JSON.stringify(exampleOf(tool.schema)));
  const id = `call_${seed.toString(36).padStart(8, '0')}`;
  return { type: 'tool-call', id, name: tool.name, nameTokens: countTextTokens(tool.name), pieces };
}

function textOf(
  request: NeutralRequest,
  userText: string,
  tokens: number | null,
  seed: number,
): { pieces: Piece[]; finish: PlannedAnswer['finish']; stopSequence: string | null } {
  const whole = wholeText(request, userText, tokens, seed);
  const stopSequence = request.stops.find((stop) => stop !== '' && textIn(whole).includes(stop)) ?? null;
  if (stopSequence !== null)
    return { pieces: cut(textIn(whole).split(stopSequence)[0] ?? ''), finish: 'stop-sequence', stopSequence };
  const { maxTokens } = request;
  if (maxTokens === null || whole.length <= maxTokens) return { pieces: whole, finish: 'stop', stopSequence: null };
  return { pieces: whole.slice(0, maxTokens), finish: 'length', stopSequence: null };
}

function wholeText(request: NeutralRequest, userText: string, tokens: number | null, seed: number): Piece[] {
  if (request.schema !== null) return cut(JSON.stringify(exampleOf(request.schema)));
  const results = request.resultRounds.at(-1) ?? [];
  if (results.length > 0) return cut(`The tools said: ${results.join(' and ').slice(0, 400)}`);
  const wanted = Math.max(tokens ?? fewestTokens + (seed % 32), 1);
  const echo = userText
    .slice(0, 400)
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '' && countTextTokens(` ${word}`) === 1)
    .slice(0, echoedWords);
  const opening = ['The', ' sandbox', ' heard', ...echo.map((word) => ` ${word}`), ' and', ' answers'].slice(0, wanted);
  return [...opening, ...randomWords(seed, wanted - opening.length)].map((text) => ({ text, tokens: 1 }));
}

function randomWords(seed: number, count: number): string[] {
  let state = seed;
  return Array.from({ length: Math.max(count, 0) }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return ` ${words[(state >>> 8) % words.length]}`;
  });
}

/** A text in bits, each with the tokens that it adds. Bits never split a character. */
function cut(text: string): Piece[] {
  const pieces: Piece[] = [];
  const characters = Array.from(text);
  let counted = 0;
  for (let at = 0; at < characters.length; at += charactersPerPiece) {
    const total = countTextTokens(characters.slice(0, at + charactersPerPiece).join(''));
    pieces.push({ text: characters.slice(at, at + charactersPerPiece).join(''), tokens: total - counted });
    counted = total;
  }
  return pieces;
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}
