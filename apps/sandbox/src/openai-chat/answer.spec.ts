import { countTextTokens } from '@tollgate/dialects';
import { writeAnswer } from './answer';
import { exampleOf } from '../voice/example-of';
import type { NeutralRequest } from '../voice/neutral-request';
import type { ChatRequest } from './request';
import { words } from '../voice/words';

const request = (extra: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'm',
  messages: [{ role: 'user', content: 'hello' }],
  stream: false,
  includeUsage: false,
  maxTokens: null,
  stops: [],
  choices: 1,
  wishes: null,
  ...extra,
});

const plain = { tokens: null, calls: null };

it('has a vocabulary in which every word is one token behind a space', () => {
  expect(words.filter((word) => countTextTokens(` ${word}`) !== 1)).toEqual([]);
  expect(new Set(words).size).toBe(words.length);
});

it.each(['hello there', 'Grüße aus Köln!', 'どうして空は青いの', '1 2 3 <|endoftext|> "x"', ''])(
  'writes answers whose steps are their tokens, whatever was asked: %s',
  (userText) => {
    const [choice] = writeAnswer(request(), userText, { tokens: 300, calls: null });
    const text = choice?.steps.map(({ delta }) => ('content' in delta ? delta.content : '')).join('');
    expect(choice?.tokens).toBe(300);
    expect(choice?.steps).toHaveLength(300);
    expect(countTextTokens(String(text))).toBe(300);
  },
);

it('counts what a stop sequence leaves, also in the middle of a word', () => {
  const [choice] = writeAnswer(request({ stops: ['rd hel', 'zzz'] }), 'hello', plain);
  expect(choice?.message).toMatchObject({ content: 'The sandbox hea' });
  expect(choice?.tokens).toBe(countTextTokens('The sandbox hea'));
  expect(choice?.finishReason).toBe('stop');
});

it('streams a tool call whose bits are its arguments and whose tokens are its whole', () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] } } };
  const wishes: NeutralRequest = {
    model: 'm',
    stream: false,
    userText: '',
    resultRounds: [],
    tools: [{ name: 'get_weather', schema: parameters }],
    toolChoice: 'required',
    reasons: false,
    schema: null,
    maxTokens: null,
    stops: [],
    inputText: '',
    isCached: false,
  };
  const [choice] = writeAnswer(request({ wishes }), '', plain);
  expect(choice?.tokens).toBe(countTextTokens('get_weather') + countTextTokens('{"city":"example","unit":"c"}'));
  expect(choice?.finishReason).toBe('tool_calls');
});

it('fills nested schemas and stops at recursive ones', () => {
  expect(
    exampleOf({
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'number' } }, on: { type: 'boolean' } },
    }),
  ).toEqual({
    list: [7],
    on: true,
  });
  const recursive: Record<string, unknown> = { type: 'object' };
  recursive.properties = { child: recursive };
  expect(() => JSON.stringify(exampleOf(recursive))).not.toThrow();
});
