import type { GenerationEvent } from '../canonical/generation-event';
import type { ReasoningSeal } from '../canonical/generation-request';
import { anthropicMessagesProviderCodec } from './provider-codec';
import { aRequest } from '../builders.fixture';
import { parseContext } from './target.fixture';

const usage = { input_tokens: 10, cache_creation_input_tokens: 7, cache_read_input_tokens: 5, output_tokens: 1 };

function parse(events: readonly object[], context = parseContext()): GenerationEvent[] {
  const parser = anthropicMessagesProviderCodec.answerParser(context);
  return [...events.flatMap((event) => parser.onEvent('', event)), ...parser.onClose()];
}

const start = { type: 'message_start', message: { id: 'msg_1', model: 'claude', usage } };
const stop = (reason: string, extra: object = {}) => [
  {
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null, ...extra },
    usage: { output_tokens: 30 },
  },
  { type: 'message_stop' },
];

function block(index: number, content: object, ...deltas: object[]): object[] {
  return [
    { type: 'content_block_start', index, content_block: content },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function without(events: readonly GenerationEvent[], ...types: string[]): GenerationEvent[] {
  return events.filter(({ type }) => !types.includes(type));
}

describe('the parser of messages answers', () => {
  it('reads thinking, text with a citation, and a tool call, with signatures byte for byte', () => {
    const citation = { type: 'web_search_result_location', url: 'https://a.example', title: 'A' };
    const events = parse([
      start,
      { type: 'ping' },
      ...block(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 'hm' },
        { type: 'signature_delta', signature: 'EqQB+/=' },
      ),
      ...block(1, { type: 'redacted_thinking', data: 'r==' }),
      ...block(
        2,
        { type: 'text', text: '' },
        { type: 'text_delta', text: 'Hi' },
        { type: 'citations_delta', citation },
      ),
      ...block(
        3,
        { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
        { type: 'input_json_delta', partial_json: '' },
        { type: 'input_json_delta', partial_json: '{"a":' },
        { type: 'input_json_delta', partial_json: '1}' },
      ),
      ...stop('tool_use'),
    ]);
    const seal = (kind: ReasoningSeal['kind'], value: string) => ({ dialect: 'anthropic-messages', kind, value });
    expect(without(events, 'usage')).toEqual([
      { type: 'start', id: 'msg_1', model: 'claude', createdAtS: null },
      { type: 'reasoning-start', choice: 0, block: 0 },
      { type: 'reasoning-delta', choice: 0, block: 0, text: 'hm' },
      { type: 'reasoning-end', choice: 0, block: 0, seal: seal('signature', 'EqQB+/=') },
      { type: 'reasoning-start', choice: 0, block: 1 },
      { type: 'reasoning-end', choice: 0, block: 1, seal: seal('redacted', 'r==') },
      { type: 'text-start', choice: 0, block: 2 },
      { type: 'text-delta', choice: 0, block: 2, text: 'Hi' },
      {
        type: 'citation',
        choice: 0,
        block: 2,
        citation: { dialect: 'anthropic-messages', url: 'https://a.example', title: 'A', original: citation },
      },
      { type: 'text-end', choice: 0, block: 2 },
      { type: 'tool-call-start', choice: 0, block: 3, id: 'toolu_1', name: 'f' },
      { type: 'tool-call-delta', choice: 0, block: 3, arguments: '{"a":' },
      { type: 'tool-call-delta', choice: 0, block: 3, arguments: '1}' },
      { type: 'tool-call-end', choice: 0, block: 3 },
      { type: 'finish', choice: 0, reason: 'tool-calls', raw: 'tool_use' },
      { type: 'end' },
    ]);
  });

  it('gives the same events for a document as for the stream of it', () => {
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'Hi' },
      { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
    ];
    const parser = anthropicMessagesProviderCodec.answerParser(parseContext());
    const document = parser.onDocument({ ...start.message, content, stop_reason: 'end_turn', stop_sequence: null });
    const stream = parse([
      start,
      ...block(
        0,
        { type: 'thinking', thinking: '' },
        { type: 'thinking_delta', thinking: 'hm' },
        { type: 'signature_delta', signature: 's' },
      ),
      ...block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' }),
      ...block(
        2,
        { type: 'tool_use', id: 't', name: 'f', input: {} },
        { type: 'input_json_delta', partial_json: '{"a":1}' },
      ),
      ...stop('end_turn'),
    ]);
    expect(without(document, 'usage')).toEqual(without(stream, 'usage'));
  });

  it('counts cache reads and writes into the input, and later totals replace earlier ones', () => {
    const told = { ...usage, cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 } };
    const events = parse([
      { type: 'message_start', message: { usage: told } },
      ...block(0, { type: 'text', text: 'x' }),
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 30, input_tokens: null, output_tokens_details: { thinking_tokens: 20 } },
      },
      { type: 'message_stop' },
    ]);
    expect(events.filter(({ type }) => type === 'usage').at(-1)).toEqual({
      type: 'usage',
      usage: {
        input: 22,
        output: 30,
        cachedInput: 5,
        cacheWrite5m: 3,
        cacheWrite1h: 4,
        reasoning: 20,
        audioInput: 0,
        audioOutput: 0,
      },
    });
  });

  it('takes numbers that are missing or odd for 0', () => {
    const events = parse([{ type: 'message_start', message: { usage: { input_tokens: 'x', output_tokens: -1 } } }]);
    expect(events.at(-1)).toMatchObject({ usage: { input: 0, output: 0, cacheWrite5m: 0 } });
  });

  it.each([
    ['end_turn', 'stop'],
    ['max_tokens', 'length'],
    ['stop_sequence', 'stop-sequence'],
    ['tool_use', 'tool-calls'],
    ['pause_turn', 'pause'],
    ['refusal', 'refusal'],
    ['model_context_window_exceeded', 'context-length'],
    ['something_new', 'unknown'],
    ['constructor', 'unknown'],
  ])('reads the stop reason %s as %s', (raw, reason) => {
    expect(parse([start, ...stop(raw)])).toContainEqual({ type: 'finish', choice: 0, reason, raw });
  });

  it('tells why it was declined, in the place that other dialects have for it', () => {
    const declined = (details: object | null) => parse([start, ...stop('refusal', { stop_details: details })]);
    const told = (events: GenerationEvent[]) =>
      events.flatMap((event) => (event.type === 'refusal-delta' ? [event.text] : []));
    expect(told(declined({ type: 'refusal', category: 'cyber', explanation: 'No exploits.' }))).toEqual([
      'No exploits. (cyber)',
    ]);
    expect(told(declined({ type: 'refusal', category: null, explanation: 'No.' }))).toEqual(['No.']);
    expect(told(declined({ type: 'refusal', category: null, explanation: null }))).toEqual([]);
    expect(told(declined(null))).toEqual([]);
  });

  it('does not make half an answer look like a whole one where it was declined behind its words', () => {
    const details = { type: 'refusal', category: 'cyber', explanation: 'No exploits.' };
    const events = parse([
      start,
      ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Step 1:' }),
      ...stop('refusal', { stop_details: details }),
    ]);
    expect(events.some(({ type }) => type === 'refusal-delta')).toBe(false);
    expect(events).toContainEqual({ type: 'finish', choice: 0, reason: 'refusal', raw: 'refusal' });
  });

  it('tells which stop sequence it was', () => {
    expect(parse([start, ...stop('stop_sequence', { stop_sequence: 'END' })])).toContainEqual(
      expect.objectContaining({ type: 'finish', stopSequence: 'END' }),
    );
  });

  it('passes over events, blocks and deltas that it does not know', () => {
    const events = parse([
      start,
      { type: 'new_event', index: 0 },
      ...block(
        0,
        { type: 'server_tool_use', id: 's', name: 'web_search' },
        { type: 'input_json_delta', partial_json: '{}' },
      ),
      { type: 'content_block_delta', index: 9, delta: { type: 'text_delta', text: 'lost' } },
      ...block(1, { type: 'text', text: '' }, { type: 'new_delta' }, { type: 'text_delta', text: 'Hi' }),
      ...stop('end_turn'),
    ]);
    expect(without(events, 'usage', 'start', 'finish', 'end').map(({ type }) => type)).toEqual([
      'text-start',
      'text-delta',
      'text-end',
    ]);
  });

  it('keeps arguments that came whole with the start of a call', () => {
    const events = parse([
      start,
      ...block(0, { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } }),
      ...stop('tool_use'),
    ]);
    expect(events).toContainEqual({ type: 'tool-call-delta', choice: 0, block: 0, arguments: '{"a":1}' });
  });

  it('fails on an error half-way and says nothing after it', () => {
    const events = parse([
      start,
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      ...stop('end_turn'),
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { fault: 'retryable', code: 'overloaded_error' } });
  });

  it('fails on an end without a stop reason, and on a document that is no message', () => {
    expect(parse([start, { type: 'message_stop' }]).at(-1)).toMatchObject({ type: 'error' });
    const parser = () => anthropicMessagesProviderCodec.answerParser(parseContext());
    expect(parser().onDocument({ id: 'x' })).toMatchObject([{ type: 'error' }]);
    expect(parser().onDocument(null)).toMatchObject([{ type: 'error' }]);
  });

  it('turns the tool that gives the answer as JSON back into text', () => {
    const context = parseContext(aRequest({ responseFormat: { type: 'json-object' } }), 'claude-sonnet-4-5');
    const events = parse(
      [
        start,
        ...block(
          0,
          { type: 'tool_use', id: 't', name: 'answer_as_json', input: {} },
          { type: 'input_json_delta', partial_json: '{"a":1}' },
        ),
        ...stop('tool_use'),
      ],
      context,
    );
    expect(without(events, 'usage', 'start')).toEqual([
      { type: 'text-start', choice: 0, block: 0 },
      { type: 'text-delta', choice: 0, block: 0, text: '{"a":1}' },
      { type: 'text-end', choice: 0, block: 0 },
      { type: 'finish', choice: 0, reason: 'stop', raw: 'tool_use' },
      { type: 'end' },
    ]);
  });

  it('tells an empty object as such where it is the answer', () => {
    const context = parseContext(aRequest({ responseFormat: { type: 'json-object' } }), 'claude-sonnet-4-5');
    const tool = { type: 'tool_use', id: 't', name: 'answer_as_json', input: {} };
    expect(parse([start, ...block(0, tool), ...stop('tool_use')], context)).toContainEqual(
      expect.objectContaining({ type: 'text-delta', text: '{}' }),
    );
  });
});
