import OpenAI from 'openai';
import { RunningSandbox } from '../testing/running-sandbox.fixture';

let sandbox: RunningSandbox;
let client: OpenAI;
beforeAll(async () => {
  sandbox = await RunningSandbox.start();
  client = new OpenAI({ apiKey: 'sk-test', baseURL: `${sandbox.url}/openai-chat`, maxRetries: 0 });
});
afterAll(() => sandbox.close());

type Body = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>;

const ask = (content: string, extra: Partial<Body> = {}): Body => ({
  model: 'm',
  messages: [{ role: 'user', content }],
  ...extra,
});

const tools: OpenAI.ChatCompletionFunctionTool[] = ['look_up', 'add'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { what: { type: 'string' } } } },
}));

describe('answers that the official client reads', () => {
  it('calls two tools at once with arguments in bits, and repeats what they said', async () => {
    const body = ask('[[sandbox: unicode=1 bits=1]] use look_up and add', { tools, reasoning_effort: 'low' });
    const plain = await client.chat.completions.create(body);
    const streamed = await client.chat.completions.stream(body).finalChatCompletion();
    const calls = streamed.choices[0]?.message.tool_calls ?? [];
    expect(calls).toHaveLength(2);
    expect(calls).toMatchObject(plain.choices[0]?.message.tool_calls ?? []);
    const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'done' }));
    const said = { role: 'assistant' as const, tool_calls: plain.choices[0]?.message.tool_calls };
    const last = await client.chat.completions.create({ ...body, messages: [...body.messages, said, ...results] });
    expect(last.choices[0]?.message.content).toBe('The tools said: done and done');
    expect(last.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
  });

  it('calls a tool of free text with a text', async () => {
    const patch: OpenAI.ChatCompletionCustomTool = { type: 'custom', custom: { name: 'patch' } };
    const script = Buffer.from(JSON.stringify([[{ name: 'patch', arguments: { input: 'a "b"' } }], 'done']));
    const body = ask(`[[sandbox: script=${script.toString('base64url')}]] go`, { tools: [patch] });
    const custom = { name: 'patch', input: 'a "b"' };
    const plain = await client.chat.completions.create(body);
    expect(plain.choices[0]?.message.tool_calls).toMatchObject([{ type: 'custom', custom }]);
    const deltas: unknown[] = [];
    for await (const { choices } of await client.chat.completions.create({ ...body, stream: true }))
      deltas.push(...(choices[0]?.delta.tool_calls ?? []));
    expect(deltas).toMatchObject([
      { index: 0, type: 'custom', custom: { ...custom, input: '' } },
      { index: 0, custom: { input: custom.input } },
    ]);
  });

  it('calls under ids that the maker of the model gives, which a client may cut to their length', async () => {
    const body = ask('use look_up and add', { tools, model: 'mistral-large-2512' });
    const plain = await client.chat.completions.create(body);
    const ids = plain.choices[0]?.message.tool_calls?.map(({ id }) => id) ?? [];
    expect(ids).toEqual([expect.stringMatching(/^[a-zA-Z0-9]{9}$/), expect.stringMatching(/^[a-zA-Z0-9]{9}$/)]);
    expect(ids[0]).not.toBe(ids[1]);
    const streamed = await client.chat.completions.stream(body).finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls?.map(({ id }) => id)).toEqual(ids);
  });

  it('tells the tier that served it, which is not always the one that was asked for', async () => {
    for (const [asked, served] of [
      ['priority', 'priority'],
      ['flex', 'flex'],
      ['auto', 'default'],
      ['scale', 'default'],
    ] as const) {
      const body = ask('hello', { service_tier: asked });
      expect((await client.chat.completions.create(body)).service_tier).toBe(served);
      const streamed = await client.chat.completions.create({ ...body, stream: true });
      for await (const chunk of streamed) expect(chunk.service_tier).toBe(served);
    }
    const odd = client.chat.completions.create(ask('hello', { service_tier: 'best' as 'auto' }));
    await expect(odd).rejects.toMatchObject({ status: 400, param: 'service_tier' });
  });

  it('streams several choices at once, each with its log probabilities', async () => {
    const body = ask('hello [[sandbox: tokens=9]]', { n: 2, logprobs: true, top_logprobs: 2 });
    const plain = await client.chat.completions.create(body);
    const streamed = await client.chat.completions.stream(body).finalChatCompletion();
    for (const [index, choice] of plain.choices.entries()) {
      expect(streamed.choices[index]?.message.content).toBe(choice.message.content);
      expect(streamed.choices[index]?.logprobs?.content).toEqual(choice.logprobs?.content);
      expect(choice.logprobs?.content).toHaveLength(9);
      expect(choice.logprobs?.content?.[0]?.top_logprobs).toHaveLength(2);
    }
  });

  it('refuses, is filtered, and tells what it found in the web', async () => {
    const refused = await client.chat.completions.stream(ask('[[sandbox: finish=refusal]]')).finalChatCompletion();
    expect(refused.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { refusal: expect.any(String) as string },
    });
    const filtered = await client.chat.completions.create(ask('[[sandbox: finish=filter at=2]]'));
    expect(filtered.choices[0]).toMatchObject({ finish_reason: 'content_filter', message: { content: 'The sandbox' } });
    const searched = await client.chat.completions.create(ask('hello', { web_search_options: {} }));
    expect(searched.choices[0]?.message.annotations).toMatchObject([{ url_citation: { url: 'https://example.com/' } }]);
  });

  it('gives the beginning of a conversation from its cache', async () => {
    const body = ask('long ago '.repeat(50), { prompt_cache_key: 'story' });
    const first = await client.chat.completions.create(body);
    const second = await client.chat.completions.create(body);
    expect(first.usage?.prompt_tokens_details?.cached_tokens).toBe(0);
    expect(second.usage?.prompt_tokens_details?.cached_tokens).toBeGreaterThan(50);
  });

  it('keeps what was marked, and tells it as Alibaba and as OpenRouter do', async () => {
    const text = { type: 'text', text: 'long ago '.repeat(50), cache_control: { type: 'ephemeral' } };
    const askedAt = async (provider: string, model: string): Promise<object> => {
      const body = JSON.stringify({ model, messages: [{ role: 'user', content: [text] }] });
      const headers = { authorization: 'Bearer sk-test', 'x-simulated-provider': provider };
      const answer = await fetch(`${sandbox.url}/openai-chat/chat/completions`, { method: 'POST', headers, body });
      return ((await answer.json()) as OpenAI.ChatCompletion).usage?.prompt_tokens_details ?? {};
    };
    const atAlibaba = await askedAt('alibaba', 'qwen3.7-plus');
    expect(atAlibaba).toMatchObject({ cached_tokens: 0, cache_type: 'ephemeral' });
    const { cache_creation_input_tokens: written } = atAlibaba as { cache_creation_input_tokens: number };
    expect(written).toBeGreaterThan(50);
    const kept = { cached_tokens: written, cache_creation_input_tokens: 0, cache_type: 'ephemeral' };
    expect(await askedAt('alibaba', 'qwen3.7-plus')).toMatchObject(kept);
    const atOpenrouter = () => askedAt('openrouter', 'anthropic/claude-sonnet-5');
    expect(await atOpenrouter()).toMatchObject({ cached_tokens: 0, cache_write_tokens: written });
    expect(await atOpenrouter()).toMatchObject({ cached_tokens: written });
    expect(await askedAt('togetherai', 'qwen3.7-plus')).not.toHaveProperty('cache_type');
  });

  it('cuts the arguments of a call at the limit, as they came', async () => {
    const answer = await client.chat.completions.create(ask('use add', { tools, max_completion_tokens: 4 }));
    expect(answer.choices[0]?.finish_reason).toBe('length');
    expect(answer.usage?.completion_tokens).toBeLessThanOrEqual(4);
  });
});

const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } };
const result = { role: 'tool', tool_call_id: 'call_1', content: 'x' };
const hello = { role: 'user', content: 'x' };
const form = (schema: object) => ({ type: 'json_schema', json_schema: { name: 'form', strict: true, schema } });

describe('requests that OpenAI refuses', () => {
  it.each<[string, object, string]>([
    ['an unknown role', { messages: [{ role: 'model', content: 'x' }] }, 'Supported values'],
    [
      'a result without a call',
      { messages: [hello, { role: 'tool', tool_call_id: 'call_1', content: 'x' }] },
      'preceding message',
    ],
    ['a call without a result', { messages: [hello, { role: 'assistant', tool_calls: [call] }, hello] }, 'call_1'],
    ['a call at the end', { messages: [hello, { role: 'assistant', tool_calls: [call] }] }, 'call_1'],
    ['a part of Anthropic', { messages: [{ role: 'user', content: [{ type: 'image', source: {} }] }] }, "'image'"],
    ['no content', { messages: [{ role: 'assistant', content: null }] }, 'content'],
    ['a name with a dot', { tools: [{ type: 'function', function: { name: 'a.b' } }] }, 'pattern'],
    ['a choice without tools', { tool_choice: 'required' }, 'tool_choice'],
    ['a tool that is not there', { tools, tool_choice: { type: 'function', function: { name: 'x' } } }, 'tool_choice'],
    ['an open strict schema', { response_format: form({ type: 'object', properties: {} }) }, 'additionalProperties'],
    [
      'an optional member of a strict schema',
      { response_format: form({ type: 'object', properties: { a: {} }, additionalProperties: false }) },
      "Missing 'a'",
    ],
    ['JSON that the messages do not name', { response_format: { type: 'json_object' } }, "word 'json'"],
    ['alternatives without log probabilities', { top_logprobs: 2 }, 'logprobs'],
    ['metadata that is not stored', { metadata: { a: 'b' } }, "'store'"],
    ['a stop sequence, of GPT-5.4', { model: 'gpt-5.4-mini', stop: ['a'] }, "'stop' is not supported"],
    ['five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
    ['a user of 65 characters', { user: 'u'.repeat(65) }, 'maximum length 64, but got a string with length 65'],
    ['a label of 513 characters', { store: true, metadata: { a: 'b'.repeat(513) } }, 'metadata.a'],
    ['the older limit for a reasoning model', { model: 'gpt-5.4', max_tokens: 9 }, "'max_completion_tokens'"],
    [
      'no effort of a model that always reasons',
      { model: 'gpt-6.1-sol', reasoning_effort: 'none' },
      'Supported values',
    ],
    ['the highest effort of responses', { model: 'gpt-6-astra', reasoning_effort: 'max' }, "'max' is not supported"],
    ['sampling beside reasoning', { model: 'gpt-6-luna', temperature: 0.5 }, "'temperature' is not supported"],
    ['tools with an effort', { model: 'gpt-5.4', tools, reasoning_effort: 'low' }, 'Please use /v1/responses instead.'],
    ['tools without an effort', { model: 'gpt-5.6-sol', tools }, "set reasoning_effort to 'none'"],
    [
      'a turn without its reasoning, at DeepSeek',
      {
        model: 'deepseek-v4-pro',
        tools,
        messages: [hello, { role: 'assistant', content: 'a', reasoning_content: '' }],
      },
      'must be passed back',
    ],
    [
      'a call without its reasoning, at Kimi',
      { model: 'kimi-k2.6', messages: [hello, { role: 'assistant', tool_calls: [call] }, result] },
      'at index 1',
    ],
    [
      'reasoning, at Groq',
      {
        model: 'openai/gpt-oss-120b',
        messages: [hello, { role: 'assistant', content: 'a', reasoning_content: 'Hm.' }],
      },
      "property 'reasoning_content' is unsupported",
    ],
    ['a stop sequence, of Grok', { model: 'grok-4.6', stop: ['a'] }, 'Model grok-4.6 does not support parameter stop.'],
    [
      'a penalty, of Grok',
      { model: 'grok-4.20-0309-non-reasoning', presence_penalty: 0 },
      'parameter presencePenalty.',
    ],
    ['an effort by degrees, of Qwen at Groq', { model: 'qwen/qwen3-32b', reasoning_effort: 'high' }, 'or `default`'],
    ['the highest effort, of Qwen 3.8', { model: 'qwen3.8-flash', reasoning_effort: 'max' }, "must be one of: 'none'"],
    ["OpenRouter's reasoning, of OpenAI", { model: 'gpt-5.4', reasoning: {} }, "Unknown parameter: 'reasoning'."],
    ['its older word, of OpenAI', { model: 'gpt-5.4', include_reasoning: true }, "parameter: 'include_reasoning'."],
    ['to be told not to think, of GLM-5.3', { model: 'glm-5.3', thinking: { type: 'disabled' } }, '`enabled` only'],
    ['an unknown effort', { reasoning_effort: 'huge' }, 'huge'],
  ])('%s', async (_what, extra, words) => {
    const answer = await sandbox.post('/openai-chat/chat/completions', { ...ask('x'), ...extra });
    const told = (await answer.json()) as object;
    expect([answer.status, told]).toMatchObject([400, { error: { type: 'invalid_request_error' } }]);
    expect(JSON.stringify(told)).toContain(words);
  });

  it.each([
    ['groq', 'another-model', 400],
    ['groq', 'openai/gpt-oss-120b', 400],
    ['togetherai', 'openai/gpt-oss-120b', 200],
  ])('hold for the provider that is asked, whatever its models are called: %s, %s', async (provider, model, status) => {
    const messages = [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'a', reasoning_content: 'Hm.' },
      { role: 'user', content: 'And then?' },
    ];
    const headers = { 'x-simulated-provider': provider };
    const answer = await sandbox.post('/openai-chat/chat/completions', { model, messages }, headers);
    expect(answer.status).toBe(status);
  });

  it.each(['openai', 'nvidia', 'togetherai'])(
    'hold for usage in the words of OpenRouter, too: %s',
    async (provider) => {
      const body = { ...ask('x'), model: 'zai-org/GLM-5', usage: { include: true } };
      const answer = await sandbox.post('/openai-chat/chat/completions', body, { 'x-simulated-provider': provider });
      expect(answer.status).toBe(provider === 'togetherai' ? 200 : 400);
    },
  );

  it.each([
    ['openai', 'gpt-5', 200],
    ['openai', 'gpt-4.1', 400],
    ['azure', 'gpt-4.1', 400],
    ['bedrock-openai', 'us.openai.gpt-5', 200],
    ['openrouter', 'openai/gpt-5', 400],
  ])('hold for tools of free text, too: %s, %s', async (provider, model, status) => {
    const body = { model, messages: [hello], tools: [{ type: 'custom', custom: { name: 'g' } }] };
    const headers = { 'x-simulated-provider': provider };
    expect((await sandbox.post('/openai-chat/chat/completions', body, headers)).status).toBe(status);
  });
});

it.each([
  ['openai', 'gpt-4.1', 200],
  ['mistral', 'mistral-large-4', 400],
  ['togetherai', 'openai/gpt-oss-120b', 400],
])('a choice among some tools is known at OpenAI alone: %s, %s', async (provider, model, status) => {
  const allowed = { mode: 'auto', tools: [{ type: 'function', function: { name: 'g' } }] };
  const choice = { type: 'allowed_tools', allowed_tools: allowed };
  const body = { model, messages: [hello], tools: allowed.tools, tool_choice: choice };
  const headers = { 'x-simulated-provider': provider };
  const answer = await sandbox.post('/openai-chat/chat/completions', body, headers);
  expect([answer.status, (await answer.text()).includes('must either be a named tool')]).toEqual([
    status,
    status === 400,
  ]);
});

describe('models that think unless they are told not to', () => {
  it.each([
    ['deepseek-v4-pro', { thinking: { type: 'disabled' } }],
    ['kimi-k2.6', { thinking: { type: 'disabled' } }],
    ['glm-5.2', { thinking: { type: 'disabled' } }],
    ['qwen3.7-max', { enable_thinking: false }],
  ])('hear nothing of that from an effort: %s', async (model, off) => {
    const thoughts = async (said: object): Promise<unknown> => {
      const answer = await sandbox.post('/openai-chat/chat/completions', { ...ask('x'), model, ...said });
      const told = (await answer.json()) as { choices: { message: { reasoning_content?: string } }[] };
      return told.choices[0]?.message.reasoning_content;
    };
    expect(await thoughts({ reasoning_effort: 'none' })).toEqual(expect.any(String));
    expect(await thoughts(off)).toBeUndefined();
  });
});

describe("what makers of compatible models refuse of a conversation that OpenAI's take", () => {
  const developer = { role: 'developer', content: 'be brief' };
  const system = { role: 'system', content: 'be brief' };
  const said = { role: 'assistant', content: 'a' };
  const ours = { ...call, id: 'dnEN4JsJy' };
  const round = [hello, { role: 'assistant', tool_calls: [ours] }, { ...result, tool_call_id: ours.id }];
  it.each<[string, string, object[], number, string]>([
    [
      "Mistral: another maker's id",
      'mistral-large-2512',
      [hello, { role: 'assistant', tool_calls: [call] }, result],
      400,
      'with a length of 9.',
    ],
    [
      'Mistral: the user behind a result',
      'devstral-medium-2512',
      [...round, hello],
      400,
      "Unexpected role 'user' after role 'tool'",
    ],
    [
      'Mistral: instructions behind what was said',
      'mistral-small-2603',
      [hello, said, system, hello],
      400,
      "Unexpected role 'system' after role 'assistant'",
    ],
    ['Mistral: an answer that was begun', 'mistral-small-2603', [hello, said], 400, 'Expected last role User or Tool'],
    ['Mistral: a developer', 'mistral-small-2603', [developer, hello], 422, "Input tag 'developer'"],
    ['DeepSeek: a developer', 'deepseek-v4-pro', [developer, hello], 400, 'unknown variant `developer`'],
    ['Alibaba: a developer', 'qwen3.8-max', [developer, hello], 400, 'developer is not one of'],
    ['Moonshot: a developer', 'kimi-k3', [developer, hello], 400, 'ROLE_UNSPECIFIED'],
    ['Z.ai: a developer', 'glm-5.2', [developer, hello], 400, 'Incorrect role information'],
  ])('%s', async (_what, model, messages, status, words) => {
    const answer = await sandbox.post('/openai-chat/chat/completions', { model, messages });
    expect({ status: answer.status, told: await answer.text() }).toEqual({
      status,
      told: expect.stringContaining(words),
    });
  });
});

describe('what makers of compatible models refuse of the settings', () => {
  const aTool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
  const aCustom = { type: 'custom', custom: { name: 'g' } };
  const forced = { tools: [aTool], tool_choice: 'required' };
  const named = { ...forced, tool_choice: { type: 'function', function: { name: 'f' } } };
  const form = { type: 'json_schema', json_schema: { name: 'a', schema: {} } };

  it.each<[string, string, object, number, string]>([
    ['Mistral: a newer name', 'mistral-small-2603', { max_completion_tokens: 9 }, 422, 'Extra inputs'],
    [
      'Mistral: usage asked for',
      'mistral-small-2603',
      { stream: true, stream_options: { include_usage: true } },
      422,
      'Extra inputs',
    ],
    ['Mistral: a seed of OpenAI', 'mistral-small-2603', { seed: 1 }, 422, 'Extra inputs'],
    ['Mistral: too hot', 'mistral-small-2603', { temperature: 2 }, 422, 'less than or equal to 1.5'],
    ['DeepSeek: a schema', 'deepseek-flash', { response_format: form }, 400, 'response_format type is unavailable'],
    ['DeepSeek: force beside thoughts', 'deepseek-v4-pro', forced, 400, 'does not support this tool_choice'],
    ['DeepSeek: a name beside thoughts', 'deepseek-v4-pro', named, 400, 'does not support this tool_choice'],
    ['DeepSeek: too much', 'deepseek-v4-pro', { max_tokens: 393_217 }, 400, 'valid range of max_tokens is [1, 393216]'],
    ['DeepSeek: a tool of free text', 'deepseek-v4-pro', { tools: [aCustom] }, 400, 'tools[0].type: unknown variant'],
    ['Moonshot: force beside thoughts', 'kimi-k2.6', forced, 400, "tool_choice 'required' is incompatible"],
    ['Moonshot: a name beside thoughts', 'kimi-k2.7-code', named, 400, "tool_choice 'specified' is incompatible"],
    ['Alibaba: force beside thoughts', 'qwen3.6-plus', forced, 400, 'in thinking mode'],
    ['xAI: no thoughts', 'grok-4.5', { reasoning_effort: 'none' }, 400, 'does not support reasoningEffort none'],
    ['xAI: a great effort', 'grok-4.6', { reasoning_effort: 'xhigh' }, 400, 'Supported values: low, medium, high'],
    [
      'xAI: an effort of a model without',
      'grok-4.20-0309-reasoning',
      { reasoning_effort: 'low' },
      400,
      'does not support parameter reasoningEffort',
    ],
    [
      'xAI: a search that is gone',
      'grok-4.6',
      { search_parameters: { mode: 'on' } },
      410,
      'Live search is deprecated.',
    ],
    ['xAI: an effort at Build', 'grok-build-0.1', { reasoning_effort: 'low' }, 400, 'parameter reasoningEffort'],
  ])('%s', async (_what, model, body, status, words) => {
    const answer = await sandbox.post('/openai-chat/chat/completions', { model, messages: [hello], ...body });
    expect({ status: answer.status, told: await answer.text() }).toEqual({
      status,
      told: expect.stringContaining(words),
    });
  });

  it.each<[string, string, object]>([
    ['a bias of words', 'grok-4.5', { logit_bias: { 50256: -100 } }],
    ['an effort that it has', 'grok-4.7', { reasoning_effort: 'xhigh' }],
    ['a limit and a key for the cache', 'mistral-small-2603', { max_tokens: 9, prompt_cache_key: 'a', random_seed: 1 }],
    ['force without thoughts', 'deepseek-v4-pro', { ...forced, thinking: { type: 'disabled' } }],
    ['force at K3', 'kimi-k3', { ...forced, thinking: { type: 'disabled' } }],
  ])('takes %s of %s', async (_what, model, body) => {
    const answer = await sandbox.post('/openai-chat/chat/completions', { model, messages: [hello], ...body });
    expect({ status: answer.status, told: await answer.text() }).toMatchObject({ status: 200 });
  });
});
