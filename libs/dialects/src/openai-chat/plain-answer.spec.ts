import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import { countTextTokens } from '../tokens/o200k';
import { answerReader } from './translation';
import { targetWith } from './target.fixture';

const fixture = (name: string) => readFileSync(`${__dirname}/__fixtures__/${name}`);

function read(bytes: Uint8Array, stream = false, includeUsage = false) {
  const reader = answerReader(targetWith(stream), { includeUsage });
  for (const byte of bytes) expect(reader.push(Uint8Array.of(byte))).toHaveLength(0);
  expect(reader.state).toBe('waiting');
  const output = Buffer.from(reader.end());
  return { reader, output };
}

it('returns a completion byte for byte and reads its usage', () => {
  const { reader, output } = read(fixture('plain.json'));
  expect(output.equals(fixture('plain.json'))).toBe(true);
  expect(reader).toMatchObject({ state: 'complete', hasContent: true });
  expect(reader.usage).toMatchObject({ input: 19, output: 10, cachedInput: 3, audioInput: 1 });
  expect(reader.outputTokensSeen()).toBe(countTextTokens('Hello! How can I assist you today?'));
});

it.each([true, false])(
  'passes a large answer in the pieces in which it came, parsed whole only where its texts count (usage: %s)',
  (told) => {
    const content = 'word '.repeat(500_000);
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
    const bytes = Buffer.from(JSON.stringify({ id: '1', object: 'chat.completion', choices, ...(told && { usage }) }));
    const pieces = [bytes.subarray(0, 70_000), bytes.subarray(70_000)];
    const reader = answerReader(targetWith(false), { includeUsage: false });
    for (const piece of pieces) reader.push(piece);
    const parse = jest.spyOn(JSON, 'parse');
    const output = reader.endInPieces?.() ?? [];
    const longest = Math.max(...parse.mock.calls.map(([text]) => text.length));
    parse.mockRestore();
    expect(output.map((piece, index) => piece === pieces[index])).toEqual([true, true]);
    expect(reader).toMatchObject({ state: 'complete', answerId: '1', usage: told ? { input: 3, output: 2 } : null });
    expect(longest < 1_000).toBe(told);
    expect(reader.outputTokensSeen()).toBe(countTextTokens(content));
  },
);

it('looks at a large answer as it comes, and parses little of what is blank in front of it', () => {
  const reader = answerReader(targetWith(false), { includeUsage: false });
  const blank = Buffer.alloc(65_536, ' ');
  for (let piece = 0; piece < 32; piece++) reader.push(blank);
  reader.push(fixture('plain.json'));
  const parse = jest.spyOn(JSON, 'parse');
  const concat = jest.spyOn(Buffer, 'concat');
  const pieces = reader.endInPieces?.() ?? [];
  const parsed = parse.mock.calls.map(([text]) => text.length);
  const [[copied] = [[]]] = concat.mock.calls;
  parse.mockRestore();
  concat.mockRestore();
  expect([reader.state, pieces.length]).toEqual(['complete', 33]);
  expect(parsed.map((length) => length < 5_000)).toEqual([true]);
  expect(copied.reduce((sum, { length }) => sum + length, 0)).toBe(parsed[0]);
  expect(reader.outputTokensSeen()).toBe(countTextTokens('Hello! How can I assist you today?'));
});

it('takes a large answer that is blank for an empty one', () => {
  const reader = answerReader(targetWith(false), { includeUsage: false });
  for (let piece = 0; piece < 32; piece++) reader.push(Buffer.alloc(65_536, '\n'));
  expect(reader.endInPieces?.()).toEqual([]);
  expect(reader).toMatchObject({ state: 'failed', error: { code: 'empty_answer' } });
});

it('parses a large answer whose texts are all short once, whatever is asked of it', () => {
  const content = Array.from({ length: 100_000 }, () => ({ token: ' the', logprob: -0.5, bytes: [32] }));
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, logprobs: { content } }];
  const reader = answerReader(targetWith(false), { includeUsage: false });
  reader.push(Buffer.from(JSON.stringify({ id: '1', choices, usage: { prompt_tokens: 3, completion_tokens: 2 } })));
  const parse = jest.spyOn(JSON, 'parse');
  reader.end();
  expect(reader.outputTokensSeen()).toBe(countTextTokens('Hi'));
  expect(parse).toHaveBeenCalledTimes(1);
  parse.mockRestore();
});

it('counts the names and arguments of tool calls', () => {
  const { reader } = read(fixture('plain-tools.json'));
  const texts = ['get_current_weather', '{\n"location": "Boston, MA"\n}', 'get_time', '{}'];
  expect(reader.outputTokensSeen()).toBe(texts.reduce((sum, text) => sum + countTextTokens(text), 0));
});

it('counts the name and the free text of a call of a custom tool', () => {
  const call = { id: 'c', type: 'custom', custom: { name: 'ApplyPatch', input: '*** Begin Patch' } };
  const choices = [{ index: 0, message: { role: 'assistant', content: null, tool_calls: [call] } }];
  const { reader } = read(Buffer.from(JSON.stringify({ id: '1', choices })));
  expect(reader.outputTokensSeen()).toBe(countTextTokens('ApplyPatch') + countTextTokens('*** Begin Patch'));
});

it.each([
  ['nothing', ''],
  ['white space', ' \n '],
  ['a page', '<html><body>502</body></html>'],
  ['half a document', '{"id":"1","choices":[{"index":0,"mess'],
  ['no choices', '{"id":"1","object":"chat.completion","choices":[]}'],
  ['another object', '{"ok":true}'],
  ['a choice without a message', '{"choices":[{"index":0}]}'],
])('takes %s for a failure that another provider may mend', (_what, text) => {
  const { reader, output } = read(Buffer.from(text));
  expect(output).toHaveLength(0);
  expect(reader).toMatchObject({ state: 'failed', usage: null, hasContent: false, error: { fault: 'retryable' } });
  expect(reader.outputTokensSeen()).toBe(0);
});

it.each([
  ['{"error":{"message":"Overloaded","code":529}}', { fault: 'retryable', code: 'http_529' }],
  ['{"error":{"message":"too long","code":"context_length_exceeded"}}', { fault: 'caller' }],
  ['{"error":"broken"}', { fault: 'retryable' }],
  [
    '{"choices":[{"index":0,"error":{"code":429,"message":"slow"},"message":{"content":""}}]}',
    { fault: 'retryable', code: 'http_429' },
  ],
])('takes an error with status 200 for what it is: %s', (text, error) => {
  expect(read(Buffer.from(text)).reader).toMatchObject({ state: 'failed', error });
});

/** How many bytes something holds, in whatever it is made of. */
function bytesIn(held: unknown): number {
  if (held instanceof Uint8Array) return held.length;
  if (typeof held !== 'object' || held === null) return 0;
  return Object.values(held).reduce<number>((sum, each) => sum + bytesIn(each), 0);
}

it('bounds what it keeps, and keeps nothing once that was too much', () => {
  const reader = answerReader(targetWith(false), { includeUsage: false });
  for (let i = 0; i < 64; i++) reader.push(Buffer.alloc(1024 * 1024, '7'));
  expect(bytesIn(reader)).toBeGreaterThan(60_000_000);
  reader.push(Buffer.alloc(1024 * 1024, '7'));
  expect(reader).toMatchObject({ state: 'failed', error: { code: 'answer_too_large' } });
  expect(bytesIn(reader)).toBe(0);
});

it('keeps the bytes of a large answer once, of what it looked at nothing, when it is whole', () => {
  const reader = answerReader(targetWith(false), { includeUsage: false });
  const whole = Buffer.concat([fixture('plain.json'), Buffer.alloc(2 * 1024 * 1024, '\n \n')]);
  for (let at = 0; at < whole.length; at += 900) reader.push(whole.subarray(at, at + 900));
  reader.endInPieces?.();
  expect(reader.state).toBe('complete');
  expect(bytesIn(reader)).toBe(whole.length);
});

describe('a provider that ignores `stream`', () => {
  /** What the official SDK makes of the bytes. */
  async function accumulate(bytes: Buffer) {
    const fetch = () =>
      Promise.resolve(new Response(new Uint8Array(bytes), { headers: { 'content-type': 'text/event-stream' } }));
    const client = new OpenAI({ apiKey: 'x', baseURL: 'http://sandbox.invalid', fetch });
    return client.chat.completions.stream({ model: 'm', messages: [] }).finalChatCompletion();
  }

  it.each(['plain.json', 'plain-tools.json'])(
    'becomes a stream that the official SDK reads as the same completion: %s',
    async (name) => {
      const { reader, output } = read(fixture(name), true, true);
      expect(reader.state).toBe('complete');
      const expected = JSON.parse(fixture(name).toString('utf8')) as OpenAI.ChatCompletion;
      const completion = await accumulate(output);
      expect(completion.choices[0]?.finish_reason).toBe(expected.choices[0]?.finish_reason);
      expect(completion.choices[0]?.message.content).toEqual(expected.choices[0]?.message.content);
      expect(completion.choices[0]?.message.tool_calls ?? []).toMatchObject(
        expected.choices[0]?.message.tool_calls ?? [],
      );
      expect(completion.usage).toEqual(expected.usage);
    },
  );

  it('has a usage of null in all chunks but its own', () => {
    const events = read(fixture('plain.json'), true, true).output.toString('utf8').split('\n\n');
    const chunks = events.filter((event) => event.startsWith('data: {'));
    expect(chunks.map((chunk) => chunk.includes('"usage":null'))).toEqual([true, true, false]);
  });

  it('shows no usage to a caller who did not ask', () => {
    const { output } = read(fixture('plain.json'), true);
    expect(output.toString('utf8')).not.toContain('"usage"');
    expect(output.toString('utf8').endsWith('data: [DONE]\n\n')).toBe(true);
  });
});
