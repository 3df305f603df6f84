import OpenAI from 'openai';
import { sealOf } from '../answer/seal';
import { RunningSandbox } from '../testing/running-sandbox.fixture';

let sandbox: RunningSandbox;
let client: OpenAI;
beforeAll(async () => {
  sandbox = await RunningSandbox.start();
  client = new OpenAI({ apiKey: 'sk-test', baseURL: `${sandbox.url}/openai-responses`, maxRetries: 0 });
});
afterAll(() => sandbox.close());

type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>;

const ask = (input: Body['input'], extra: Partial<Body> = {}): Body => ({ model: 'm', input, store: false, ...extra });

const tools: OpenAI.Responses.FunctionTool[] = ['look_up', 'add'].map((name) => ({
  type: 'function',
  name,
  strict: true,
  parameters: {
    type: 'object',
    properties: { what: { type: 'string' } },
    required: ['what'],
    additionalProperties: false,
  },
}));

/** What an answer holds besides the ids that are new each time. */
function withoutIds(output: readonly object[]): object[] {
  return output.map((item) => ({ ...item, id: '' }));
}

describe('answers that the official client reads', () => {
  it('says the same with and without a stream, and counts alike', async () => {
    const plain = await client.responses.create(ask('hello there'));
    const streamed = await client.responses.stream(ask('hello there')).finalResponse();
    expect(streamed.output_text).toBe(plain.output_text);
    expect(streamed.usage).toEqual(plain.usage);
    expect(plain).toMatchObject({ status: 'completed', incomplete_details: null, service_tier: 'default' });
    const fast = await client.responses.stream(ask('hello there', { service_tier: 'priority' })).finalResponse();
    expect(fast.service_tier).toBe('priority');
  });

  it('numbers its events without a gap, and each delta belongs to an item that was added', async () => {
    const body = ask('use add', { tools, reasoning: { effort: 'low', summary: 'auto' } });
    const events = [];
    for await (const event of await client.responses.create({ ...body, stream: true })) events.push(event);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const added = new Set(
      events.flatMap((event) => (event.type === 'response.output_item.added' ? [event.item.id] : [])),
    );
    for (const event of events) if ('item_id' in event) expect(added).toContain(event.item_id);
  });

  it.each(['', ' redact=1'])('goes through a loop of tools with sealed reasoning%s', async (controls) => {
    const body = ask([{ role: 'user', content: `[[sandbox: unicode=1 bits=1${controls}]] use look_up and add` }], {
      tools,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'medium', summary: 'auto' },
    });
    const { output } = await client.responses.stream(body).finalResponse();
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'function_call', 'function_call']);
    expect(withoutIds(output)).toMatchObject(withoutIds((await client.responses.create(body)).output));
    const results = output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: `${item.name}!` }]
        : [],
    );
    const answered = output as OpenAI.Responses.ResponseInput;
    const input = [...(Array.isArray(body.input) ? body.input : []), ...answered, ...results];
    const last = await client.responses.create({ ...body, input });
    expect(last.output_text).toBe('The tools said: look_up! and add!');
  });

  it('gives text to tools that take text', async () => {
    const tool: OpenAI.Responses.CustomTool = { type: 'custom', name: 'patch' };
    const body = ask('patch it', { tools: [tool] });
    const { output } = await client.responses.stream(body).finalResponse();
    expect(output).toMatchObject([{ type: 'custom_tool_call', name: 'patch', input: 'example' }]);
  });

  it('books a call that takes text as it tells it', async () => {
    const script = Buffer.from(JSON.stringify([[{ name: 'exec', arguments: { input: 'await run("a \\"b\\" c");' } }]]));
    const body = {
      ...ask(`[[sandbox: script=${script.toString('base64url')}]] go`, { tools: [{ type: 'custom', name: 'exec' }] }),
      model: 'booked',
    };
    const { usage } = await client.responses.stream(body).finalResponse();
    const row = await sandbox.rowOf('booked');
    expect(row.outputTokens).toBe(usage?.output_tokens);
  });

  it('calls tools that items bring, by their names and groups, and searches that the caller runs', async () => {
    const group = { type: 'namespace', name: 'files', description: 'Files.', tools: [{ ...tools[0], name: 'open' }] };
    const search = {
      type: 'tool_search',
      execution: 'client',
      description: 'Searches.',
      parameters: { type: 'object' },
    };
    const asked = { role: 'user', content: 'tool_search and files.open' };
    const brought = { type: 'additional_tools', role: 'developer', tools: [group] };
    const body = ask([brought, asked] as OpenAI.Responses.ResponseInput, {
      tools: [search] as OpenAI.Responses.Tool[],
    });
    const { output } = await client.responses.stream(body).finalResponse();
    expect(output).toMatchObject([
      { type: 'tool_search_call', execution: 'client', arguments: {} },
      { type: 'function_call', namespace: 'files', name: 'open' },
    ]);
  });

  it('ends early, and refuses', async () => {
    const cut = await client.responses.create(ask('[[sandbox: tokens=30]]', { max_output_tokens: 16 }));
    expect(cut).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { output_tokens: 16 },
    });
    const refused = await client.responses.stream(ask('[[sandbox: finish=refusal]]')).finalResponse();
    expect(refused.output).toMatchObject([{ content: [{ type: 'refusal' }] }]);
    const filtered = await client.responses.create(ask('[[sandbox: finish=filter]]'));
    expect(filtered).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } });
  });

  it('tells log probabilities and what it found in the web', async () => {
    const body = ask('hello', {
      tools: [{ type: 'web_search' }],
      include: ['message.output_text.logprobs'],
      top_logprobs: 2,
    });
    const { output } = await client.responses.stream(body).finalResponse();
    expect(output).toMatchObject([
      { type: 'web_search_call', status: 'completed', action: { type: 'search' } },
      { content: [{ annotations: [{ type: 'url_citation', url: 'https://example.com/' }] }] },
    ]);
    expect(JSON.stringify(output)).toMatch(/"top_logprobs":\[\{"token":"The".*?\},\{/);
  });

  it('gives the beginning of a conversation from its cache', async () => {
    const first = { role: 'user' as const, content: 'long ago '.repeat(50) };
    const body = ask([first], { prompt_cache_key: 'story' });
    await client.responses.create(body);
    const second = await client.responses.create({ ...body, input: [first, { role: 'user', content: 'and then?' }] });
    expect(second.usage?.input_tokens_details.cached_tokens).toBeGreaterThan(50);
  });
});

it('breaks a stream with an error that the official client knows', async () => {
  const events: string[] = [];
  for await (const event of client.responses.stream(ask('[[sandbox: fault=error_mid]]'))) events.push(event.type);
  expect(events.at(-1)).toBe('error');
  await expect(client.responses.create(ask('[[sandbox: fault=429]]'))).rejects.toThrow(OpenAI.RateLimitError);
});

it('takes agents under their beta, and images that are to be made smaller', async () => {
  const betas = ['responses_multi_agent=v1' as const];
  const agents = { model: 'gpt-6.2-sol', input: 'hello', betas, multi_agent: { enabled: true } };
  expect((await client.beta.responses.create(agents)).status).toBe('completed');
  const smaller = { ...ask('hello'), image: { context_compression: 'enabled' } };
  expect((await client.responses.create(smaller)).status).toBe('completed');
});

const call = { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'call_1', output: 'x' };
const hello = { role: 'user', content: 'x' };

it.each([
  ['openai', 'gAAAAABx', 200, 'completed'],
  ['openai', 'Look for it.', 400, 'could not be verified'],
  ['bedrock-openai', 'gAAAAABx', 400, 'did not match any expected variant'],
])('knows what agents say to each other at OpenAI, sealed: %s, %s', async (provider, text, status, words) => {
  const told = { type: 'agent_message', author: '/root', recipient: '/root/a' };
  const input = [{ ...told, content: [{ type: 'encrypted_content', encrypted_content: text }] }];
  const headers = { 'x-simulated-provider': provider };
  const answer = await sandbox.post('/openai-responses/responses', { model: 'gpt-6.1-sol', input }, headers);
  expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(words)]);
});

it.each([
  ['xai', 422],
  ['openai', 200],
])('takes thoughts whose content is said to be null, but at xAI: %s', async (provider, status) => {
  const thought = { type: 'reasoning', summary: [], encrypted_content: sealOf('Hm.'), content: null };
  const input = [hello, thought, { role: 'assistant', content: [{ type: 'output_text', text: 'a' }] }, hello];
  const headers = { 'x-simulated-provider': provider };
  const answer = await sandbox.post('/openai-responses/responses', { model: 'gpt-6.1-sol', input }, headers);
  expect(answer.status).toBe(status);
});

describe('requests that OpenAI refuses', () => {
  it.each<[string, object, string]>([
    ['a field of chat completions', { stop: ['x'] }, "Unknown parameter: 'stop'"],
    ['agents without their beta', { multi_agent: { enabled: true } }, "Unknown parameter: 'multi_agent'"],
    ['images made smaller by half', { image: { context_compression: 'half' } }, "'half'"],
    ['no input', { input: undefined }, "'input'"],
    ['a small limit', { max_output_tokens: 5 }, '>= 16'],
    ['a tool of chat completions', { tools: [{ type: 'function', function: { name: 'x' } }] }, "'tools[0].name'"],
    [
      'an open strict schema',
      { tools: [{ ...tools[0], parameters: { type: 'object', properties: {} } }] },
      'additionalProperties',
    ],
    [
      'a list of anything',
      { tools: [{ ...tools[0], strict: false, parameters: { type: 'object', properties: { a: { type: 'array' } } } }] },
      'array schema missing items',
    ],
    ['an output without its call', { input: [hello, output] }, 'No tool call found'],
    ['a call without its output', { input: [hello, call] }, 'No tool output found'],
    ['an id of another kind', { input: [hello, { ...call, id: 'call_1' }, output] }, "begins with 'fc'"],
    [
      'text of the wrong side',
      { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
      'output_text',
    ],
    ['a part of chat completions', { input: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }, 'input_text'],
    [
      'changed reasoning',
      { input: [hello, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }, call, output] },
      'could not be verified',
    ],
    [
      'reasoning that was never stored',
      { input: [hello, { type: 'reasoning', id: 'rs_1', summary: [] }, call, output], store: false },
      'not persisted',
    ],
    [
      'reasoning alone',
      { input: [hello, { type: 'reasoning', id: 'rs_1', summary: [] }, hello], store: true },
      'required following item',
    ],
    ['a response that nobody stored', { previous_response_id: 'resp_1' }, 'not found'],
    ['something that is not included', { include: ['logprobs'] }, 'Supported values'],
  ])('%s', async (_what, extra, words) => {
    const answer = await sandbox.post('/openai-responses/responses', { ...ask('x'), ...extra });
    const told = (await answer.json()) as object;
    expect(told).toMatchObject({ error: { type: 'invalid_request_error' } });
    expect([400, 404]).toContain(answer.status);
    expect(JSON.stringify(told)).toContain(words);
  });
});
