import type { SurfaceName } from '@tollgate/contracts';
import { surfaces } from '../surface';
import type { GatheredAnswer } from '../surface-dialect';

const gathered = (name: SurfaceName, maxBytes = 100_000): GatheredAnswer => {
  const surface = surfaces.find((one) => one.name === name);
  if (!surface) throw new Error(`there is no surface ${name}`);
  return surface.gatheredStream(maxBytes);
};
const named = (events: object[]) =>
  events
    .map((event) => `event: ${'type' in event ? String(event.type) : ''}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
const chunks = (events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

const chunk = (delta: object, more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  usage: null,
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const call = (index: number, part: object) => ({ tool_calls: [{ index, ...part }] });
const chatEvents = [
  chunk({ role: 'assistant', content: '', reasoning_content: 'I ' }),
  chunk({ reasoning_content: 'think' }),
  chunk({ content: 'Write to ada@' }),
  chunk({ content: 'example.com é' }),
  chunk({ content: null, ...call(0, { id: 'c1', type: 'function', function: { name: 'f', arguments: '' } }) }),
  chunk(call(0, { function: { arguments: '{"a":' } })),
  chunk(call(1, { id: 'c2', type: 'function', function: { name: 'g', arguments: '{}' } })),
  chunk(call(0, { function: { arguments: '1}' } })),
  chunk({}, { finish_reason: 'tool_calls' }),
  { ...chunk({}), choices: [], usage: { total_tokens: 3 } },
];
const chatAnswer = {
  object: 'chat.completion',
  id: 'chatcmpl-1',
  created: 1,
  model: 'm',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Write to ada@example.com é',
        reasoning_content: 'I think',
        tool_calls: [
          { index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
          { index: 1, id: 'c2', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
      },
      finish_reason: 'tool_calls',
    },
  ],
  usage: { total_tokens: 3 },
};

const block = (index: number, content_block: object, deltas: object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const messageEvents = [
  {
    type: 'message_start',
    message: { id: 'msg_1', role: 'assistant', content: [], stop_reason: null, usage: { input_tokens: 4 } },
  },
  { type: 'ping' },
  ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
    { type: 'thinking_delta', thinking: 'I ' },
    { type: 'thinking_delta', thinking: 'think' },
    { type: 'signature_delta', signature: 'seal' },
  ]),
  ...block(1, { type: 'text', text: '', citations: null }, [
    { type: 'text_delta', text: 'Write to ada@' },
    { type: 'text_delta', text: 'example.com é' },
    { type: 'citations_delta', citation: { url: 'https://a.example' } },
  ]),
  ...block(2, { type: 'tool_use', id: 't1', name: 'f', input: {} }, [
    { type: 'input_json_delta', partial_json: '' },
    { type: 'input_json_delta', partial_json: '{"a":' },
    { type: 'input_json_delta', partial_json: '1}' },
  ]),
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
];
const messageAnswer = {
  id: 'msg_1',
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'I think', signature: 'seal' },
    { type: 'text', text: 'Write to ada@example.com é', citations: [{ url: 'https://a.example' }] },
    { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
  ],
  stop_reason: 'tool_use',
  usage: { input_tokens: 4, output_tokens: 7 },
};

const text = (parts: string) => ({ type: 'message', id: 'i1', content: [{ type: 'output_text', text: parts }] });
const open = { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } };
const added = { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i1', content: [] } };
const delta = (part: string) => ({ type: 'response.output_text.delta', output_index: 0, delta: part });
const responseAnswer = {
  id: 'resp_1',
  status: 'completed',
  output: [text('Write to ada@example.com é')],
  usage: { total_tokens: 3 },
};
const responseEvents = [
  open,
  added,
  delta('Write to ada@'),
  delta('example.com é'),
  { type: 'response.output_item.done', output_index: 0, item: text('Write to ada@example.com é') },
  { type: 'response.completed', response: responseAnswer },
];

const streams: [SurfaceName, string, object][] = [
  ['openai-chat', `${chunks(chatEvents)}: keep-alive\n\ndata: [DONE]\n\n`, chatAnswer],
  ['anthropic-messages', named(messageEvents), messageAnswer],
  ['openai-responses', named(responseEvents), responseAnswer],
];

it.each(streams)('a stream of %s comes to its answer, wherever its bytes are cut', (name, stream, answer) => {
  const bytes = Buffer.from(stream);
  for (const size of [1, 7, 64, bytes.length]) {
    const gathering = gathered(name);
    for (let at = 0; at < bytes.length; at += size) gathering.push(bytes.subarray(at, at + size));
    expect(gathering.answer()).toEqual(answer);
    expect(gathering.isTruncated).toBe(false);
  }
});

describe('a stream that was cut off', () => {
  const cut = (name: SurfaceName, stream: string) => {
    const gathering = gathered(name);
    gathering.push(Buffer.from(stream));
    return gathering.answer();
  };

  it('of chat completions tells what came', () => {
    expect(cut('openai-chat', chunks(chatEvents.slice(0, 6)))).toMatchObject({
      choices: [
        {
          finish_reason: null,
          message: { content: 'Write to ada@example.com é', tool_calls: [{ function: { arguments: '{"a":' } }] },
        },
      ],
    });
  });

  it('of messages tells what came, and input that is no JSON yet as text', () => {
    const until = messageEvents.findIndex((event) => JSON.stringify(event).includes('partial_json')) + 2;
    const answer = cut('anthropic-messages', named(messageEvents.slice(0, until)));
    expect(answer).toMatchObject({ content: [{}, {}, { name: 'f', input: '{"a":' }], stop_reason: null });
  });

  it('of responses tells the items that came, and what came of the last', () => {
    expect(cut('openai-responses', named([open, added, delta('Write to '), delta('ada')]))).toMatchObject({
      id: 'resp_1',
      output: [{ id: 'i1', partial: 'Write to ada' }],
    });
    expect(cut('openai-responses', named([open, { type: 'error', message: 'broke' }]))).toMatchObject({
      error: { message: 'broke' },
    });
  });

  it.each(streams)('before anything came tells nothing, at %s', (name) => {
    expect(gathered(name).answer()).toBeNull();
  });
});

it('reads no more than it was told', () => {
  const gathering = gathered('openai-chat', 2_000);
  for (let count = 0; count < 100; count++) gathering.push(Buffer.from(chunks([chunk({ content: 'x' })])));
  expect(gathering.isTruncated).toBe(true);
  const { choices } = gathering.answer() as { choices: { message: { content: string } }[] };
  expect(choices[0]?.message.content.length).toBeLessThan(20);
});

it('is not confused by what no provider should send', () => {
  const gathering = gathered('openai-chat');
  const odd = [
    '{"choices":[{"index":0,"delta":{"__proto__":{"a":1},"tool_calls":[{"index":4000000000,"id":"c"}]}}]}',
    '[1]',
    'no JSON',
    '{"choices":"none"}',
    '{"choices":[null,{"delta":null}]}',
  ];
  gathering.push(Buffer.from(odd.map((data) => `data: ${data}\n\n`).join('')));
  const { choices } = gathering.answer() as { choices: { message: object }[] };
  expect(choices[0]?.message).toEqual({ tool_calls: [{ index: 4_000_000_000, id: 'c' }] });
  expect(({} as { a?: number }).a).toBeUndefined();
});
