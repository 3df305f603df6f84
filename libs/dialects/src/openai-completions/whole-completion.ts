import { charactersWithin, firstOf } from '../canonical/output-limit';
import type { WholeAnswer } from '../canonical/output-limit';
import { usageOf as toUsage } from '../openai-chat/answer-words';
import { countCompletionTokens, parseAnswer, readCompletion } from '../openai-chat/completion';

const eventStart = 'data: ';

/**
 * A text completion in one piece: a document, or the one event of a stream. Choices are cut in their order,
 * those behind the limit to nothing.
 */
export const wholeCompletion: WholeAnswer = {
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
