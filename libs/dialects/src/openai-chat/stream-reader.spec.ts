import { readdirSync, readFileSync } from 'node:fs';
import type { UpstreamError } from '../provider-dialect';
import type { TokenUsage } from '@tollgate/contracts';
import { countTextTokens } from '../tokens/o200k';
import { answerReader } from './translation';
import { targetWith } from './target.fixture';
import { ChatTranscript } from './surface';

const folder = `${__dirname}/__fixtures__`;
const streaming = targetWith(true);
const fixture = (name: string) => readFileSync(`${folder}/${name}`);

interface Reading {
  output: string;
  state: string;
  usage: TokenUsage | null;
  error: UpstreamError | null;
  hasContent: boolean;
  outputTokens: number;
}

function read(pieces: Iterable<Uint8Array>, includeUsage = false): Reading {
  const reader = answerReader(streaming, { includeUsage });
  const output: Uint8Array[] = [];
  for (const piece of pieces) output.push(Buffer.from(reader.push(piece)));
  output.push(reader.end());
  return {
    output: Buffer.concat(output).toString('utf8'),
    state: reader.state,
    usage: reader.usage,
    error: reader.error,
    hasContent: reader.hasContent,
    outputTokens: reader.outputTokensSeen(),
  };
}

const bytesOf = (bytes: Buffer) => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
const withoutComments = (text: string) => text.replaceAll(/^(?::.*\n\n)+/g, '');
const done = 'data: [DONE]\n\n';

describe.each(readdirSync(folder).filter((name) => name.endsWith('.sse')))('%s', (name) => {
  it.each([false, true])('is read alike whichever way its bytes are split (usage asked: %s)', (includeUsage) => {
    const bytes = fixture(name);
    const whole = read([bytes], includeUsage);
    expect(read(bytesOf(bytes), includeUsage)).toEqual(whole);
    const written = JSON.stringify(whole);
    const differing = Array.from(bytes.keys()).filter(
      (at) => JSON.stringify(read([bytes.subarray(0, at), bytes.subarray(at)], includeUsage)) !== written,
    );
    expect(differing).toEqual([]);
    if (!name.startsWith('openai') && !name.startsWith('deepseek')) return;
    const crlf = Buffer.from(bytes.toString('utf8').replaceAll('\n', '\r\n'));
    const wholeCrlf = read([crlf], includeUsage);
    expect(read(bytesOf(crlf), includeUsage)).toEqual(wholeCrlf);
    expect(wholeCrlf.output.replaceAll('\r\n', '\n')).toBe(whole.output.replaceAll('\r\n', '\n'));
    expect(wholeCrlf).toMatchObject({ state: whole.state, usage: whole.usage, outputTokens: whole.outputTokens });
  });

  it('ends complete with [DONE] or visibly failed without it', () => {
    const { output, state, error } = read([fixture(name)]);
    expect(state).toBe(name.startsWith('fails') ? 'failed' : 'complete');
    expect(output.includes('[DONE]')).toBe(state === 'complete');
    expect(error === null).toBe(state === 'complete');
  });

  it('is counted alike by the reader and by the transcript of what the caller got', () => {
    const { output, outputTokens } = read([fixture(name)]);
    const transcript = new ChatTranscript();
    for (const byte of bytesOf(Buffer.from(output))) transcript.push(byte);
    expect(transcript.outputTokens()).toBe(outputTokens);
  });
});

it.each([
  ['openai-usage-chunk.sse', { input: 19, output: 10 }],
  ['openai-interleaved-tools.sse', { input: 19, output: 34, cachedInput: 16 }],
  ['azure-prompt-filter.sse', { input: 19, output: 10 }],
  ['groq-x-groq-usage.sse', { input: 18, output: 2 }],
  ['deepseek-reasoning.sse', { input: 17, output: 9, cachedInput: 12, reasoning: 5 }],
  ['mistral-thinking-parts.sse', { input: 14, output: 6 }],
  ['perplexity-usage-everywhere-crlf.sse', { input: 14, output: 19 - 14 }],
  ['openrouter-comments.sse', { input: 12, output: 2 }],
  ['xai-reasoning-outside.sse', { input: 32, output: 103, reasoning: 94, cachedInput: 6 }],
  ['zeros-then-usage.sse', { input: 7, output: 2 }],
])('reads the usage of %s', (name, usage) => expect(read([fixture(name)]).usage).toMatchObject(usage));

it('takes the tier that is told last: at first it may be the one that was asked for', () => {
  const chunk = (tier: string, rest: object) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', service_tier: tier, ...rest })}\n\n`;
  const told = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const stream =
    chunk('auto', { choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }] }) +
    chunk('flex', { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
    chunk('flex', { choices: [], usage: told });
  expect(read([Buffer.from(stream + done)]).usage?.served).toEqual({ tier: 'flex' });
});

it.each([
  ['openai-usage-chunk.sse', 'Grüße aus Köln 👋🏽!\n'],
  ['deepseek-reasoning.sse', 'Let me think', 'Hello!'],
  ['mistral-thinking-parts.sse', 'First, count', 'Three'],
  ['openai-refusal.sse', "I'm sorry."],
  ['openai-two-choices.sse', 'Yes', 'No'],
  ['openai-interleaved-tools.sse', 'get_weather', '{"city":"Bonn"}', 'get_weather', '{"city":"Ulm"}'],
  ['zeros-then-usage.sse', 'Hmm', 'Ok'],
  ['odd-framing.sse', 'Über'],
])('counts what %s generated', (name, ...texts) => {
  const reading = read([fixture(name)]);
  expect(reading.hasContent).toBe(true);
  expect(reading.outputTokens).toBe(texts.reduce((sum, text) => sum + countTextTokens(text), 0));
});

describe('what the caller gets', () => {
  it('is every byte, but for a usage chunk that was not asked for', () => {
    const text = fixture('openai-usage-chunk.sse').toString('utf8');
    const events = text.split(/(?<=\n\n)/);
    expect(read([fixture('openai-usage-chunk.sse')], true).output).toBe(text);
    expect(read([fixture('openai-usage-chunk.sse')]).output).toBe(
      events.filter((event) => !event.includes('"choices":[],')).join(''),
    );
  });

  it.each(['deepseek-reasoning.sse', 'mistral-thinking-parts.sse', 'groq-x-groq-usage.sse', 'openrouter-comments.sse'])(
    'is every byte of %s, but for comments before the answer',
    (name) => expect(read([fixture(name)]).output).toBe(withoutComments(fixture(name).toString('utf8'))),
  );

  it('is a usage chunk before [DONE] for a caller who asked, where the provider put its usage elsewhere', () => {
    const { output } = read([fixture('groq-x-groq-usage.sse')], true);
    const events = output.split('\n\n');
    expect(events.at(-2)).toBe('data: [DONE]');
    expect(JSON.parse(events.at(-3)?.slice(6) ?? '')).toMatchObject({
      id: 'chatcmpl-f51b2cd2-bef7-417e-964e-a08f0b513c22',
      object: 'chat.completion.chunk',
      choices: [],
      usage: { prompt_tokens: 18, completion_tokens: 2, total_tokens: 20 },
    });
  });

  it('is a [DONE] of ours when a finished stream ends without one', () => {
    expect(read([fixture('perplexity-usage-everywhere-crlf.sse')]).output.endsWith(`\r\n\r\n${done}`)).toBe(true);
  });

  it('is whole events, also where the last one came without its empty line', () => {
    const text = fixture('openai-refusal.sse').toString('utf8');
    const events = read([Buffer.from(text)]).output.split(/(?<=\n\n)/);
    expect(read([Buffer.from(text.trimEnd())]).output).toBe(events.join(''));
    const withoutDone = Buffer.from(events.slice(0, -1).join('').trimEnd());
    expect(read([withoutDone]).output).toBe(events.join(''));
  });

  it.each([false, true])(
    'is a warning in front of the mark of an end that came behind the finish of one choice of two, and the usage that was told (asked: %s)',
    (includeUsage) => {
      const told = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
      const usageChunk = `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [], usage: told })}\n\n`;
      const stream = fixture('one-choice-open.sse')
        .toString('utf8')
        .replace(done, usageChunk + done);
      const { output, state, error, usage } = read([Buffer.from(stream)], includeUsage);
      expect([state, error]).toEqual(['complete', null]);
      expect(output.endsWith(`: the provider told no finish reason for some choices\n\n${done}`)).toBe(true);
      expect(output.includes(usageChunk)).toBe(includeUsage);
      expect(usage).toMatchObject({ input: 7, output: 5 });
    },
  );

  it('is nothing before the answer begins, so that another provider may still be tried', () => {
    const reader = answerReader(streaming, { includeUsage: false });
    const [filter = '', first = ''] = fixture('azure-prompt-filter.sse')
      .toString('utf8')
      .split(/(?<=\n\n)/);
    expect(reader.push(Buffer.from(`: OPENROUTER PROCESSING\n\n${filter}`))).toHaveLength(0);
    expect(reader.state).toBe('waiting');
    expect(Buffer.from(reader.push(Buffer.from(first))).toString('utf8')).toBe(filter + first);
    expect(reader.state).toBe('flowing');
    expect(reader.hasContent).toBe(false);
  });

  it('is the same memory that came in, uncopied, in the usual case', () => {
    const reader = answerReader(streaming, { includeUsage: false });
    const events = fixture('openai-usage-chunk.sse')
      .toString('utf8')
      .split(/(?<=\n\n)/);
    reader.push(Buffer.from(events[0] ?? ''));
    const bytes = Buffer.from(events[1] ?? '');
    expect(reader.push(bytes).buffer).toBe(bytes.buffer);
  });
});

describe('failures', () => {
  it.each([
    ['fails-no-finish.sse', { fault: 'retryable', code: 'unfinished_answer' }],
    ['fails-early-done.sse', { fault: 'retryable', code: 'unfinished_answer' }],
    ['fails-malformed-middle.sse', { fault: 'retryable', code: 'malformed_answer' }],
    ['fails-cut-in-event.sse', { fault: 'retryable', code: 'malformed_answer' }],
    ['fails-error-first.sse', { fault: 'retryable', code: 'server_error' }],
    ['fails-error-event-name.sse', { fault: 'retryable', code: 'error_in_answer' }],
    ['fails-error-object.sse', { fault: 'caller', code: 'BadRequestError' }],
    ['fails-rate-limit-halfway.sse', { fault: 'retryable', code: 'rate_limit_exceeded' }],
    ['fails-nothing-but-comments.sse', { fault: 'retryable', code: 'empty_answer' }],
    ['fails-openrouter-error-halfway.sse', { fault: 'retryable', code: 'http_502' }],
  ])('of %s are told', (name, error) => expect(read([fixture(name)]).error).toMatchObject(error));

  it('keep what was generated before them for counting', () => {
    expect(read([fixture('fails-rate-limit-halfway.sse')])).toMatchObject({ outputTokens: 1, hasContent: true });
  });

  it('come from pages and from events without an end', () => {
    expect(read([Buffer.from('<!DOCTYPE html><html></html>')]).error?.code).toBe('malformed_answer');
    expect(read([])).toMatchObject({ state: 'failed', error: { code: 'empty_answer' } });
    expect(read([Buffer.from('data: '), Buffer.alloc(17 * 1024 * 1024, 'x')]).error?.code).toBe('malformed_answer');
  });

  it('end the reading: nothing that follows is passed on', () => {
    const reader = answerReader(streaming, { includeUsage: false });
    reader.push(fixture('fails-error-first.sse'));
    expect(reader.push(fixture('openai-usage-chunk.sse'))).toHaveLength(0);
    expect(reader.end()).toHaveLength(0);
    expect(reader.state).toBe('failed');
  });
});
