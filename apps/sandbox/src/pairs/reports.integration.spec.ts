import { dialectNames } from '@tollgate/contracts';
import type { DialectName, GenerationSurface } from '@tollgate/contracts';
import { TranslatedCalls } from './translated-calls.fixture';

let calls: TranslatedCalls;
beforeAll(async () => {
  calls = await TranslatedCalls.start();
});
afterAll(() => calls.close());

type Json = Record<string, unknown>;

/** What the caller reads; what was refused is thrown, with what was sent. */
async function answered(surface: GenerationSurface, dialect: DialectName, body: Json): Promise<string> {
  const { attempt, answer, received, sent } = await calls.send(surface, { dialect }, body);
  if (answer.status !== 200) throw new Error(`${answer.status} ${Buffer.from(received).toString()} for ${sent}`);
  const reader = attempt.answerReader();
  return Buffer.concat([reader.push(received), reader.end()]).toString();
}

const user = { role: 'user', content: 'hello there' };
const called = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"what":"it"}' } }],
};
const result = { role: 'tool', tool_call_id: 'call_1', content: 'found' };

// https://github.com/FlowiseAI/Flowise/issues/2516 https://github.com/mastra-ai/mastra/issues/7231
// https://github.com/pydantic/pydantic-ai/issues/4495
describe.each(dialectNames)('a chat whose first message is not of the user, on a model of %s', (dialect) => {
  it.each<[string, Json[]]>([
    ['a greeting', [{ role: 'assistant', content: 'Hi, what can I do for you?' }, user]],
    [
      'a greeting behind instructions',
      [{ role: 'system', content: 'Be brief.' }, { ...user, role: 'assistant' }, user],
    ],
    ['the rest of a loop of tools', [called, result, user]],
    ['instructions alone', [{ role: 'system', content: 'Say hello.' }]],
  ])('is answered: %s', async (_, messages) => {
    const tools = [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object', properties: {} } } }];
    expect(await answered('openai-chat', dialect, { model: 'm', messages, tools })).toContain('"finish_reason":"stop"');
  });
});

const look = (properties: Json, more: Json = {}, strict?: boolean): Json => ({
  type: 'function',
  function: { name: 'look_up', strict, parameters: { type: 'object', properties, ...more } },
});

describe.each(dialectNames)('a chat with the tools of many servers, on a model of %s', (dialect) => {
  // https://github.com/anthropics/claude-code/issues/79418 https://github.com/n8n-io/n8n/issues/30590
  it.each([undefined, true])('has arguments of any name (strict: %s)', async (strict) => {
    const properties = { $top: { type: 'integer' }, 'filter[id]': { type: 'string' }, what: { type: 'string' } };
    const required = Object.keys(properties);
    const tools = [look(properties, { required, additionalProperties: false }, strict)];
    const body = { model: 'm', messages: [{ role: 'user', content: 'use look_up' }], tools };
    expect(await answered('openai-chat', dialect, body)).toContain('"name":"look_up"');
  });

  // https://github.com/DEEIX-AI/DEEIX-Chat/issues/546
  it('has schemas whose parts refer to each other', async () => {
    const tools = [look({ what: { type: 'object' }, more: { type: 'array', items: { $ref: '#/properties/what' } } })];
    expect(await answered('openai-chat', dialect, { model: 'm', messages: [user], tools })).toContain('hello there');
  });

  it('may name one of them twice', async () => {
    const tools = [look({ what: { type: 'string' } }), look({ what: { type: 'string' } })];
    expect(await answered('openai-chat', dialect, { model: 'm', messages: [user], tools })).toContain('hello there');
  });

  it('goes on behind arguments that were cut off', async () => {
    const cut = {
      ...called,
      tool_calls: [{ ...called.tool_calls[0], function: { name: 'look_up', arguments: '{"wh' } }],
    };
    const body = { model: 'm', messages: [user, cut, result, user], tools: [look({ what: { type: 'string' } })] };
    expect(await answered('openai-chat', dialect, body)).toContain('"finish_reason":"stop"');
  });
});

describe.each(dialectNames)('messages on a model of %s', (dialect) => {
  const ask = { model: 'm', max_tokens: 900, messages: [user] };

  // https://github.com/sgl-project/sglang/issues/20678
  it.each([20, 4_000])('begin with about the tokens of the input (%s times hello there)', async (times) => {
    const messages = [{ role: 'user', content: 'hello there '.repeat(times) }];
    const text = await answered('anthropic-messages', dialect, { ...ask, messages, stream: true });
    const [first = 0, last = 0] = [...text.matchAll(/"input_tokens":(\d+)/g)].map(([, tokens]) => Number(tokens));
    expect(last).toBeGreaterThan(4);
    expect(first / last).toBeGreaterThan(0.5);
    expect(first / last).toBeLessThan(3);
  });
});

// https://github.com/BerriAI/litellm/pull/36499
it('a PDF alone, as Claude Code sends one that it reads, goes to Bedrock with a text beside it', async () => {
  const source = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK' };
  const document = { type: 'document', source, cache_control: { type: 'ephemeral' } };
  const body = { model: 'm', max_tokens: 900, messages: [{ role: 'user', content: [document] }] };
  expect(await answered('anthropic-messages', 'bedrock-converse', body)).toContain('end_turn');
});

// OpenAI wants at least one: https://platform.openai.com/docs/api-reference/chat/create#chat_create-stop
it('an empty list of stop sequences, which Anthropic takes, is not said to OpenAI', async () => {
  const body = { model: 'm', max_tokens: 900, messages: [user], stop_sequences: [] };
  const place = { dialect: 'openai-chat', provider: 'openai', model: 'gpt-4.1' } as const;
  const { answer } = await calls.send('anthropic-messages', place, body);
  expect(answer.status).toBe(200);
});

// https://github.com/MoonshotAI/kimi-code/issues/2661 https://github.com/MoonshotAI/kimi-cli/issues/2061
// https://github.com/duolahypercho/codex-router/issues/641 https://github.com/anomalyco/opencode/issues/37496
it.each<[string, Json, Json]>([
  ['alternatives at the top', {}, { anyOf: [{ required: ['what'] }, { required: ['id'] }] }],
  ['alternatives beside a type', { id: { type: 'object', anyOf: [{ properties: { a: { enum: ['b'] } } }] } }, {}],
  ['an argument of any type', { id: { description: 'An id.' } }, {}],
  ['a described reference', { id: { $ref: '#/$defs/T', description: 'Mine.' } }, { $defs: { T: { type: 'string' } } }],
  ['definitions of an older draft', { id: { $ref: '#/definitions/T' } }, { definitions: { T: { type: 'string' } } }],
  ['a list of two', { id: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] } }, {}],
  ['arguments that may be null', {}, { type: ['object', 'null'] }],
  ['a demand that nobody describes', {}, { required: ['what', 'id'] }],
])('a tool of a server of MCP is called by Kimi: %s', async (_, properties, more) => {
  const tools = [look({ what: { type: 'string' }, ...properties }, more)];
  const body = { model: 'm', messages: [{ role: 'user', content: 'use look_up' }], tools };
  const quirks = { moonshotSchemas: '.' };
  const place = { dialect: 'openai-chat', provider: 'moonshot', model: 'kimi-k3', quirks } as const;
  const { attempt, answer, received, sent } = await calls.send('openai-chat', place, body);
  if (answer.status !== 200) throw new Error(`${Buffer.from(received).toString()} for ${sent}`);
  const reader = attempt.answerReader();
  const read = Buffer.concat([reader.push(received), reader.end()]).toString();
  expect(read).toContain('"name":"look_up"');
});

const says = (role: string, text: string): Json => ({ type: 'message', role, content: [{ type: 'input_text', text }] });
const called1 = (id: string): Json => ({
  type: 'function_call',
  call_id: id,
  name: 'look_up',
  arguments: '{"what":"it"}',
});
const found = (id: string): Json => ({ type: 'function_call_output', call_id: id, output: `found ${id}` });

// https://github.com/lidge-jun/opencodex/issues/1292 https://github.com/farion1231/cc-switch/pull/3047
describe.each(dialectNames)('a conversation of Codex, on a model of %s, goes on', (dialect) => {
  it.each<[string, Json[]]>([
    ['a note', [called1('a'), says('developer', 'A note.'), found('a')]],
    ['what the user adds', [called1('a'), called1('b'), found('a'), says('user', 'Hurry.'), found('b')]],
    ['a further call', [called1('a'), says('developer', 'A note.'), called1('b'), found('b'), found('a')]],
  ])('with %s between a call and its result', async (_, items) => {
    const parameters = { type: 'object', properties: { what: { type: 'string' } } };
    const tools = [{ type: 'function', name: 'look_up', parameters }];
    const body = { model: 'm', input: [says('user', 'hello'), ...items, says('user', 'And now?')], tools };
    expect(await answered('openai-responses', dialect, body)).toContain('"status":"completed"');
  });
});

// https://github.com/danny-avila/LibreChat/issues/16054 https://github.com/jwadow/kiro-gateway/pull/165
it.each(dialectNames)('a document of plain text is read by a model of %s, which may take no files', async (dialect) => {
  const source = { type: 'text', media_type: 'text/plain', data: 'The codeword is otter.' };
  const content = [
    { type: 'document', source, title: 'notes.txt' },
    { type: 'text', text: 'Which is it?' },
  ];
  const body = { model: 'm', max_tokens: 900, messages: [{ role: 'user', content }] };
  const model = dialect === 'openai-chat' ? 'deepseek-v4-pro' : undefined;
  const place = { dialect, takes: ['text' as const], ...(model !== undefined && { model }) };
  const { answer, sent } = await calls.send('anthropic-messages', place, body);
  expect([answer.status, sent]).toEqual([200, expect.stringContaining('The codeword is otter.')]);
});
