import type { GenerationEvent } from '../canonical/generation-event';
import { awsEvent, awsException } from '../wire/aws-event.fixture';
import { AwsEventSplitter } from '../wire/aws-event-splitter';
import { ConverseAnswerParser } from './answer-parser';
import { aRequest } from '../builders.fixture';
import { bedrockTarget } from './target.fixture';

function parserFor(model?: string): ConverseAnswerParser {
  return new ConverseAnswerParser({ request: aRequest(), target: bedrockTarget(model), newId: () => 'new-id' });
}

/** The events of a stream given in pieces. */
function eventsOf(pieces: readonly Uint8Array[], model?: string): GenerationEvent[] {
  const parser = parserFor(model);
  const splitter = new AwsEventSplitter(1_000_000);
  const events: GenerationEvent[] = [];
  for (const piece of pieces) {
    splitter.push(piece, (name, payload) => events.push(...parser.onEvent(name, JSON.parse(payload))));
  }
  return [...events, ...parser.onClose()];
}

const start = awsEvent('messageStart', { role: 'assistant' });
const delta = (contentBlockIndex: number, value: object) =>
  awsEvent('contentBlockDelta', { contentBlockIndex, delta: value, p: 'abcdef' });
const stop = (contentBlockIndex: number) => awsEvent('contentBlockStop', { contentBlockIndex });
const toolStart = (contentBlockIndex: number, toolUseId: string) =>
  awsEvent('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name: 'weather' } } });
const end = (stopReason: string, more: object = {}) => awsEvent('messageStop', { stopReason, ...more });
const metadata = (usage: object) => awsEvent('metadata', { usage, metrics: { latencyMs: 1 } });
const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };

const whole = [
  start,
  delta(0, { reasoningContent: { text: 'Hm' } }),
  delta(0, { reasoningContent: { text: '…' } }),
  delta(0, { reasoningContent: { signature: 'sig' } }),
  stop(0),
  delta(1, { reasoningContent: { redactedContent: 'cmVk' } }),
  stop(1),
  delta(2, { text: 'Grüße ' }),
  delta(2, { text: '😀' }),
  stop(2),
  toolStart(3, 'one'),
  delta(3, { toolUse: { input: '{"city":' } }),
  delta(3, { toolUse: { input: '"Rome"}' } }),
  stop(3),
  toolStart(4, 'two'),
  stop(4),
  end('tool_use'),
  metadata(usage),
];

const at = (block: number) => ({ choice: 0, block });
const expected: GenerationEvent[] = [
  { type: 'start', id: null, model: null, createdAtS: null },
  { type: 'reasoning-start', ...at(0) },
  { type: 'reasoning-delta', ...at(0), text: 'Hm' },
  { type: 'reasoning-delta', ...at(0), text: '…' },
  { type: 'reasoning-end', ...at(0), seal: { dialect: 'bedrock-converse', kind: 'signature', value: 'sig' } },
  { type: 'reasoning-start', ...at(1) },
  { type: 'reasoning-end', ...at(1), seal: { dialect: 'bedrock-converse', kind: 'redacted', value: 'cmVk' } },
  { type: 'text-start', ...at(2) },
  { type: 'text-delta', ...at(2), text: 'Grüße ' },
  { type: 'text-delta', ...at(2), text: '😀' },
  { type: 'text-end', ...at(2) },
  { type: 'tool-call-start', ...at(3), id: 'one', name: 'weather' },
  { type: 'tool-call-delta', ...at(3), arguments: '{"city":' },
  { type: 'tool-call-delta', ...at(3), arguments: '"Rome"}' },
  { type: 'tool-call-end', ...at(3) },
  { type: 'tool-call-start', ...at(4), id: 'two', name: 'weather' },
  { type: 'tool-call-end', ...at(4) },
  { type: 'finish', choice: 0, reason: 'tool-calls', raw: 'tool_use' },
  {
    type: 'usage',
    usage: {
      input: 10,
      output: 5,
      cachedInput: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      reasoning: 0,
      audioInput: 0,
      audioOutput: 0,
    },
  },
  { type: 'end' },
];

describe('a stream of Converse', () => {
  it('gives the same events whichever way its bytes are split', () => {
    const bytes = Buffer.concat(whole);
    expect(eventsOf([bytes])).toEqual(expected);
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(eventsOf([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(expected);
    }
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop-sequence'],
    ['max_tokens', 'length'],
    ['guardrail_intervened', 'content-filter'],
    ['content_filtered', 'content-filter'],
    ['model_context_window_exceeded', 'context-length'],
    ['toString', 'unknown'],
  ])('that stopped for %s finished by %s', (raw, reason) => {
    expect(eventsOf([start, end(raw)])).toContainEqual({ type: 'finish', choice: 0, reason, raw });
  });

  it.each(['malformed_tool_use', 'malformed_model_output'])('that stopped for %s did not end well', (raw) => {
    expect(eventsOf([start, end(raw)]).at(-1)).toMatchObject({ type: 'error', error: { code: raw } });
  });

  it('tells which stop sequence ended it', () => {
    const fields = { additionalModelResponseFields: { delta: { stop_sequence: 'END' } } };
    expect(eventsOf([start, end('stop_sequence', fields)])).toContainEqual(
      expect.objectContaining({ type: 'finish', stopSequence: 'END' }),
    );
  });

  it('is whole without its usage, and is not without its stop', () => {
    expect(eventsOf([start, delta(0, { text: 'a' }), end('end_turn')]).at(-1)).toEqual({ type: 'end' });
    expect(eventsOf([start, delta(0, { text: 'a' }), metadata(usage)])).not.toContainEqual({ type: 'end' });
  });

  it('keeps the seal of reasoning that was not closed', () => {
    const events = eventsOf([start, delta(0, { reasoningContent: { text: 'a', signature: 's' } }), end('end_turn')]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'reasoning-end', seal: expect.anything() }));
  });

  it('ignores what it does not know, and an input without a call', () => {
    const odd = [awsEvent('newEvent', {}), delta(0, { toolUse: { input: 'x' } }), delta(1, { image: {} })];
    expect(eventsOf([start, ...odd, end('end_turn')]).map(({ type }) => type)).toEqual(['start', 'finish', 'end']);
  });

  it('carries the sources of its text', () => {
    const citation = { title: 'Rome', location: { web: { url: 'https://rome.example' } } };
    expect(eventsOf([start, delta(0, { text: 'a' }), delta(0, { citation })])).toContainEqual({
      type: 'citation',
      ...at(0),
      citation: { dialect: 'bedrock-converse', url: 'https://rome.example', title: 'Rome', original: citation },
    });
  });

  it.each([
    ['throttlingException', 'retryable'],
    ['modelStreamErrorException', 'retryable'],
    ['internalServerException', 'retryable'],
    ['serviceUnavailableException', 'retryable'],
    ['validationException', 'caller'],
    ['somethingNewException', 'retryable'],
  ])('that breaks off with a %s fails, by fault of: %s', (type, fault) => {
    const events = eventsOf([
      start,
      delta(0, { text: 'a' }),
      awsException(type, { message: 'words' }),
      end('end_turn'),
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { fault, code: type, retryAfterS: null } });
  });
});

describe('the usage of Converse', () => {
  const read = (value: object, model?: string) =>
    eventsOf([start, end('end_turn'), metadata(value)], model).find((event) => event.type === 'usage')?.usage;
  const cached = { ...usage, cacheReadInputTokens: 100, cacheWriteInputTokens: 30 };

  it('counts what was read from and written to a cache beside the input, and knows the hour', () => {
    const cacheDetails = [
      { ttl: '1h', inputTokens: 20 },
      { ttl: '5m', inputTokens: 10 },
    ];
    expect(read({ ...cached, cacheDetails })).toMatchObject({
      input: 140,
      output: 5,
      cachedInput: 100,
      cacheWrite5m: 10,
      cacheWrite1h: 20,
    });
    expect(read(cached)).toMatchObject({ cacheWrite5m: 30, cacheWrite1h: 0 });
  });

  it("counts it within the input for OpenAI's models", () => {
    expect(read({ ...cached, inputTokens: 500 }, 'openai.gpt-oss-120b-1:0')).toMatchObject({ input: 500 });
  });

  it('is none when it tells nothing', () => {
    expect(read({})).toBeUndefined();
    expect(read({ inputTokens: 'x', outputTokens: NaN })).toBeUndefined();
  });
});

describe('a document of Converse', () => {
  const document = {
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Hm', signature: 'sig' } } },
          { reasoningContent: { redactedContent: 'cmVk' } },
          { text: 'Grüße' },
          { citationsContent: { content: [{ text: 'Rome' }], citations: [{ title: 'Guide' }] } },
          { toolUse: { toolUseId: 'one', name: 'weather', input: { city: 'Rome' } } },
        ],
      },
    },
    stopReason: 'tool_use',
    usage,
  };

  it('gives a whole sequence', () => {
    const events = parserFor().onDocument(document);
    expect(events.map(({ type }) => type)).toEqual([
      'start',
      ...['reasoning-start', 'reasoning-delta', 'reasoning-end'],
      ...['reasoning-start', 'reasoning-end'],
      ...['text-start', 'text-delta', 'text-end'],
      ...['text-start', 'text-delta', 'citation', 'text-end'],
      ...['tool-call-start', 'tool-call-delta', 'tool-call-end'],
      'finish',
      'usage',
      'end',
    ]);
    expect(events).toContainEqual({ type: 'tool-call-delta', ...at(4), arguments: '{"city":"Rome"}' });
  });

  it.each([
    [null],
    [[]],
    [{}],
    [{ message: 'no' }],
    [{ output: { message: { content: 'a' } }, stopReason: 'end_turn' }],
  ])('that is no answer is one failure: %j', (value) => {
    expect(parserFor().onDocument(value)).toMatchObject([{ type: 'error', error: { code: 'bad_answer' } }]);
  });
});
