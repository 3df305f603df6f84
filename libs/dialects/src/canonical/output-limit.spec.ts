import { eventsIn } from '../proof/sse-text.fixture';
import { illegal, readerOf } from '../proof/surfaces.fixture';
import { answerContext, targetOf } from '../proof/targets.fixture';
import type { AnswerReader } from '../provider-dialect';
import { surfaceCodecs, translationFor } from '../translations';
import type { SurfaceCodec } from './codec';
import type { GenerationEvent } from './generation-event';
import { LimitedReader, mostTokens } from './output-limit';

const limit = 16;
const most = mostTokens(limit);
const word = 'river ';

/** What an answer is made of: a text, or the arguments of a call. */
function answerOf(kind: 'text' | 'call', words: number, piece = word): GenerationEvent[] {
  const body = Array.from({ length: words }, () => piece);
  const place = { choice: 0, block: 1 };
  const block: GenerationEvent[] =
    kind === 'text'
      ? [{ type: 'text-start', ...place }, ...body.map((text) => ({ type: 'text-delta', ...place, text }) as const)]
      : [
          { type: 'tool-call-start', ...place, id: 'call_1', name: 'write' },
          ...['{"text":"', ...body, '"}'].map(
            (text) => ({ type: 'tool-call-delta', ...place, arguments: text }) as const,
          ),
        ];
  return [
    { type: 'start', id: 'a', model: 'm', createdAtS: 1 },
    { type: 'reasoning-start', choice: 0, block: 0 },
    { type: 'reasoning-delta', choice: 0, block: 0, text: 'so' },
    { type: 'reasoning-end', choice: 0, block: 0 },
    ...block,
    { type: `${kind === 'text' ? 'text' : 'tool-call'}-end`, ...place },
    { type: 'finish', choice: 0, reason: kind === 'text' ? 'stop' : 'tool-calls' },
    { type: 'usage', usage: { ...answerUsage, output: words } },
    { type: 'end' },
  ];
}

const answerUsage = {
  input: 7,
  output: 0,
  cachedInput: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  reasoning: 1,
  audioInput: 0,
  audioOutput: 0,
};

/** A stream of a provider that speaks as this surface does. */
function streamOf(surface: SurfaceCodec, events: readonly GenerationEvent[]): Buffer {
  const writer = surface.streamWriter({ ...answerContext(), includeUsage: true });
  return Buffer.from(events.map((event) => writer.write(event)).join(''));
}

function readerFor(surface: SurfaceCodec, upstream: SurfaceCodec, maxOutputTokens: number | null): AnswerReader {
  const translation = translationFor(surface.name, readerOf(upstream).name);
  if (!translation) throw new Error('no translation');
  const body = {
    model: 'm',
    stream: true,
    max_tokens: limit,
    messages: [{ role: 'user', content: 'hi' }],
    input: 'hi',
  };
  const options = { includeUsage: true, maxOutputTokens };
  const target = targetOf(readerOf(upstream).name, true);
  return translation.prepare(Buffer.from(JSON.stringify(pick(surface, body))), target, options).answerReader();
}

function pick(surface: SurfaceCodec, { input, messages, max_tokens, ...rest }: Record<string, unknown>): object {
  return surface.name === 'openai-responses'
    ? { ...rest, input, max_output_tokens: max_tokens }
    : { ...rest, messages, max_tokens };
}

function feed(reader: AnswerReader, bytes: Buffer, size = 1_000): string {
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) out.push(reader.push(bytes.subarray(at, at + size)));
  return Buffer.concat([...out, reader.end()]).toString();
}

const pairs = surfaceCodecs.flatMap((surface) =>
  surfaceCodecs.map((upstream) => [surface.name, upstream.name, surface, upstream] as const),
);
const ends: Record<string, RegExp> = {
  'openai-chat': /"finish_reason":"length"/,
  'anthropic-messages': /"stop_reason":"max_tokens"/,
  'openai-responses': /"incomplete_details":\{"reason":"max_output_tokens"\}/,
};

describe.each(pairs)('an answer on %s of a provider of %s that ignores its limit', (name, _, surface, upstream) => {
  it.each(['text', 'call'] as const)('ends as a legal stream that reached it: %s', (kind) => {
    const reader = readerFor(surface, upstream, limit);
    const shown = feed(reader, streamOf(upstream, answerOf(kind, 2_500)));
    expect(reader).toMatchObject({ state: 'complete', error: null, isCut: true });
    expect(illegal(surface.name, shown)).toBeNull();
    expect(shown).toMatch(ends[name] ?? /never/);
    expect(reader.usage?.output).toBe(reader.outputTokensSeen());
    expect(reader.outputTokensSeen()).toBeGreaterThan(most);
    expect(reader.outputTokensSeen()).toBeLessThan(most * 1.3);
  });

  it('is as long while it flows as one without a limit', () => {
    const sent = streamOf(upstream, answerOf('text', 50));
    const lengths = [limit, null].map((maxOutputTokens) => {
      const reader = readerFor(surface, upstream, maxOutputTokens);
      reader.push(sent.subarray(0, sent.length / 2));
      return reader.outputLength;
    });
    expect(lengths[0]).toBeGreaterThan(word.length * 10);
    expect(lengths[0]).toBe(lengths[1]);
  });

  it('is left alone within the margin, and where there is no limit', () => {
    for (const [words, maxOutputTokens] of [
      [most - 10, limit],
      [2_500, null],
    ] as const) {
      const sent = streamOf(upstream, answerOf('text', words));
      const reader = readerFor(surface, upstream, maxOutputTokens);
      const shown = feed(reader, sent);
      expect(reader.isCut ?? false).toBe(false);
      expect(reader.usage?.output).toBe(words);
      if (surface === upstream && name !== 'openai-responses') expect(shown).toBe(sent.toString());
    }
  });
});

it.each([
  ['long runs that are one token', '                                                                '],
  ['signs that other tokenizers know as one', '👩‍👩‍👧‍👦'],
  ['a script that other tokenizers know better', 'ሰላም '],
])('an honest answer of %s is not cut', (_, piece) => {
  const [surface] = surfaceCodecs;
  if (!surface) throw new Error('no surface');
  const honest = 4_000;
  const reader = readerFor(surface, surface, honest);
  feed(reader, streamOf(surface, answerOf('text', honest, piece)), 64 * 1024);
  expect(reader.isCut).toBe(false);
});

it('thoughts that a provider does not count into the limit cut no answer', () => {
  for (const surface of surfaceCodecs) {
    const [start, begin, , ...rest] = answerOf('text', 10);
    if (!start || !begin) throw new Error('no answer');
    const thoughts = Array.from(
      { length: 2_500 },
      () => ({ type: 'reasoning-delta', choice: 0, block: 0, text: word }) as const,
    );
    const reader = readerFor(surface, surface, limit);
    const shown = feed(reader, streamOf(surface, [start, begin, ...thoughts, ...rest]));
    expect(reader.isCut).toBe(false);
    expect(eventsIn(shown).length).toBeGreaterThan(2_500);
  }
});

it('passes the end of an answer on in the pieces in which it came', () => {
  const pieces = [Buffer.from('{"id":'), Buffer.from('1}')];
  const inner = { state: 'complete', endInPieces: () => pieces, outputTokensSeen: () => 1 } as unknown as AnswerReader;
  const reader = new LimitedReader(inner, most, { shortened: () => null }, () => 0);
  expect(reader.endInPieces()).toBe(pieces);
});
