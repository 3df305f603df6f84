import Anthropic from '@anthropic-ai/sdk';
import { RunningSandbox } from '../testing/running-sandbox.fixture';

let sandbox: RunningSandbox;
let client: Anthropic;
beforeAll(async () => {
  sandbox = await RunningSandbox.start();
  client = sandbox.anthropic();
});
afterAll(() => sandbox.close());

type Body = Anthropic.MessageCreateParamsNonStreaming;

const ask = (content: string, extra: Partial<Body> = {}): Body => ({
  model: 'claude-sonnet-4-6',
  max_tokens: 4_000,
  messages: [{ role: 'user', content }],
  ...extra,
});

const tools: Anthropic.Tool[] = ['look_up', 'add'].map((name) => ({
  name,
  input_schema: { type: 'object', properties: { what: { type: 'string' } } },
}));
const thinking = { type: 'enabled' as const, budget_tokens: 1_024 };

describe('answers that the official client reads', () => {
  it('says the same with and without a stream, and counts alike', async () => {
    const plain = await client.messages.create(ask('hello there'));
    const streamed = await client.messages.stream(ask('hello there')).finalMessage();
    expect(streamed.content).toEqual(plain.content);
    expect(streamed.usage).toEqual(plain.usage);
    expect(plain).toMatchObject({ stop_reason: 'end_turn', stop_sequence: null });
    const counted = await client.messages.countTokens({
      model: 'claude-sonnet-4-6',
      messages: ask('hello there').messages,
    });
    expect(counted.input_tokens).toBe(plain.usage.input_tokens);
  });

  it.each(['', ' redact=1'])(
    'goes through a loop of tools with sealed thoughts and arguments in bits%s',
    async (controls) => {
      const body = ask(`[[sandbox: unicode=1 bits=1${controls}]] use look_up and add`, { tools, thinking });
      const called = await client.messages.stream(body).finalMessage();
      const kinds = called.content.map(({ type }) => type);
      expect(kinds).toEqual([controls === '' ? 'thinking' : 'redacted_thinking', 'tool_use', 'tool_use']);
      const plain = await client.messages.create(body);
      expect(called.content).toEqual(plain.content);
      const told = [called, plain].map(({ usage }) => usage.output_tokens_details?.thinking_tokens ?? 0);
      expect(Math.min(...told)).toBeGreaterThan(0);
      expect(Math.max(...told)).toBeLessThan(plain.usage.output_tokens);
      expect(called.stop_reason).toBe('tool_use');
      const results = called.content.flatMap((block) =>
        block.type === 'tool_use'
          ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: `${block.name}!` }]
          : [],
      );
      const last = await client.messages.create({
        ...body,
        messages: [
          ...body.messages,
          { role: 'assistant', content: called.content },
          { role: 'user', content: results },
        ],
      });
      expect(last.content.at(-1)).toMatchObject({ type: 'text', text: 'The tools said: look_up! and add!' });
    },
  );

  it('follows a schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    const answer = await client.messages.create(
      ask('where', { output_config: { format: { type: 'json_schema', schema } } }),
    );
    expect(answer.content).toMatchObject([{ type: 'text', text: '{"city":"example"}' }]);
  });

  it('stops at limits and sequences, and refuses', async () => {
    expect(await client.messages.create(ask('hi', { max_tokens: 5 }))).toMatchObject({
      stop_reason: 'max_tokens',
      usage: { output_tokens: 5 },
    });
    const stopped = await client.messages.create(ask('one two three', { stop_sequences: [' two'] }));
    expect(stopped).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: ' two',
      content: [{ text: 'The sandbox heard one' }],
    });
    const refused = await client.messages.stream(ask('[[sandbox: finish=refusal]]')).finalMessage();
    expect(refused.stop_reason).toBe('refusal');
  });

  it('keeps marked beginnings in a cache, and gives them the next time', async () => {
    const system = [
      { type: 'text' as const, text: 'Be brief. '.repeat(40), cache_control: { type: 'ephemeral' as const } },
    ];
    const first = await client.messages.create(ask('one', { system }));
    const second = await client.messages.create(ask('two', { system }));
    expect(first.usage.cache_creation_input_tokens).toBeGreaterThan(50);
    expect(first.usage.cache_read_input_tokens).toBe(0);
    expect(second.usage.cache_read_input_tokens).toBe(first.usage.cache_creation_input_tokens);
  });

  it('cites the documents that it may cite', async () => {
    const document: Anthropic.DocumentBlockParam = {
      type: 'document',
      title: 'Rivers',
      source: { type: 'text', media_type: 'text/plain', data: 'Rivers flow.' },
      citations: { enabled: true },
    };
    const message: Anthropic.MessageParam = { role: 'user', content: [document, { type: 'text', text: 'flow?' }] };
    const answer = await client.messages.stream(ask('', { messages: [message] })).finalMessage();
    expect(answer.content).toMatchObject([
      { citations: [{ type: 'char_location', cited_text: 'Rivers flow.', document_title: 'Rivers' }] },
    ]);
  });
});

describe('errors that the official client knows', () => {
  it('are of its classes', async () => {
    await expect(client.messages.create(ask('[[sandbox: fault=429]]'))).rejects.toThrow(Anthropic.RateLimitError);
    await expect(client.messages.create(ask('[[sandbox: fault=401]]'))).rejects.toThrow(Anthropic.AuthenticationError);
    await expect(client.messages.create(ask('[[sandbox: fault=overloaded]]'))).rejects.toThrow('overloaded_error');
    await expect(client.messages.create(ask('[[sandbox: fault=context]]'))).rejects.toThrow('prompt is too long');
  });

  it('come in the middle of a stream', async () => {
    const stream = client.messages.stream(ask('[[sandbox: fault=error_mid]]'));
    await expect(stream.finalMessage()).rejects.toThrow('overloaded_error');
  });
});

const call = { type: 'tool_use', id: 'toolu_1', name: 'add', input: {} };
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' };
const say = (role: string, ...content: object[]) => ({ role, content });
const hello = say('user', { type: 'text', text: 'x' });

describe('requests that Anthropic refuses', () => {
  it.each<[string, object, string]>([
    ['no limit', { max_tokens: undefined }, 'max_tokens: Field required'],
    ['too hot', { temperature: 1.5 }, 'temperature'],
    ['two samplings', { temperature: 0.5, top_p: 0.5 }, 'cannot both be specified'],
    ['an unknown role', { messages: [say('developer', { type: 'text', text: 'x' })] }, 'role'],
    ['an assistant first', { messages: [say('assistant', { type: 'text', text: 'x' })] }, 'first message'],
    ['blank text', { messages: [say('user', { type: 'text', text: '' })] }, 'non-empty'],
    ['a part of OpenAI', { messages: [say('user', { type: 'image_url', image_url: {} })] }, 'image_url'],
    ['an unknown member of a block', { messages: [say('user', { type: 'text', text: 'x', id: 1 })] }, 'Extra inputs'],
    ['a result without a call', { messages: [say('user', result)] }, 'unexpected `tool_use_id`'],
    ['a call without a result', { messages: [hello, say('assistant', call), hello], tools }, 'without `tool_result`'],
    [
      'text before a result',
      { messages: [hello, say('assistant', call), say('user', { type: 'text', text: 'x' }, result)], tools },
      'immediately after',
    ],
    [
      'a strange id',
      { messages: [hello, say('assistant', { ...call, id: 'a.b' }), say('user', result)], tools },
      'pattern',
    ],
    [
      'changed thoughts',
      {
        messages: [
          hello,
          say('assistant', { type: 'thinking', thinking: 'x', signature: 'y' }, call),
          say('user', result),
        ],
        tools,
      },
      'signature',
    ],
    [
      'forgotten thoughts',
      { thinking, messages: [hello, say('assistant', call), say('user', result)], tools },
      'Expected `thinking`',
    ],
    ['thoughts beyond the limit', { thinking, max_tokens: 1_000 }, 'max_tokens'],
    ['a forced tool and thoughts', { thinking, tools, tool_choice: { type: 'any' } }, 'forces tool use'],
    ['a choice without tools', { tool_choice: { type: 'auto' } }, 'while providing tools'],
    ['a tool of OpenAI', { tools: [{ type: 'function', function: { name: 'x' } }, { name: 'y' }] }, 'input_schema'],
    [
      'an open schema',
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      'additionalProperties',
    ],
    ['blank stops', { stop_sequences: ['\n'] }, 'non-whitespace'],
    [
      'five marks',
      { system: Array.from({ length: 5 }, () => ({ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } })) },
      'maximum of 4',
    ],
    ['too much', { model: 'claude-opus-4-5', max_tokens: 64_001 }, 'max_tokens: 64001 > 64000, which is the maximum'],
    ['too much of a new model', { model: 'claude-opus-5-5', max_tokens: 128_001 }, '128001 > 128000'],
    ['a long name of the user', { metadata: { user_id: 'u'.repeat(257) } }, 'at most 256 characters'],
    ['a tier of OpenAI', { service_tier: 'flex' }, "'auto' or 'standard_only'"],
    ['other metadata', { metadata: { trace: 'x' } }, 'metadata.trace'],
    ['sampling of a model that has none', { model: 'claude-opus-5', temperature: 1 }, '`temperature` is deprecated'],
    [
      'force on a model that chooses its tools itself',
      { model: 'claude-sonnet-5-5', tools, tool_choice: { type: 'any' } },
      'not supported for this model',
    ],
    [
      'a forced tool and adaptive thoughts of a model that has not learned it',
      { model: 'claude-opus-4-7', thinking: { type: 'adaptive' }, tools, tool_choice: { type: 'any' } },
      'forces tool use',
    ],
    ['a budget that is not known any more', { model: 'claude-opus-5', thinking }, 'thinking.type.enabled'],
    [
      'no thoughts at a model that always has some',
      { model: 'claude-opus-5-5', thinking: { type: 'disabled' } },
      'thinking.type.disabled',
    ],
    ['adaptive thoughts of an old model', { model: 'claude-haiku-4-5', thinking: { type: 'adaptive' } }, 'adaptive'],
    [
      'thoughts that are off at a great effort',
      { model: 'claude-opus-5', thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
      'not supported with effort',
    ],
    ['an answer begun', { messages: [hello, say('assistant', { type: 'text', text: 'so' })] }, 'prefill'],
  ])('%s', async (_what, extra, words) => {
    const answer = await sandbox.post('/anthropic-messages/messages', { ...ask('x'), ...extra });
    const told = (await answer.json()) as object;
    expect([answer.status, told]).toMatchObject([400, { type: 'error', error: { type: 'invalid_request_error' } }]);
    expect(JSON.stringify(told)).toContain(words);
  });
});

it.each(['claude-opus-4-8', 'claude-sonnet-5', 'claude-fable-5'])(
  '%s thinks where it must call a tool',
  async (model) => {
    const forced = { model, thinking: { type: 'adaptive' }, tools, tool_choice: { type: 'any' } };
    expect((await sandbox.post('/anthropic-messages/messages', { ...ask('x'), ...forced })).status).toBe(200);
  },
);

it('is addressed as at Vertex AI, too', async () => {
  const { model, ...rest } = ask('hello');
  const body = { ...rest, anthropic_version: 'vertex-2023-10-16' };
  const streamed = await sandbox.post(`/anthropic-messages/${model}:streamRawPredict`, body);
  expect(await streamed.text()).toContain('event: message_stop');
  const plain = await sandbox.post(`/anthropic-messages/${model}:rawPredict`, { ...body, model });
  expect(plain.status).toBe(400);
});

it('refuses betas at Vertex AI that Anthropic passes over', async () => {
  const { model, ...rest } = ask('hello');
  const old = { 'anthropic-beta': 'claude-code-20250219,effort-2025-11-24, prompt-caching-scope-2026-01-05' };
  expect((await sandbox.post('/anthropic-messages/messages', { model, ...rest }, old)).status).toBe(200);
  const body = { ...rest, anthropic_version: 'vertex-2023-10-16' };
  const answer = await sandbox.post(`/anthropic-messages/${model}:rawPredict`, body, old);
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining('`effort-2025-11-24`, `prompt-caching-scope-2026-01-05` for the `anthropic-beta` header'),
  ]);
});

const newest = { 'anthropic-version': '2026-10-21' };
const aDocument = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } };

describe('the version 2026-10-21', () => {
  it.each<[string, object]>([
    ['temperature: Extra inputs', { temperature: 1 }],
    ['top_k: Extra inputs', { top_k: 5 }],
    ['citations: Extra inputs', { messages: [say('user', { type: 'text', text: 'x', citations: [{}] })] }],
    ['not permitted in assistant messages', { messages: [hello, say('assistant', aDocument), hello] }],
  ])('refuses %s', async (words, extra) => {
    const body = { ...ask('x'), ...extra };
    const answer = await sandbox.post('/anthropic-messages/messages', body, newest);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(words)]);
    expect((await sandbox.post('/anthropic-messages/messages', body)).status).toBe(200);
  });
});

describe('thoughts that are bound to their conversation', () => {
  const body = ask('hello', { model: 'claude-opus-5-5', thinking: { type: 'adaptive' }, system: 'Be brief.' });
  const next = async (changes: object, headers: Record<string, string> = {}) => {
    const { content } = await client.messages.create(body);
    const messages = [...body.messages, { role: 'assistant', content }, hello];
    return sandbox.post('/anthropic-messages/messages', { ...body, messages, ...changes }, headers);
  };

  it('come back behind the same words', async () => {
    expect((await next({})).status).toBe(200);
    const changed = await next({ system: 'Be long.' });
    expect([changed.status, await changed.text()]).toEqual([400, expect.stringContaining('a different conversation')]);
  });

  it('do not mind how the input of a tool is streamed, but what the tool takes', async () => {
    const add = { name: 'add', input_schema: { type: 'object' as const, properties: { a: { type: 'number' } } } };
    const { content } = await client.messages.create({ ...body, tools: [{ ...add, eager_input_streaming: true }] });
    const messages = [...body.messages, { role: 'assistant', content }, hello];
    const status = async (tool: object) =>
      (await sandbox.post('/anthropic-messages/messages', { ...body, messages, tools: [tool] })).status;
    expect(await status(add)).toBe(200);
    expect(await status({ ...add, input_schema: { type: 'object' } })).toBe(400);
  });

  it('do not mind where a cache breakpoint stands, nor whether a text stands in a block', async () => {
    const cache_control = { type: 'ephemeral' };
    const system = [{ type: 'text', text: 'Be brief.', cache_control }];
    const { content } = await client.messages.create(body);
    const first = { role: 'user', content: [{ type: 'text', text: 'hello' }] };
    expect((await next({ system })).status).toBe(200);
    expect((await next({ messages: [first, { role: 'assistant', content }, hello] })).status).toBe(200);
  });

  it('may be left out from the first one on, and none between others', async () => {
    const said = (content: Anthropic.ContentBlock[]): Anthropic.MessageParam[] => [
      { role: 'assistant', content },
      { role: 'user', content: 'x' },
    ];
    const bare = (content: Anthropic.ContentBlock[]) => content.filter(({ type }) => type !== 'thinking');
    const answerTo = async (messages: Anthropic.MessageParam[]) =>
      (await client.messages.create({ ...body, messages })).content;
    const one = await answerTo(body.messages);
    const two = await answerTo([...body.messages, ...said(one)]);
    const three = await answerTo([...body.messages, ...said(one), ...said(two)]);
    const trimmed = [...body.messages, ...said(bare(one)), ...said(two), ...said(three)];
    expect((await next({ messages: trimmed })).status).toBe(200);
    const torn = [...body.messages, ...said(one), ...said(bare(two)), ...said(three)];
    expect((await next({ messages: torn })).status).toBe(400);
  });

  it('are dropped where the caller wants it so', async () => {
    const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };
    const beta = { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' };
    expect((await next({ system: 'Be long.', thinking }, beta)).status).toBe(200);
    expect((await next({ thinking })).status).toBe(400);
  });
});

it.each(['claude-sonnet-5-5', 'claude-haiku-5-5'])('thoughts of %s stay with the account', async (model) => {
  const body = ask('hello', { model, thinking: { type: 'adaptive' } });
  const askAs = async (account: string, messages: object[]) => {
    const sent = { ...body, messages };
    const answer = await sandbox.post('/anthropic-messages/messages', sent, { 'x-api-key': account });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Anthropic.Message;
  };
  const { content } = await askAs('one', body.messages);
  const goneOn = [...body.messages, { role: 'assistant', content }, hello];
  const own = await askAs('one', goneOn);
  const foreign = await askAs('two', goneOn);
  const bare = content.filter(({ type }) => type !== 'thinking');
  const without = await askAs('two', [...body.messages, { role: 'assistant', content: bare }, hello]);
  expect(foreign.usage.input_tokens).toBeLessThan(own.usage.input_tokens);
  expect(foreign.usage.input_tokens).toBe(without.usage.input_tokens);
});

describe('a system message that changes the effort', () => {
  const body = ask('hello', { model: 'claude-sonnet-5-5' });
  const quiet = { role: 'system', content: [], output_config: { effort: 'low' } };
  const post = (extra: object, beta = 'mid-conversation-output-config-2026-07-01') =>
    sandbox.post('/anthropic-messages/messages', { ...body, ...extra }, { 'anthropic-beta': beta });
  const messages = [...body.messages, quiet];
  const clearBeta = 'mid-conversation-system-clear-at-2026-08-21';

  it.each(['mid-conversation-output-config-2026-07-01', 'effort-2025-11-24,per-turn-control-2026-07-01'])(
    'is taken under %s',
    async (beta) => expect((await post({ messages }, beta)).status).toBe(200),
  );

  it.each(['next_user_message', 'never'])('or brings an instruction that ends at %s is taken', async (clear_at) => {
    const note = { role: 'system', content: 'x', clear_at };
    expect((await post({ messages: [...body.messages, note] }, clearBeta)).status).toBe(200);
  });

  it.each([
    ['messages.1.output_config: Extra inputs are not permitted', { messages }, 'effort-2025-11-24'],
    ['does not support changing the effort', { messages, model: 'claude-sonnet-5' }, undefined],
    ['messages.0.output_config: Extra', { messages: [{ ...body.messages[0], output_config: {} }] }, undefined],
    [
      'output_config.format: Extra',
      { messages: [...body.messages, { ...quiet, output_config: { format: {} } }] },
      undefined,
    ],
    ['non-empty content', { messages: [...body.messages, { ...quiet, output_config: {} }] }, undefined],
    [
      "clear_at: Input should be 'next_user_message' or 'never'",
      { messages: [...body.messages, { role: 'system', content: 'x', clear_at: 'later' }] },
      clearBeta,
    ],
    ['clear_at: Extra', { messages: [...body.messages, { role: 'system', content: 'x', clear_at: 'x' }] }, undefined],
  ])('or refused: %s', async (words, extra, beta) => {
    const answer = await post(extra, beta);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(words)]);
  });
});
