import { GatewayError } from '@tollgate/contracts';
import { charactersWithin, firstOf, LimitedReader, mostTokens, type WholeAnswer } from '../canonical/output-limit';
import { SniffingReader } from '../canonical/sniffing-reader';
import { usageOf as toUsage } from '../openai-chat/answer-words';
import { countCompletionTokens, parseAnswer, readCompletion } from '../openai-chat/completion';
import { PlainAnswerReader } from '../openai-chat/plain-answer-reader';
import { readError } from '../openai-chat/read-error';
import { ChatStreamReader } from '../openai-chat/stream-reader';
import { toUpstreamRequest } from '../openai-chat/to-upstream-request';
import type { AnswerReader, Translation, UpstreamTarget } from '../provider-dialect';
import { isRecord } from '../wire/json-value';
import { parseRequestJson } from '../wire/request-json';
import { countInputTokens } from './count-input-tokens';

const eventStart = 'data: ';

/**
 * A text completion in one piece: a document, or the one event of a stream. Choices are cut in their order,
 * those behind the limit to nothing.
 */
const wholeCompletion: WholeAnswer = {
  shortened: (bytes, most, usageOf) => {
    const text = Buffer.from(bytes).toString('utf8');
    const isStream = text.startsWith(eventStart);
    const end = isStream ? text.indexOf('\n') : text.length;
    const read = readCompletion(parseAnswer(Buffer.from(text.slice(isStream ? eventStart.length : 0, end))), 'text');
    if (!read) return null;
    const characters = read.choices.reduce((sum, choice) => sum + textOf(choice).length, 0);
    const within = charactersWithin(characters, countCompletionTokens(read), most);
    if (within === null) return null;
    const choices = firstCharacters(read.choices, within);
    const usage = usageOf(countCompletionTokens({ ...read, choices }));
    const answer = JSON.stringify({ ...read.body, choices, usage: toUsage(usage) });
    return { bytes: Buffer.from(isStream ? eventStart + answer + text.slice(end) : answer), usage };
  },
};

/**
 * Text completions of servers that have them beside chat completions: bytes pass. A guardrail for answers
 * knows no text completions, so such a request is refused instead of being answered unseen.
 */
export const openaiCompletionsToOpenaiChat: Translation = {
  surface: 'openai-completions',
  provider: 'openai-chat',
  prepare: (body, target, { includeUsage, newGate, maxOutputTokens = null }) => {
    if (newGate)
      throw new GatewayError(
        400,
        'A guardrail holds for the answers of this model, and text completions cannot be looked through: ask at POST /v1/chat/completions.',
      );
    return {
      request: { ...toUpstreamRequest(body, target), path: '/completions' },
      answerReader: () => limitedReader(body, answerReader(target, includeUsage), maxOutputTokens),
    };
  },
  readError,
  countInputTokens: (body) => countInputTokens(parseRequestJson(body)),
};

/** An answer that repeats its prompt is let have as many tokens more. */
function limitedReader(body: Uint8Array, reader: AnswerReader, maxOutputTokens: number | null): AnswerReader {
  if (maxOutputTokens === null) return reader;
  const asked = parseRequestJson(body);
  const countInput = (): number => countInputTokens(asked);
  const beside = isRecord(asked) && asked.echo === true ? countInput() : 0;
  return new LimitedReader(reader, mostTokens(maxOutputTokens) + beside, wholeCompletion, countInput);
}

function answerReader({ provider: { name }, stream }: UpstreamTarget, includeUsage: boolean): AnswerReader {
  if (!stream) return new PlainAnswerReader(name, 'unchanged', 'text');
  return new SniffingReader(name, 'stream', (form) =>
    form === 'stream' ? new ChatStreamReader(name, includeUsage) : new PlainAnswerReader(name, 'chunks', 'text'),
  );
}

/** Log probabilities would tell what is left out. */
function firstCharacters(choices: readonly Record<string, unknown>[], characters: number): Record<string, unknown>[] {
  let room = characters;
  return choices.map((choice) => {
    const text = textOf(choice);
    const kept = Math.min(text.length, room);
    room -= kept;
    if (kept === text.length) return choice;
    return { ...choice, text: firstOf(text, kept), logprobs: null, finish_reason: 'length' };
  });
}

function textOf({ text }: Record<string, unknown>): string {
  return typeof text === 'string' ? text : '';
}
