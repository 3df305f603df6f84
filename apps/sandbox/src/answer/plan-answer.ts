import { countTextTokens } from '@tollgate/dialects';
import type { NeutralRequest, OfferedTool } from '../request/neutral-request';
import { exampleOf } from './example-of';
import { hash } from './hash';
import { firstPieces, inPieces, textOf, tokensOf, type Piece } from './pieces';
import type { PlannedAnswer, PlannedBlock, PlannedChoices } from './planned-answer';
import { redacted, sealOf } from './seal';
import { saidBy } from './sentences';
import type { Behaviour } from '../behaviour/behaviour';

/** What is looked at of a prompt, at its begin and at its end: of megabytes every character takes long. */
const seedCharacters = 16_384;
const thoughtTokens = 9;
/**
 * Tokens of sound for each token of words: people say some 150 words a minute, and OpenAI's speech is 20
 * tokens a second. https://developers.openai.com/api/docs/guides/realtime-costs
 */
const soundOfToken = 6;
const refusalText = "I'm sorry, but I can't help with that.";

/** The choices of an answer. `userText` is without controls. */
export function planAnswer(request: NeutralRequest, userText: string, controls: AnswerControls): PlannedChoices {
  const seed = hash(`${request.model}\n${knownOf(request.inputText)}`);
  const choice = (index: number) => planChoice(request, userText, controls, seed + index);
  return [choice(0), ...Array.from({ length: request.choices - 1 }, (_, index) => choice(index + 1))];
}

/**
 * What an answer depends on of a prompt. Turns may stand between its begin and its end, where they count by
 * their length: calls of two rounds of a conversation have two ids.
 */
function knownOf(text: string): string {
  const between = text.length - 2 * seedCharacters;
  return between > 0 ? text.slice(0, seedCharacters) + between + text.slice(-seedCharacters) : text;
}

function planChoice(request: NeutralRequest, userText: string, controls: AnswerControls, seed: number): PlannedAnswer {
  const thought = request.reasons ? [thinking(seed, controls)] : [];
  const { blocks, finish, stopSequence } = planEnd(request, userText, controls, seed);
  const all = [...thought, ...(request.speaks === true ? blocks.map(spoken) : blocks)];
  const most = controls.fault === 'ignore_limit' ? null : request.maxTokens;
  const kept = most === null ? all : firstBlocks(all, most);
  const outputTokens = countTokens(kept);
  const isCut = outputTokens < countTokens(all);
  return {
    blocks: kept,
    finish: isCut ? 'length' : finish,
    stopSequence: isCut ? null : stopSequence,
    outputTokens,
    reasoningTokens: countTokens(kept.filter(({ type }) => type === 'reasoning')),
    soundTokens: kept.reduce((sum, block) => sum + soundIn(block), 0),
    hosted: kept.some(({ type }) => type === 'text') ? (request.hosted ?? []) : [],
  };
}

/** A text as it is when it is said. */
function spoken(block: PlannedBlock): PlannedBlock {
  if (block.type !== 'text') return block;
  const pieces = block.pieces.map(({ text, tokens }) => ({ text, tokens: tokens * (1 + soundOfToken) }));
  return { ...block, pieces, isSpoken: true };
}

function soundIn(block: PlannedBlock): number {
  return block.type === 'text' && block.isSpoken === true ? soundOf(tokensOf(block.pieces)) : 0;
}

/** How many of the tokens of a spoken text are those of its sound. */
export function soundOf(tokens: number): number {
  return (tokens / (1 + soundOfToken)) * soundOfToken;
}

type End = Pick<PlannedAnswer, 'blocks' | 'finish' | 'stopSequence'>;

/** What comes behind the thoughts. */
function planEnd(request: NeutralRequest, userText: string, controls: AnswerControls, seed: number): End {
  if (controls.finish === 'refusal') {
    const pieces = inPieces(refusalText, controls.bits);
    return { blocks: [{ type: 'refusal', pieces }], finish: 'refusal', stopSequence: null };
  }
  if (controls.finish === 'broken') return { blocks: [], finish: 'broken', stopSequence: null };
  const calls = planCalls(request, userText, controls, seed);
  if (calls.length > 0) return { blocks: calls, finish: 'tool-calls', stopSequence: null };
  const whole = planText(request, userText, controls, seed);
  const stopSequence = firstStop(textOf(whole), request.stops);
  const citations = request.schema === null ? request.sources : [];
  if (stopSequence !== null) {
    const pieces = inPieces(textOf(whole).split(stopSequence)[0] ?? '', controls.bits);
    return { blocks: [{ type: 'text', pieces, citations }], finish: 'stop-sequence', stopSequence };
  }
  if (controls.finish === 'filter')
    return {
      blocks: [{ type: 'text', pieces: firstPieces(whole, controls.at), citations: [] }],
      finish: 'filter',
      stopSequence: null,
    };
  return { blocks: [{ type: 'text', pieces: whole, citations }], finish: 'stop', stopSequence: null };
}

/** The stop sequence that occurs first. */
function firstStop(text: string, stops: readonly string[]): string | null {
  const found = stops
    .map((stop) => ({ stop, at: stop === '' ? -1 : text.indexOf(stop) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  return found[0]?.stop ?? null;
}

function thinking(seed: number, { redact }: AnswerControls): PlannedBlock {
  const pieces = saidBy(seed + 1, thoughtTokens);
  const text = textOf(pieces);
  return { type: 'reasoning', pieces, seal: redact ? redacted(text) : sealOf(text), isRedacted: redact };
}

/** The blocks up to a limit of tokens; the last one may be cut. */
function firstBlocks(blocks: readonly PlannedBlock[], most: number): PlannedBlock[] {
  const kept: PlannedBlock[] = [];
  let left = most;
  for (const block of blocks) {
    left -= block.type === 'tool-call' ? block.nameTokens : 0;
    if (left <= 0) break;
    const pieces = firstPieces(block.pieces, left);
    const isWhole = pieces.length === block.pieces.length;
    if (block.type === 'reasoning' && !block.isRedacted) kept.push({ ...block, pieces, seal: sealOf(textOf(pieces)) });
    else kept.push({ ...block, pieces });
    if (!isWhole) break;
    left -= tokensOf(pieces);
  }
  return kept;
}

function countTokens(blocks: readonly PlannedBlock[]): number {
  return blocks.reduce(
    (sum, block) => sum + tokensOf(block.pieces) + (block.type === 'tool-call' ? block.nameTokens : 0),
    0,
  );
}

/**
 * The tools that an answer calls: those that the request demands, or those that the user names (with the
 * control `calls`: or else the first one), until as many rounds of results are there as are wanted. A call
 * that is demanded behind them is one of the last tool that is left: clients that take the answer by a tool
 * put it there, as Vercel's for Anthropic does.
 */
function planCalls(request: NeutralRequest, userText: string, controls: AnswerControls, seed: number): PlannedBlock[] {
  const scripted = controls.script && scriptedCalls(request, controls, seed);
  if (scripted && (scripted.length > 0 || !isDemanded(request))) return scripted;
  const called = toolsToCall(request, userText, controls.calls);
  const most = request.takesParallelCalls ? called.length : 1;
  return called.slice(0, most).map((tool, index) => callOf(tool, controls, seed + index));
}

/**
 * A call that is demanded comes, whatever was scripted.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use#forcing-tool-use
 */
function isDemanded({ toolChoice }: NeutralRequest): boolean {
  return toolChoice !== 'auto' && toolChoice !== 'none';
}

function toolsToCall(request: NeutralRequest, userText: string, calls: number | null): readonly OfferedTool[] {
  const { tools, toolChoice, resultRounds } = request;
  const [first] = tools;
  if (!first || toolChoice === 'none') return [];
  if (typeof toolChoice === 'object') return tools.filter(({ name }) => name === toolChoice.name);
  const mentioned = tools.filter(({ name }) => new RegExp(`\\b${name.replace(/\W/g, '\\$&')}\\b`).test(userText));
  const wanted = calls ?? (mentioned.length > 0 ? 1 : 0);
  if (toolChoice === 'auto' && resultRounds.length >= wanted) return [];
  const called = mentioned.length > 0 ? mentioned : [first];
  const left = tools.filter((tool) => !called.includes(tool)).slice(-1);
  return resultRounds.length >= Math.max(wanted, 1) && left.length > 0 ? left : called;
}

/**
 * What the control `script` has for this round, of the tools that are offered under these names (in a group
 * of tools: under one that ends with it).
 */
function scriptedCalls(request: NeutralRequest, controls: AnswerControls, seed: number): PlannedBlock[] {
  const round = controls.script?.[request.resultRounds.length] ?? [];
  if (typeof round === 'string') return [];
  return round.flatMap(({ name, arguments: given }, index) => {
    const tool = request.tools.find(
      (each) => each.name === name || new RegExp(`\\W_*${name}$|__${name}$`).test(each.name),
    );
    return tool ? [callOf(tool, controls, seed + index, given)] : [];
  });
}

function callOf(
  tool: OfferedTool,
  { bits, unicode }: AnswerControls,
  seed: number,
  given = exampleOf(tool.schema, exampleText(unicode)),
): PlannedBlock {
  const pieces = inPieces(JSON.stringify(given), bits);
  const id = `call_${seed.toString(36).padStart(8, '0')}`;
  return { type: 'tool-call', id, name: tool.name, nameTokens: countTextTokens(tool.name), pieces };
}

const fewestTokens = 24;
const echoedWords = 12;
const readCharacters = 400;

/** Says little, and all that a careless reader of bytes trips over. */
const unicodeText = 'Grüße 世界 👩‍👩‍👧 e\u0301 "quoted" back\\slash\nnew line \u2028 Ω';

/**
 * The words of an answer, before limits and stop sequences: by a schema, by a script, of what the tools said,
 * or of what was asked, and then sentences as the seed would have it.
 */
function planText(
  request: NeutralRequest,
  userText: string,
  { tokens, script, bits, unicode }: AnswerControls,
  seed: number,
): Piece[] {
  if (request.schema !== null) return inPieces(JSON.stringify(exampleOf(request.schema, exampleText(unicode))), bits);
  const scripted = script?.[request.resultRounds.length];
  if (typeof scripted === 'string') return inPieces(scripted, bits);
  const results = request.resultRounds.at(-1) ?? [];
  if (results.length > 0) return inPieces(`The tools said: ${results.join(' and ').slice(0, readCharacters)}`, bits);
  if (unicode) return inPieces(unicodeText, bits);
  const wanted = Math.max(tokens ?? fewestTokens + (seed % 32), 1);
  const echo = userText
    .slice(0, readCharacters)
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '' && countTextTokens(` ${word}`) === 1)
    .slice(0, echoedWords);
  const opening = ['The', ' sandbox', ' heard', ...echo.map((word) => ` ${word}`), ' and', ' answers', ':'].slice(
    0,
    wanted,
  );
  return [...opening.map((text) => ({ text, tokens: 1 })), ...saidBy(seed, wanted - opening.length)];
}

/** What stands for a text in arguments and in answers by a schema. */
function exampleText(unicode: boolean): string {
  return unicode ? unicodeText : 'example';
}

/** The controls that an answer depends on. */
type AnswerControls = Pick<
  Behaviour,
  'fault' | 'tokens' | 'calls' | 'script' | 'bits' | 'unicode' | 'redact' | 'finish' | 'at'
>;
