import { GatewayError } from '@tollgate/contracts';
import { providerDefinition } from '@tollgate/contracts/catalog';
import { z } from 'zod';
import { aModel } from '../builders.fixture';
import { mostTokens } from '../canonical/output-limit';
import type { AnswerReader, AttemptOptions } from '../provider-dialect';
import { openaiCompletionsSurface } from './surface';
import { openaiCompletionsToOpenaiChat as translation } from './translation';

const provider = providerDefinition.parse({
  id: 'home',
  name: 'Home',
  dialect: 'openai-chat',
  baseUrl: 'http://127.0.0.1:9/v1',
  apiKeyEnv: [],
});
const model = aModel({ id: 'home/coder', upstreamModel: 'coder' });
const asked = { model: 'home/coder', prompt: 'def add(a, b):\n', suffix: '\n', max_tokens: 20, min_p: 0.1 };

function prepare(stream: boolean, options: Partial<AttemptOptions> = {}, changes: object = {}) {
  const body = Buffer.from(JSON.stringify({ ...asked, ...(stream && { stream: true }), ...changes }));
  return translation.prepare(
    body,
    { provider, model, upstreamModel: 'coder', stream },
    { includeUsage: false, ...options },
  );
}

/** The answer read in pieces of `size` bytes. */
function read(stream: boolean, text: string, size: number, includeUsage = false) {
  return feed(prepare(stream, { includeUsage }).answerReader(), text, size);
}

function feed(reader: AnswerReader, text: string, size = 1_000) {
  const bytes = Buffer.from(text);
  let out = '';
  for (let at = 0; at < bytes.length; at += size)
    out += Buffer.from(reader.push(bytes.subarray(at, at + size))).toString();
  out += Buffer.from(reader.end()).toString();
  return { out, reader };
}

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const chunk = (choices: object[], more: object = {}) =>
  `data: ${JSON.stringify({ id: 'cmpl-1', object: 'text_completion', created: 1, model: 'coder', choices, ...more })}\n\n`;
const words = chunk([{ index: 0, text: ' return a', finish_reason: null }]);
const last = chunk([{ index: 0, text: ' + b', finish_reason: 'stop' }]);
const told = chunk([], { usage });
const done = 'data: [DONE]\n\n';

describe('a text completion', () => {
  it('goes on as it came, under the name that its server knows, with its suffix and what the server alone knows', () => {
    const { request } = prepare(false);
    expect(request.path).toBe('/completions');
    expect(JSON.parse(Buffer.concat(request.body).toString())).toEqual({ ...asked, model: 'coder' });
    expect(JSON.parse(Buffer.concat(prepare(true).request.body).toString())).toMatchObject({
      stream_options: { include_usage: true },
    });
  });

  it('is answered byte for byte, with what it used', () => {
    const answer = JSON.stringify({ object: 'text_completion', choices: [{ index: 0, text: ' return a + b' }], usage });
    const { out, reader } = read(false, answer, 9);
    expect([out, reader.state]).toEqual([answer, 'complete']);
    expect(reader.usage).toMatchObject({ input: 7, output: 3 });
    expect(reader.outputTokensSeen()).toBeGreaterThan(3);
  });

  it.each([1, 7, 10_000])('streams, cut into pieces of %i bytes; usage is shown to those who asked', (size) => {
    const { out, reader } = read(true, words + last + told + done, size);
    expect([out, reader.state]).toEqual([words + last + done, 'complete']);
    expect(reader.usage).toMatchObject({ input: 7, output: 3 });
    expect(read(true, words + last + told + done, size, true).out).toBe(words + last + told + done);
  });

  it('that breaks off is no whole one, and what came of it is counted', () => {
    const { reader } = read(true, words, 50);
    expect(reader.state).toBe('failed');
    expect(reader.outputTokensSeen()).toBeGreaterThan(0);
  });

  it('comes as a stream also from a server that knows none', () => {
    const answer = { object: 'text_completion', choices: [{ index: 0, text: 'x', finish_reason: 'stop' }], usage };
    const event = `data: ${JSON.stringify(answer)}\n\n`;
    expect(read(true, JSON.stringify(answer), 20).out).toBe(event + done);
    expect(read(true, JSON.stringify(answer, null, 2), 20).out).toBe(event + done);
  });

  it('is not answered unseen where a guardrail holds for answers', () => {
    const newGate = () => ({ take: (text: string) => text, rest: () => '' }) as never;
    const target = { provider, model, upstreamModel: 'coder', stream: false };
    expect(() => translation.prepare(Buffer.from('{}'), target, { includeUsage: false, newGate })).toThrow(
      GatewayError,
    );
  });
});

describe('a text completion beyond its limit for certain', () => {
  const limit = 16;
  const most = mostTokens(limit);
  const words = (count: number): string => 'river '.repeat(count);
  const document = (...texts: string[]): string =>
    JSON.stringify({
      ...{ id: 'cmpl-1', object: 'text_completion', created: 1, model: 'coder' },
      choices: texts.map((text, index) => ({ index, text, logprobs: { tokens: [] }, finish_reason: 'stop' })),
      usage: { prompt_tokens: 7, completion_tokens: 9_999, total_tokens: 10_006 },
    });
  const parsed = (text: string): z.infer<typeof shown> => shown.parse(JSON.parse(text));
  const shown = z.object({
    choices: z.array(z.object({ text: z.string(), finish_reason: z.string(), logprobs: z.unknown() })),
    usage: z.object({ completion_tokens: z.number() }),
  });

  it('is cut as one that reached it, and billed so', () => {
    const reader = prepare(false, { maxOutputTokens: limit }).answerReader();
    const { choices, usage } = parsed(feed(reader, document(words(10), words(4_000), words(10))).out);
    expect(reader).toMatchObject({ state: 'complete', isCut: true, usage: { input: 7 } });
    expect(choices.map((choice) => choice.finish_reason)).toEqual(['stop', 'length', 'length']);
    expect(choices.map(({ logprobs }) => logprobs)).toEqual([{ tokens: [] }, null, null]);
    expect(choices.map(({ text }) => text.length)).toEqual([60, expect.any(Number), 0]);
    expect(usage.completion_tokens).toBe(reader.usage?.output);
    expect(usage.completion_tokens).toBeLessThan(most * 1.01);
    expect(usage.completion_tokens).toBeGreaterThan(most * 0.9);
  });

  it('is cut as a stream, of a server that streams and of one that does not', () => {
    const streamed = Array.from({ length: 4_000 }, () => chunk([{ index: 0, text: 'river ', finish_reason: null }]));
    for (const answer of [streamed.join('') + last + done, document(words(4_000))]) {
      const reader = prepare(true, { maxOutputTokens: limit }).answerReader();
      const { out } = feed(reader, answer);
      expect(reader).toMatchObject({ state: 'complete', isCut: true });
      expect(out).toMatch(/"finish_reason":"length".*\n\ndata: \[DONE\]\n\n$/);
      expect(reader.usage?.output).toBeLessThan(most * 1.3);
    }
  });

  it('is left as it came within the margin, or where it repeats its prompt as it was asked to', () => {
    const within = document(words(most - 10));
    const echoed = document(words(most + 1_000));
    for (const [answer, changes] of [
      [within, {}],
      [echoed, { prompt: words(2_000), echo: true }],
    ] as const) {
      const reader = prepare(false, { maxOutputTokens: limit }, changes).answerReader();
      expect(feed(reader, answer).out).toBe(answer);
      expect(reader.isCut ?? false).toBe(false);
    }
  });
});

describe('a request for a text completion', () => {
  const refusal = (body: object) => () => openaiCompletionsSurface.readRequest({ ...asked, ...body }, 100);

  it('is refused naming the field', () => {
    expect(refusal({ prompt: undefined })).toThrow("'prompt'");
    expect(refusal({ suffix: 1 })).toThrow("'suffix'");
    expect(refusal({ temperature: 3 })).toThrow("'temperature'");
  });

  it('is bounded by its limit for each prompt and choice', () => {
    expect(openaiCompletionsSurface.readRequest({ ...asked, n: 2 }, 100)).toMatchObject({
      model: 'home/coder',
      stream: false,
      maxOutputTokens: 40,
    });
    for (const [changes, maxOutputTokens] of [
      [{ prompt: ['a', 'b', 'c'], n: 2 }, 120],
      [{ prompt: [[1, 2], [3]] }, 40],
      [{ prompt: [1, 2, 3] }, 20],
      [{ n: 2, best_of: 5 }, 100],
      [{ max_tokens: undefined }, null],
    ] as const)
      expect(openaiCompletionsSurface.readRequest({ ...asked, ...changes }, 100)).toMatchObject({ maxOutputTokens });
    expect(refusal({ best_of: 129 })).toThrow("'best_of'");
  });

  it('has its stream put together for the log', () => {
    const gathered = openaiCompletionsSurface.gatheredStream(10_000);
    gathered.push(Buffer.from(words + last + done));
    expect(gathered.answer()).toMatchObject({ choices: [{ text: ' return a + b', finish_reason: 'stop' }] });
  });
});
