import { AnswerEvents } from '../canonical/answer-events';
import type { AnswerBlock, CanonicalAnswer } from '../canonical/answer';
import { AnswerCollector } from '../canonical/collect-answer';
import type { GenerationEvent } from '../canonical/generation-event';
import { ChatAnswerParser } from './answer-parser';
import { openaiChatSurfaceCodec } from './surface-codec';
import { targetWith } from './target.fixture';

const request = { surface: 'openai-chat', stream: true, messages: [], unread: [] } as const;

function parser(): ChatAnswerParser {
  const context = { request: { ...request, messages: [], unread: [] }, target: targetWith(true), newId: () => 'new' };
  return new ChatAnswerParser(context);
}

function eventsOf(chunks: unknown[]): GenerationEvent[] {
  const events = new AnswerEvents(parser(), 'Acme');
  return [
    ...chunks.flatMap((chunk) => events.event('', typeof chunk === 'string' ? chunk : JSON.stringify(chunk))),
    ...events.close(),
  ];
}

function collected(events: readonly GenerationEvent[]): CanonicalAnswer {
  const collector = new AnswerCollector();
  for (const event of events) collector.add(event);
  return collector.answer();
}

const delta = (...deltas: object[]) => ({ choices: deltas.map((each, index) => ({ index, delta: each })) });
const finish = (reason: string, index = 0) => ({ choices: [{ index, delta: {}, finish_reason: reason }] });

function blocksOf(...chunks: object[]): AnswerBlock[] {
  return collected(eventsOf([...chunks, finish('stop'), '[DONE]'])).choices[0]?.blocks ?? [];
}

const text = (value: string): AnswerBlock => ({ type: 'text', text: value, citations: [] });
const call = (id: string, name: string, args: string): AnswerBlock => ({
  type: 'tool-call',
  id,
  name,
  arguments: args,
});
const fragment = (members: object) => delta({ tool_calls: [members] });

describe('a stream of chat completions', () => {
  it('keeps reasoning, text, refusal and calls apart and in order', () => {
    expect(
      blocksOf(
        delta({ role: 'assistant', content: '' }),
        delta({ reasoning_content: 'h' }),
        delta({ reasoning_content: 'm', content: null }),
        delta({ content: 'a' }),
        delta({ content: 'b' }),
        delta({ refusal: 'no' }),
        fragment({ index: 0, id: 'c', function: { name: 'f', arguments: '{' } }),
        fragment({ index: 0, function: { arguments: '}' } }),
      ),
    ).toEqual([{ type: 'reasoning', text: 'hm' }, text('ab'), { type: 'refusal', text: 'no' }, call('c', 'f', '{}')]);
  });

  it.each([
    [
      'interleaved by index',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } },
        { index: 1, id: 'b', function: { name: 'g', arguments: '{' } },
        { index: 0, function: { arguments: ':1}' } },
        { index: 1, function: { arguments: '}' } },
      ],
    ],
    [
      'whole and all numbered 0',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } },
        { index: 0, id: 'b', function: { name: 'g', arguments: '{}' } },
      ],
    ],
    [
      'without numbers',
      [
        { id: 'a', function: { name: 'f', arguments: '{"x":1}' } },
        { id: 'b', function: { name: 'g', arguments: '{}' } },
      ],
    ],
    [
      'with name and id in every fragment',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } },
        { index: 0, id: 'a', function: { name: 'f', arguments: ':1}' } },
        { index: 1, id: 'b', function: { name: 'g', arguments: '{}' } },
      ],
    ],
    [
      'with arguments as objects',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } },
        { index: 1, id: 'b', function: { name: 'g', arguments: {} } },
      ],
    ],
    [
      'with arguments before the name',
      [
        { index: 0, id: 'a', function: { arguments: '{"x":1}' } },
        { index: 0, function: { name: 'f' } },
        { index: 1, id: 'b', function: { name: 'g', arguments: '{}' } },
      ],
    ],
  ])('reads two calls that come %s', (_, fragments) => {
    expect(blocksOf(...fragments.map(fragment))).toEqual([call('a', 'f', '{"x":1}'), call('b', 'g', '{}')]);
  });

  it('reads two calls that a server numbers 0 without ids', () => {
    const fragments = [
      { index: 0, function: { name: 'f', arguments: '{"x":1}' } },
      { index: 0, function: { name: 'g', arguments: '{}' } },
    ];
    expect(blocksOf(...fragments.map(fragment))).toMatchObject([
      { name: 'f', arguments: '{"x":1}' },
      { name: 'g', arguments: '{}' },
    ]);
  });

  it('makes an id for a call that has none, and tells that the model called tools although the reason was stop', () => {
    const answer = collected(eventsOf([fragment({ function: { name: 'f', arguments: '{}' } }), finish('stop')]));
    expect(answer.choices).toEqual([
      { blocks: [call('call_new', 'f', '{}')], finish: 'tool-calls', rawFinish: 'stop' },
    ]);
  });

  it('reads the older function_call', () => {
    const parts = [{ name: 'f', arguments: '' }, { arguments: '{}' }];
    expect(blocksOf(...parts.map((part) => delta({ function_call: part })))).toEqual([call('call_new', 'f', '{}')]);
  });

  it('reads content in parts with thinking inside, as Mistral sends it', () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };
    expect(blocksOf(delta({ content: [thinking] }), delta({ content: [{ type: 'text', text: 'a' }] }))).toEqual([
      { type: 'reasoning', text: 'hm' },
      text('a'),
    ]);
  });

  it('keeps what seals reasoning whole, as OpenRouter sends it beside the text', () => {
    const sealed = { type: 'reasoning.text', text: '', signature: 'sig', format: 'x', index: 0 };
    const [block] = blocksOf(
      delta({ reasoning: 'hm' }),
      delta({ reasoning_details: [sealed] }),
      delta({ content: 'a' }),
    );
    expect(block).toEqual({
      type: 'reasoning',
      text: 'hm',
      seal: { dialect: 'openai-chat', kind: 'signature', value: JSON.stringify(sealed) },
    });
  });

  it('takes an empty signature for none', () => {
    const piece = (said: string) => ({ type: 'reasoning.text', text: said, signature: '', index: 0 });
    const pieces = ['h', 'm'].map((said) => delta({ reasoning: said, reasoning_details: [piece(said)] }));
    expect(blocksOf(...pieces, delta({ content: 'a' }))).toEqual([{ type: 'reasoning', text: 'hm' }, text('a')]);
  });

  it('keeps choices apart', () => {
    const answer = collected(
      eventsOf([delta({ content: 'a' }, { content: 'b' }), finish('stop', 1), finish('length')]),
    );
    expect(answer.choices).toEqual([
      { blocks: [text('a')], finish: 'length', rawFinish: 'length' },
      { blocks: [text('b')], finish: 'stop', rawFinish: 'stop' },
    ]);
  });

  it.each([
    ['in a chunk of its own', [finish('stop'), { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }]],
    ['with the finish', [{ ...finish('stop'), usage: { prompt_tokens: 3, completion_tokens: 2 } }]],
    ['inside x_groq', [{ ...finish('stop'), x_groq: { usage: { prompt_tokens: 3, completion_tokens: 2 } } }]],
  ])('finds usage %s', (_, chunks) => {
    expect(collected(eventsOf([delta({ content: 'a' }), ...chunks, '[DONE]'])).usage).toMatchObject({
      input: 3,
      output: 2,
    });
  });

  it.each([
    ['an error object', { error: { message: 'busy', type: 'server_error' } }],
    ['an error inside a choice', { choices: [{ index: 0, delta: {}, error: { message: 'busy', code: 502 } }] }],
    ['an error of vLLM', { object: 'error', message: 'busy', code: 500 }],
    ['a finish that is a failure', finish('insufficient_system_resource')],
  ])('fails with %s', (_, chunk) => {
    expect(eventsOf([delta({ content: 'a' }), chunk, finish('stop'), '[DONE]']).at(-1)).toMatchObject({
      type: 'error',
      error: { fault: 'retryable' },
    });
  });

  it('ends after its finish although [DONE] is missing, and not before', () => {
    expect(eventsOf([delta({ content: 'a' }), finish('stop')]).at(-1)).toEqual({ type: 'end' });
    expect(eventsOf([delta({ content: 'a' }), '[DONE]']).at(-1)).toMatchObject({
      error: { code: 'unfinished_answer' },
    });
    const one = eventsOf([delta({ content: 'a' }, { content: 'b' }), finish('stop'), '[DONE]']);
    expect(one.at(-1)).toEqual({ type: 'end' });
  });
});

describe('a whole chat completion', () => {
  const document = {
    id: 'x',
    created: 5,
    model: 'm',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'a',
          reasoning_content: 'hm',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '' } }],
        },
        logprobs: { content: [{ token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [] }] },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  };

  it('is the same answer whether it is read whole or as the stream that we write of it', () => {
    const context = {
      request: { ...request, messages: [], unread: [] },
      body: {},
      model: 'm',
      includeUsage: true,
      newId: () => 'new',
      nowS: 5,
    };
    const whole = new AnswerEvents(parser(), 'Acme').document(JSON.stringify(document));
    const writer = openaiChatSurfaceCodec.streamWriter(context);
    const stream = whole.map((event) => writer.write(event)).join('');
    const chunks = stream
      .split('\n\n')
      .filter((line) => line !== '')
      .map((line) => line.slice('data: '.length));
    const again = collected(eventsOf(chunks));
    // An empty call has an empty object in this dialect.
    const expected = collected(whole);
    for (const block of expected.choices[0]?.blocks ?? []) if (block.type === 'tool-call') block.arguments ||= '{}';
    expect({ ...again, id: 'x' }).toEqual(expected);
    const written = openaiChatSurfaceCodec.toResponse(again, context);
    expect(written).toMatchObject({
      object: 'chat.completion',
      choices: [
        {
          message: {
            content: 'a',
            reasoning_content: 'hm',
            tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }],
          },
          logprobs: { content: [{ token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [] }] },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    });
  });

  it('fails when it holds no choices', () => {
    expect(new AnswerEvents(parser(), 'Acme').document('{"choices":[]}').at(-1)).toMatchObject({
      error: { code: 'malformed_answer' },
    });
  });
});

it('has the log probabilities of all its tokens in one list, which grows', () => {
  const collector = new AnswerCollector();
  const lists = new Set<unknown>();
  const token = (content: string) => ({ token: content, logprob: -0.5, bytes: null, top_logprobs: [] });
  const chunks = ['a', 'b', 'c'].map((content) => ({
    choices: [{ index: 0, delta: { content }, logprobs: { content: [token(content)] } }],
  }));
  for (const event of eventsOf([...chunks, finish('stop'), '[DONE]'])) {
    collector.add(event);
    const block = collector.answer().choices[0]?.blocks[0];
    if (block?.type === 'text' && block.logprobs) lists.add(block.logprobs);
  }
  expect([...lists]).toEqual([['a', 'b', 'c'].map((each) => expect.objectContaining({ token: each }) as unknown)]);
});
