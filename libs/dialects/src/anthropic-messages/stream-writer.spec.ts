import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import { z } from 'zod';
import { AnswerCollector } from '../canonical/collect-answer';
import type { GenerationEvent } from '../canonical/generation-event';
import type { ReasoningSeal } from '../canonical/generation-request';
import { anthropicMessagesSurfaceCodec } from './surface-codec';
import { aRequest } from '../builders.fixture';
import { answerContext } from './target.fixture';

const usage = {
  input: 100,
  output: 20,
  cachedInput: 30,
  cacheWrite5m: 4,
  cacheWrite1h: 6,
  reasoning: 9,
  audioInput: 0,
  audioOutput: 0,
};
const began: GenerationEvent = { type: 'start', id: 'x', model: 'y', createdAtS: null };
const ended: GenerationEvent[] = [
  { type: 'finish', choice: 0, reason: 'stop' },
  { type: 'usage', usage },
  { type: 'end' },
];

function write(events: readonly GenerationEvent[], context = answerContext()): string {
  const writer = anthropicMessagesSurfaceCodec.streamWriter(context);
  return events.map((event) => writer.write(event)).join('');
}

function whole(events: readonly GenerationEvent[], context = answerContext()) {
  const collector = new AnswerCollector();
  for (const event of events) collector.add(event);
  return anthropicMessagesSurfaceCodec.toResponse(collector.answer(), context);
}

const plainAnswer = z.object({ content: z.array(z.unknown()), stop_reason: z.string() });

/** What the official client makes of a stream. */
async function asClientSees(stream: string): Promise<Anthropic.Message> {
  const fetch = () => Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }));
  const client = new Anthropic({ apiKey: 'none', baseURL: 'https://gateway.example', fetch, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  return client.messages.stream({ model: 'acme/large', max_tokens: 10, messages }).finalMessage();
}

const seals: fc.Arbitrary<ReasoningSeal | undefined> = fc.constantFrom<(ReasoningSeal | undefined)[]>(
  undefined,
  { dialect: 'anthropic-messages', kind: 'signature', value: 'Eq+/==' },
  { dialect: 'anthropic-messages', kind: 'redacted', value: 'Em' },
  { dialect: 'openai-responses', kind: 'encrypted', value: 'gAAA' },
);

/** The events of one block, its deltas in any number. */
function blockEvents(block: number): fc.Arbitrary<GenerationEvent[]> {
  const at = { choice: 0, block };
  const texts = fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 });
  return fc.oneof(
    texts.map((parts): GenerationEvent[] => [
      { type: 'text-start', ...at },
      ...parts.map((text) => ({ type: 'text-delta' as const, ...at, text })),
      { type: 'text-end', ...at },
    ]),
    fc
      .tuple(texts, seals)
      .map(([parts, seal]): GenerationEvent[] => [
        { type: 'reasoning-start', ...at },
        ...parts.map((text) => ({ type: 'reasoning-delta' as const, ...at, text })),
        { type: 'reasoning-end', ...at, ...(seal && { seal }) },
      ]),
    fc.json().map((json): GenerationEvent[] => [
      { type: 'tool-call-start', ...at, id: `call_${block}`, name: 'f' },
      { type: 'tool-call-delta', ...at, arguments: `{"a":` },
      { type: 'tool-call-delta', ...at, arguments: `${json}}` },
      {
        type: 'tool-call-end',
        ...at,
        ...(block % 2 === 0 && { signature: { dialect: 'gemini' as const, kind: 'signature' as const, value: 'g' } }),
      },
    ]),
  );
}

/** Whole answers whose blocks interleave in any legal way: `picks` says whose event is next. */
const answers = fc
  .tuple(
    fc
      .integer({ min: 0, max: 4 })
      .chain((count) => fc.tuple(...Array.from({ length: count }, (_, n) => blockEvents(n)))),
    fc.array(fc.nat({ max: 4 }), { maxLength: 40 }),
  )
  .map(([blocks, picks]) => {
    const queues = blocks.map((events) => [...events]);
    const body = picks.flatMap((pick) => queues[pick]?.splice(0, 1) ?? []);
    return [began, ...body, ...queues.flat(), ...ended];
  });

const deltaOf: Record<string, string[]> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  redacted_thinking: [],
  tool_use: ['input_json_delta'],
};

/**
 * Throws unless the stream follows the order of
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
function checkGrammar(stream: string): void {
  const events = stream
    .split('\n\n')
    .slice(0, -1)
    .map((event) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
      return { name, value: JSON.parse(data ?? '') };
    });
  let open: string | null = null;
  let index = -1;
  for (const { name, value } of events) {
    expect(value.type).toBe(name);
    if (name === 'content_block_start') {
      expect([open, value.index]).toEqual([null, ++index]);
      open = value.content_block.type;
    } else if (name === 'content_block_delta') {
      expect(value.index).toBe(index);
      expect(deltaOf[open ?? '']).toContain(value.delta.type);
    } else if (name === 'content_block_stop') {
      expect([open === null, value.index]).toEqual([false, index]);
      open = null;
    }
  }
  const names = events.map(({ name }) => name);
  expect([names[0], ...names.slice(-2)]).toEqual(['message_start', 'message_delta', 'message_stop']);
  expect(open).toBeNull();
}

describe('the writer of messages streams', () => {
  it('writes legal streams whatever legal events come, and the official client reads from them what the plain answer says', async () => {
    await fc.assert(
      fc.asyncProperty(answers, async (events) => {
        const stream = write(events);
        checkGrammar(stream);
        // Through JSON, as the client adds to its blocks what no answer holds.
        const seen: unknown = JSON.parse(JSON.stringify(await asClientSees(stream)));
        const { content, stop_reason } = plainAnswer.parse(whole(events));
        expect(seen).toMatchObject({ content, stop_reason });
      }),
      { numRuns: 150 },
    );
  });

  it('tells usage in this dialect, without the cache in input_tokens', async () => {
    const text: GenerationEvent[] = [
      { type: 'text-start', choice: 0, block: 0 },
      { type: 'text-delta', choice: 0, block: 0, text: 'Hi' },
      { type: 'text-end', choice: 0, block: 0 },
    ];
    const message = await asClientSees(write([began, ...text, ...ended]));
    expect(message.usage).toMatchObject({
      input_tokens: 60,
      cache_read_input_tokens: 30,
      cache_creation_input_tokens: 10,
      output_tokens: 20,
      output_tokens_details: { thinking_tokens: 9 },
    });
    expect(message.model).toBe('acme/large');
  });

  it.each([
    ['stop', { stop_reason: 'end_turn', stop_sequence: null }],
    ['stop-sequence', { stop_reason: 'stop_sequence', stop_sequence: 'END' }],
    ['length', { stop_reason: 'max_tokens' }],
    ['content-filter', { stop_reason: 'refusal' }],
    ['pause', { stop_reason: 'pause_turn' }],
    ['context-length', { stop_reason: 'model_context_window_exceeded' }],
    ['unknown', { stop_reason: 'end_turn' }],
  ] as const)('ends an answer that finished with %s', (reason, expected) => {
    const context = answerContext(aRequest({ stop: ['END'] }));
    const events: GenerationEvent[] = [began, { type: 'finish', choice: 0, reason }, { type: 'end' }];
    expect(whole(events, context)).toMatchObject(expected);
    expect(write(events, context)).toContain(`"stop_reason":"${expected.stop_reason}"`);
  });

  it('says tool_use where a provider says stop after a call, and refusal after a refusal', () => {
    const at = { choice: 0, block: 0 };
    const call: GenerationEvent[] = [
      { type: 'tool-call-start', ...at, id: 'c', name: 'f' },
      { type: 'tool-call-end', ...at },
    ];
    const refusal: GenerationEvent[] = [
      { type: 'refusal-start', ...at },
      { type: 'refusal-delta', ...at, text: 'No.' },
      { type: 'refusal-end', ...at },
    ];
    expect(whole([began, ...call, ...ended])).toMatchObject({ stop_reason: 'tool_use' });
    expect(write([began, ...call, ...ended])).toContain('"stop_reason":"tool_use"');
    expect(whole([began, ...refusal, ...ended])).toMatchObject({ stop_reason: 'refusal', content: [{ text: 'No.' }] });
    expect(write([began, ...refusal, ...ended])).toContain('"stop_reason":"refusal"');
  });

  it('shows sources of other providers as search results, in streams and documents', () => {
    const at = { choice: 0, block: 0 };
    const citation = { dialect: 'gemini' as const, url: 'https://a.example', title: 'A', original: {} };
    const events: GenerationEvent[] = [
      began,
      { type: 'text-start', ...at },
      { type: 'text-delta', ...at, text: 'x' },
      { type: 'citation', ...at, citation },
      { type: 'text-end', ...at },
      ...ended,
    ];
    const shown = expect.objectContaining({ type: 'web_search_result_location', url: 'https://a.example', title: 'A' });
    expect(whole(events)).toMatchObject({ content: [{ citations: [shown] }] });
    expect(write(events)).toContain('"type":"citations_delta"');
  });
});
