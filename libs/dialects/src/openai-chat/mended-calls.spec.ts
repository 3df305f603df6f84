import { PlainAnswerReader } from './plain-answer-reader';
import { ChatStreamReader } from './stream-reader';

type Json = Record<string, unknown>;

const event = (calls: Json[], choice = 0) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: choice, delta: { tool_calls: calls } }] })}\n\n`;
const ending =
  'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n';

/** The bytes that the caller of a stream gets. */
function passed(...events: Json[][]): string {
  const reader = new ChatStreamReader('Acme', false);
  const bytes = Buffer.from(events.map((calls) => event(calls)).join('') + ending);
  return Buffer.concat([reader.push(bytes), reader.end()]).toString();
}

/** Its fragments of calls. */
function fragments(...events: Json[][]): Json[] {
  const chunks = passed(...events)
    .split('\n\n')
    .filter((text) => text.startsWith('data: {'));
  return chunks.flatMap((text) => {
    const { choices } = JSON.parse(text.slice('data: '.length)) as { choices: { delta: { tool_calls?: Json[] } }[] };
    return choices.flatMap(({ delta }) => delta.tool_calls ?? []);
  });
}

/** As OpenAI's clients put them together: by their number. */
function assembled(...events: Json[][]): Json[] {
  const calls: Json[] = [];
  for (const { index, id, function: called } of fragments(...events)) {
    if (typeof index !== 'number') throw new Error('a fragment without a number');
    const { name = '', arguments: text = '' } = (called ?? {}) as { name?: string; arguments?: string };
    const call = (calls[index] ??= { id: '', name: '', arguments: '' });
    calls[index] = {
      id: `${String(call.id)}${id == null ? '' : JSON.stringify(id).replaceAll('"', '')}`,
      name: `${String(call.name)}${name}`,
      arguments: `${String(call.arguments)}${text}`,
    };
  }
  return calls;
}

const named = (name: string, text = '') => ({ function: { name, arguments: text } });
const more = (text: string) => ({ function: { arguments: text } });
const made = expect.stringMatching(/^call_[0-9a-f]{32}$/);

describe('calls of a stream that passes', () => {
  it('pass byte for byte where they are as clients know them', () => {
    const events = [
      [{ index: 0, id: 'call_a', type: 'function', ...named('read') }],
      [{ index: 0, ...more('{"a"') }],
      [{ index: 0, id: '', ...more(':1}') }],
      [{ index: 1, id: 'call_b', type: 'function', ...named('write', '{}') }],
      [{ index: 1, id: 'call_b', ...more(' ') }],
    ];
    expect(passed(...events)).toBe(events.map((calls) => event(calls)).join('') + ending);
  });

  it.each<[string, Json[][], Json[]]>([
    [
      'have ids that are texts where a provider tells numbers',
      [[{ index: 0, id: 7, type: 'function', ...named('read') }], [{ index: 0, id: 7, ...more('{}') }]],
      [{ id: '7', name: 'read', arguments: '{}' }],
    ],
    [
      'have ids where a provider tells none',
      [
        [{ index: 0, type: 'function', ...named('read') }],
        [{ index: 0, ...more('{"a":1}') }],
        [{ index: 1, id: null, ...named('write', '{}') }],
      ],
      [
        { id: made, name: 'read', arguments: '{"a":1}' },
        { id: made, name: 'write', arguments: '{}' },
      ],
    ],
    [
      'keep the first id where the provider’s own comes late',
      [[{ index: 0, ...named('read') }], [{ index: 0, id: 'late', ...more('{}') }]],
      [{ id: made, name: 'read', arguments: '{}' }],
    ],
    [
      'have numbers where a provider tells none',
      [
        [{ id: 'a', type: 'function', ...named('read') }],
        [more('{"a"')],
        [more(':1}')],
        [{ id: 'b', ...named('write', '{"b"') }],
        [more(':2')],
        [{ id: 'b', ...more('}') }],
      ],
      [
        { id: 'a', name: 'read', arguments: '{"a":1}' },
        { id: 'b', name: 'write', arguments: '{"b":2}' },
      ],
    ],
    [
      'have numbers by their place where they come together',
      [
        [
          { id: 'a', ...named('read', '{}') },
          { id: 'b', ...named('write', '{') },
        ],
        [more(''), more('}')],
      ],
      [
        { id: 'a', name: 'read', arguments: '{}' },
        { id: 'b', name: 'write', arguments: '{}' },
      ],
    ],
    [
      'are apart where a provider numbers all of them 0',
      [
        [{ index: 0, id: 'a', ...named('read') }],
        [{ index: 0, ...more('{}') }],
        [{ index: 0, id: 'b', ...named('write') }],
        [{ index: 0, ...more('{"b"') }],
        [{ index: 0, ...more(':2}') }],
      ],
      [
        { id: 'a', name: 'read', arguments: '{}' },
        { id: 'b', name: 'write', arguments: '{"b":2}' },
      ],
    ],
    [
      'are apart where they have no id either, and come whole',
      [[{ index: 0, ...named('read', '{"p":0}') }], [{ index: 0, ...named('write', '{"p":1}') }]],
      [
        { id: made, name: 'read', arguments: '{"p":0}' },
        { id: made, name: 'write', arguments: '{"p":1}' },
      ],
    ],
  ])('%s', (_, events, calls) => {
    expect(assembled(...events)).toEqual(calls);
  });

  it('keep what else stands in their chunk', () => {
    const [fragment] = fragments([{ id: 3, type: 'function', ...named('read', '{}'), extra_content: { google: 1 } }]);
    expect(fragment).toEqual({
      index: 0,
      id: '3',
      type: 'function',
      ...named('read', '{}'),
      extra_content: { google: 1 },
    });
  });
});

describe('calls of a whole answer', () => {
  const answer = (...ids: unknown[]) => ({
    id: 'c',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: ids.map((id) => ({ id, type: 'function', ...named('read', '{}') })),
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });

  function read(body: object, form: 'unchanged' | 'chunks' = 'unchanged'): string {
    const reader = new PlainAnswerReader('Acme', form);
    reader.push(Buffer.from(JSON.stringify(body)));
    return Buffer.from(reader.end()).toString();
  }

  it('pass byte for byte where all have ids', () => {
    expect(read(answer('a', 'b'))).toBe(JSON.stringify(answer('a', 'b')));
  });

  it('have ids that are texts, also where a stream was asked for', () => {
    expect(JSON.parse(read(answer('a', 7, undefined)))).toEqual(answer('a', '7', made));
    expect(read(answer(7), 'chunks')).toContain('"id":"7"');
  });
});
