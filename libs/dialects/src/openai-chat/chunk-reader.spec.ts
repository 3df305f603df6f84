import fc from 'fast-check';
import { countTextTokens } from '../tokens/o200k';
import { answerReader } from './translation';
import { ChunkReader } from './chunk-reader';
import { OutputTally } from './delta-reader';
import { targetWith } from './target.fixture';
import { ChatTranscript } from './surface';

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
const call = (index: number, called: object) =>
  delta({ tool_calls: [{ index, ...('name' in called && { id: `call_${index}` }), function: called }] });

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
  [
    'a call of a custom tool',
    [
      delta({ tool_calls: [{ index: 0, id: 'c', type: 'custom', custom: { name: 'patch', input: '' } }] }),
      ...['*** Begin', ' Patch'].map((input) => delta({ tool_calls: [{ index: 0, custom: { input } }] })),
    ],
    ['patch', '*** Begin Patch'],
  ],
  ['a spoken answer', [delta({ audio: { id: 'a', data: 'UklGRg==', transcript: 'hello there' } })], ['hello there']],
])('counts %s', (_what, events, texts) => {
  const { reader, output } = read(...events, delta({}, 0, 'stop'), done);
  expect(reader.state).toBe('complete');
  expect(reader.hasContent).toBe(true);
  expect(reader.outputTokensSeen()).toBe(tokens(...texts));
  expect(reader.outputLength).toBeGreaterThanOrEqual(texts.at(-1)?.length ?? 0);
  const transcript = new ChatTranscript();
  transcript.push(Buffer.from(output));
  expect(transcript.outputTokens()).toBe(tokens(...texts));
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

describe('events that differ in their text alone', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', ' ', 'ö', '中', '"', '\\', '\n', '}', ','), maxLength: 6 });
  const shapes = [
    (text: string) => delta({ content: text }),
    (text: string) => delta({ reasoning_content: text, content: null }),
    (text: string) => delta({ reasoning_content: text, reasoning: 'the same' }),
    (text: string) => event({ choices: [{ index: 0, text, finish_reason: null }] }),
    (text: string) => delta({ tool_calls: [{ index: 1, function: { arguments: text } }] }),
    (text: string) => event({ choices: [{ index: 2, delta: { content: text } }], usage: null }),
    (text: string) => event({ choices: [{ index: 0, delta: { content: text } }], padding: text.repeat(3) }),
    (text: string) => delta({ content: text }, 0, 'stop'),
    (text: string) => event({ choices: [{ index: 0, delta: { content: text } }], service_tier: 'flex' }),
    (text: string) => event({ service_tier: 'default', choices: [{ index: 0, delta: { content: text } }] }),
  ];
  const events = fc.array(
    fc.tuple(fc.nat(shapes.length - 1), fc.array(texts, { minLength: 1, maxLength: 5 })).map(([shape, list]) => {
      const [first = '', ...others] = list.map((text) => shapes[shape]?.(text) ?? '');
      return [first, ...others];
    }),
    { maxLength: 6 },
  );

  it('are read as if each were the first one', () => {
    fc.assert(
      fc.property(events, (runs) => {
        const all = runs.flat();
        const tally = new OutputTally();
        const apart = new OutputTally();
        const reader = new ChunkReader(tally);
        let isFinished = false;
        let tier = '';
        for (const text of all) {
          const bytes = Buffer.from(text.slice('data: '.length));
          const fresh = new ChunkReader(apart);
          reader.read(bytes, 0, bytes.length);
          fresh.read(bytes, 0, bytes.length);
          const { choices, usage, error } = fresh;
          tier = fresh.tier || tier;
          expect(reader).toMatchObject({ choices, usage, tier, error });
          expect(reader.hasContent || !fresh.hasContent).toBe(true);
          isFinished ||= fresh.hasFinish;
        }
        expect(tally.tokens()).toBe(apart.tokens());
        expect(tally.length.value).toBe(apart.length.value);
        expect(reader.hasFinish).toBe(isFinished);
      }),
    );
  });

  it.each([
    ['a quote that ends the text', 'x"'],
    ['an escape that is none', '\\x'],
    ['a control character', '\u0001'],
    ['a member more', 'x","role":"assistant'],
  ])('are read byte by byte with %s', (_what, text) => {
    const bytes = (content: string) =>
      Buffer.from(`{"choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]}`);
    const read = (reader: ChunkReader) => {
      const event = bytes(text);
      try {
        reader.read(event, 0, event.length);
        return 'well formed';
      } catch (error) {
        return error;
      }
    };
    const reader = new ChunkReader(new OutputTally());
    for (const content of ['one', 'two']) reader.read(bytes(content), 0, bytes(content).length);
    expect(read(reader)).toEqual(read(new ChunkReader(new OutputTally())));
  });
});
