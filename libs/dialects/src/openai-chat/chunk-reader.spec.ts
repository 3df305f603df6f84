import fc from 'fast-check';
import { countTextTokens } from '../tokens/o200k';
import { answerReader } from './answer-reader';
import { targetWith } from './target.fixture';

const target = targetWith(true);
const event = (chunk: object) =>
  `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 1, model: 'm', ...chunk })}\n\n`;
const delta = (content: object, index = 0, finishReason: string | null = null) =>
  event({ choices: [{ index, delta: content, finish_reason: finishReason }] });
const done = 'data: [DONE]\n\n';

function read(...events: string[]) {
  const reader = answerReader(target, { includeUsage: false });
  const bytes = Buffer.from(events.join(''));
  const output = [Buffer.from(reader.push(bytes)), Buffer.from(reader.end())];
  return { reader, output: Buffer.concat(output).toString('utf8') };
}

const tokens = (...texts: string[]) => texts.reduce((sum, text) => sum + countTextTokens(text), 0);
const call = (index: number, called: object) => delta({ tool_calls: [{ index, function: called }] });

it.each([
  ['arguments before the name', [call(0, { arguments: '{"a":1}' }), call(0, { name: 'find' })], ['{"a":1}', 'find']],
  ['arguments a byte at a time', [...'{"city":"Köln"}'].map((bit) => call(0, { arguments: bit })), ['{"city":"Köln"}']],
  ['arguments in one lump', [call(0, { name: 'find', arguments: '{"city":"Köln"}' })], ['find', '{"city":"Köln"}']],
  ['gaps between tool indexes', [call(3, { name: 'find' }), call(7, { name: 'look' })], ['find', 'look']],
  ['text after a tool call', [call(0, { name: 'find' }), delta({ content: 'Done' })], ['find', 'Done']],
  [
    'reasoning before and between text',
    [delta({ reasoning: 'Well' }), delta({ content: 'One' }), delta({ reasoning: ' now' }), delta({ content: ' two' })],
    ['Well now', 'One two'],
  ],
  ['gaps between choices', [delta({ content: 'a' }, 0), delta({ content: 'b' }, 5), delta({}, 5, 'stop')], ['a', 'b']],
  ['empty deltas', [delta({}), delta({ content: '' }), delta({ content: null }), delta({ content: 'x' })], ['x']],
  ['a function call of the old kind', [delta({ function_call: { name: 'find', arguments: '{}' } })], ['find', '{}']],
  ['a spoken answer', [delta({ audio: { id: 'a', data: 'UklGRg==', transcript: 'hello there' } })], ['hello there']],
])('counts %s', (_what, events, texts) => {
  const { reader, output } = read(...events, delta({}, 0, 'stop'), done);
  expect(reader.state).toBe('complete');
  expect(reader.hasContent).toBe(true);
  expect(reader.outputTokensSeen()).toBe(tokens(...texts));
  expect(output).toBe([...events, delta({}, 0, 'stop'), done].join(''));
});

it.each(['stop', 'length', 'content_filter', 'tool_calls', 'function_call', 'end_turn'])(
  'takes the finish reason %s for an end',
  (reason) => {
    expect(read(delta({ content: 'x' }, 0, reason), done).reader.state).toBe('complete');
  },
);

it('reads members in any order and with white space, and ignores look-alikes inside texts', () => {
  const text = '{"usage":{"prompt_tokens":9},"error":"x","finish_reason":"stop"}';
  const odd = `data: { "choices" : [ { "finish_reason" : null , "delta" : { "content" : ${JSON.stringify(text)} } , "index" : 1 } ] }\n\n`;
  const { reader } = read(odd);
  expect(reader).toMatchObject({ state: 'failed', usage: null, error: { code: 'unfinished_answer' } });
  expect(reader.outputTokensSeen()).toBe(countTextTokens(text));
});

it('bounds what it keeps of answers with absurdly many runs of text', () => {
  const events = Array.from({ length: 2_000 }, (_, index) => call(index, { arguments: ' word' }));
  expect(read(...events).reader.outputTokensSeen()).toBe(2_000);
});

it('counts any text in any pieces as it does in one, for every choice apart', () => {
  const piece = fc.tuple(fc.nat(2), fc.string({ unit: 'grapheme', maxLength: 8 }));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const { reader } = read(...pieces.map(([index, content]) => delta({ content }, index)));
      const texts = [0, 1, 2].map((choice) =>
        pieces
          .filter(([index]) => index === choice)
          .map(([, text]) => text)
          .join(''),
      );
      expect(reader.outputTokensSeen()).toBe(tokens(...texts));
    }),
  );
});
