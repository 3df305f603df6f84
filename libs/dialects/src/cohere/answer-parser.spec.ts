import { AnswerEvents } from '../canonical/answer-events';
import type { GenerationEvent } from '../canonical/generation-event';
import { aRequest } from '../builders.fixture';
import { CohereAnswerParser } from './answer-parser';
import { cohereTarget } from './target.fixture';

function answer(): AnswerEvents {
  const context = { request: aRequest(), target: cohereTarget(true), newId: () => 'new-id' };
  return new AnswerEvents(new CohereAnswerParser(context), 'Cohere');
}

/** The legal events of a stream, each event named by its type as on the wire. */
function streamed(...values: { type?: string }[]): GenerationEvent[] {
  const events = answer();
  return [...values.flatMap((value) => events.event(value.type ?? '', JSON.stringify(value))), ...events.close()];
}

function whole(document: unknown): GenerationEvent[] {
  return answer().document(JSON.stringify(document));
}

const start = {
  type: 'message-start',
  id: 'm1',
  delta: { message: { role: 'assistant', content: [], tool_plan: '' } },
};
const content = (index: number, part: object, more: object = {}) => ({
  type: 'content-delta',
  index,
  delta: { message: { content: part } },
  ...more,
});
const contentStart = (index: number, type: string) => ({ ...content(index, { type }), type: 'content-start' });
const contentEnd = (index: number) => ({ type: 'content-end', index });
const plan = (text: string) => ({ type: 'tool-plan-delta', delta: { message: { tool_plan: text } } });
const callStart = (index: number, id: string) => ({
  type: 'tool-call-start',
  index,
  delta: { message: { tool_calls: { id, type: 'function', function: { name: 'f', arguments: '' } } } },
});
const callDelta = (index: number, text: string) => ({
  type: 'tool-call-delta',
  index,
  delta: { message: { tool_calls: { function: { arguments: text } } } },
});
const callEnd = (index: number) => ({ type: 'tool-call-end', index });
const usage = {
  billed_units: { input_tokens: 12.0, output_tokens: 5 },
  tokens: { input_tokens: 80, output_tokens: 9 },
};
const end = (reason: string, more: object = {}) => ({
  type: 'message-end',
  delta: { finish_reason: reason, usage, ...more },
});
const at = (block: number) => ({ choice: 0, block });
const billed = {
  input: 12,
  output: 5,
  cachedInput: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  reasoning: 0,
  audioInput: 0,
  audioOutput: 0,
};

describe('an answer of Cohere', () => {
  it('gives thoughts, text, plans and calls as blocks, and what is billed as usage', () => {
    const events = streamed(
      start,
      contentStart(0, 'thinking'),
      content(0, { thinking: 'Hm' }),
      contentEnd(0),
      contentStart(1, 'text'),
      content(1, { text: 'Grüße ' }),
      content(1, { text: '😀' }),
      contentEnd(1),
      plan('I will '),
      plan('look.'),
      callStart(0, 'c1'),
      callDelta(0, '{"a"'),
      callDelta(0, ':1}'),
      callEnd(0),
      callStart(1, 'c2'),
      callEnd(1),
      end('TOOL_CALL'),
    );
    expect(events).toEqual([
      { type: 'start', id: 'm1', model: null, createdAtS: null },
      { type: 'reasoning-start', ...at(0) },
      { type: 'reasoning-delta', ...at(0), text: 'Hm' },
      { type: 'reasoning-end', ...at(0) },
      { type: 'text-start', ...at(1) },
      { type: 'text-delta', ...at(1), text: 'Grüße ' },
      { type: 'text-delta', ...at(1), text: '😀' },
      { type: 'text-end', ...at(1) },
      { type: 'reasoning-start', ...at(2) },
      { type: 'reasoning-delta', ...at(2), text: 'I will ' },
      { type: 'reasoning-delta', ...at(2), text: 'look.' },
      { type: 'reasoning-end', ...at(2) },
      { type: 'tool-call-start', ...at(3), id: 'c1', name: 'f' },
      { type: 'tool-call-delta', ...at(3), arguments: '{"a"' },
      { type: 'tool-call-delta', ...at(3), arguments: ':1}' },
      { type: 'tool-call-end', ...at(3) },
      { type: 'tool-call-start', ...at(4), id: 'c2', name: 'f' },
      { type: 'tool-call-end', ...at(4) },
      { type: 'finish', choice: 0, reason: 'tool-calls', raw: 'TOOL_CALL' },
      { type: 'usage', usage: billed },
      { type: 'end' },
    ]);
  });

  it('has one meaning as a stream and as a document', () => {
    const citation = {
      start: 0,
      end: 1,
      text: 'a',
      content_index: 1,
      sources: [
        { type: 'document', id: 'd', document: { title: 'T', url: 'https://a.example' } },
        { type: 'tool', id: 't', tool_output: { url: 'https://b.example' } },
      ],
    };
    const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const document = whole({
      id: 'm1',
      finish_reason: 'TOOL_CALL',
      usage,
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm' },
          { type: 'text', text: 'a' },
        ],
        tool_calls: calls,
        citations: [citation],
      },
      logprobs: [{ text: 'a', token_ids: [1, 2], logprobs: [-0.5, -0.25] }],
    });
    const stream = streamed(
      start,
      content(0, { thinking: 'Hm' }),
      contentStart(1, 'text'),
      content(1, { text: 'a' }, { logprobs: { text: 'a', token_ids: [1, 2], logprobs: [-0.5, -0.25] } }),
      contentEnd(1),
      { type: 'citation-start', ...{ index: 0, delta: { message: { citations: citation } } } },
      { type: 'citation-end', ...{ index: 0 } },
      callStart(0, 'c1'),
      callDelta(0, '{}'),
      callEnd(0),
      end('TOOL_CALL'),
    );
    expect(document).toEqual(stream);
    expect(document.filter(({ type }) => type === 'citation')).toEqual(
      [
        { url: 'https://a.example', title: 'T' },
        { url: 'https://b.example', title: null },
      ].map((source) => ({
        type: 'citation',
        ...at(1),
        citation: { dialect: 'cohere', ...source, original: citation },
      })),
    );
    expect(document).toContainEqual({
      type: 'text-delta',
      ...at(1),
      text: 'a',
      logprobs: [{ token: 'a', logprob: -0.75, bytes: null, top: [] }],
    });
  });

  it('keeps interleaved calls apart, whatever their numbers', () => {
    const events = streamed(
      start,
      callStart(3, 'c1'),
      callStart(7, ''),
      callDelta(3, '{"a":'),
      callDelta(7, '{'),
      callDelta(3, '1}'),
      callDelta(7, '}'),
      callDelta(99, 'lost'),
      end('TOOL_CALL'),
    );
    const told = events
      .filter((event) => event.type === 'tool-call-delta')
      .map((event) => [event.block, event.arguments]);
    expect(told).toEqual([
      [0, '{"a":'],
      [1, '{'],
      [0, '1}'],
      [1, '}'],
    ]);
    expect(events).toContainEqual({ type: 'tool-call-start', ...at(1), id: 'new-id', name: 'f' });
  });

  it.each([
    ['COMPLETE', 'stop'],
    ['STOP_SEQUENCE', 'stop-sequence'],
    ['MAX_TOKENS', 'length'],
    ['TOOL_CALL', 'tool-calls'],
    ['ERROR_TOXIC', 'unknown'],
    ['toString', 'unknown'],
  ])('that stopped for %s finished by %s', (raw, reason) => {
    const finish = { type: 'finish', choice: 0, reason, raw };
    expect(streamed(start, content(0, { text: 'a' }), end(raw))).toContainEqual(finish);
    expect(whole({ finish_reason: raw, message: { content: [] } })).toContainEqual(finish);
  });

  it.each<[{ type?: string; message?: string }, string]>([
    [end('ERROR'), 'error_in_answer'],
    [end('TIMEOUT'), 'error_in_answer'],
    [end('COMPLETE', { error: 'out of memory at 10.0.0.1' }), 'error_in_answer'],
    [{ message: 'internal server error' }, 'error_in_answer'],
    [{ type: 'error', message: 'x' }, 'error_in_answer'],
  ])('fails on %j, before and after its first text, without the words of the provider', (last, code) => {
    for (const events of [streamed(start, last), streamed(start, content(0, { text: 'a' }), last, end('COMPLETE'))]) {
      expect(events.at(-1)).toMatchObject({ type: 'error', error: { fault: 'retryable', code } });
      expect(JSON.stringify(events)).not.toContain('10.0.0.1');
    }
  });

  it('that closes without its end is a failure, and an early [DONE] changes nothing', () => {
    expect(streamed(start, content(0, { text: 'a' })).at(-1)).toMatchObject({ error: { code: 'unfinished_answer' } });
    const events = answer();
    expect(events.event('', '[DONE]').concat(events.close()).at(-1)).toMatchObject({ error: { code: 'empty_answer' } });
    expect(streamed(start, end('COMPLETE')).at(-1)).toEqual({ type: 'end' });
  });

  it.each([[{}], [[]], ['text'], [null], [{ message: {} }]])('that is the document %j is a failure', (document) => {
    expect(whole(document)).toEqual([expect.objectContaining({ type: 'error' })]);
  });

  it.each([
    [{ tokens: { input_tokens: 8, output_tokens: 2 } }, { ...billed, input: 8, output: 2 }],
    [
      { billed_units: { search_units: 1 }, tokens: { input_tokens: 8, output_tokens: 2 } },
      { ...billed, input: 8, output: 2 },
    ],
    [
      { ...usage, cached_tokens: 50 },
      { ...billed, cachedInput: 12 },
    ],
    [{ ...usage, cached_tokens: 'many' }, billed],
  ])('counts %j once, and never more cached than came in', (told, expected) => {
    expect(streamed(start, end('COMPLETE', { usage: told }))).toContainEqual({ type: 'usage', usage: expected });
  });

  it('is read although it holds what nobody knows yet', () => {
    const events = streamed(
      { type: 'message-start' },
      { type: 'debug' },
      { type: 'brand-new-event' },
      contentStart(0, 'hologram'),
      content(0, { text: 'a', fresh: 1 }),
      end('COMPLETE', { usage: 'none', fresh: {} }),
    );
    expect(events.map(({ type }) => type)).toEqual(['start', 'text-start', 'text-delta', 'text-end', 'finish', 'end']);
  });
});
