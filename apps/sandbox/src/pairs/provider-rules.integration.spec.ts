import type { DialectName } from '@tollgate/contracts';
import { callers } from '@tollgate/testing';
import { TranslatedCalls } from './translated-calls.fixture';
import type { Place } from './translated-calls.fixture';

let calls: TranslatedCalls;
beforeAll(async () => {
  calls = await TranslatedCalls.start();
});
afterAll(() => calls.close());

const toolsOfXai = { reservedTools: ['web_search', 'tool_search'], plainToolRoots: true };

/** What is odd about some providers that Tollgate knows, as far as it is asked about here (libs/providers). */
const providers: Readonly<Record<string, { dialect: DialectName; quirks?: Place['quirks'] }>> = {
  fireworks: {
    dialect: 'openai-chat',
    quirks: {
      maxTokensField: 'max_tokens',
      mostUnstreamed: 4_096,
      reasoningField: 'reasoning_content',
      dropMessageFields: ['refusal', 'annotations'],
    },
  },
  xai: {
    dialect: 'openai-chat',
    quirks: { ...{ dropFields: ['metadata'], webSearch: '^grok-', codeExecution: '^grok-' }, ...toolsOfXai },
  },
  groq: { dialect: 'openai-chat', quirks: { chatDropFields: ['metadata'] } },
  cerebras: { dialect: 'openai-chat', quirks: { dropFields: ['metadata'] } },
  mistral: { dialect: 'openai-chat', quirks: { maxTokensField: 'max_tokens' } },
  openrouter: { dialect: 'openai-chat', quirks: { cacheMarks: '^anthropic/', refusesMetadata: '^~?x-ai/' } },
  anthropic: { dialect: 'anthropic-messages' },
  bedrock: { dialect: 'bedrock-converse' },
};

function at(id: string, model: string): Place {
  const { dialect, quirks = {} } = providers[id] ?? {};
  if (!dialect) throw new Error(`no provider ${id}`);
  return { dialect, provider: id, model, quirks };
}

const limitNames = {
  'openai-chat': 'max_completion_tokens',
  'anthropic-messages': 'max_tokens',
  'openai-responses': 'max_output_tokens',
} as const;

// https://github.com/nullclaw/nullclaw/pull/231 https://github.com/nextlevelbuilder/goclaw/pull/660
describe.each(callers)('a plain answer at Fireworks that may be long (surface: $surface)', (caller) => {
  const place = at('fireworks', 'accounts/fireworks/models/kimi-k2p6');
  const send = async (body: Record<string, unknown>, limit: number, maxOutputTokens: number | null = null) => {
    const name = limitNames[caller.surface as keyof typeof limitNames];
    const asked = { ...body, [name]: limit };
    const { attempt, answer, received, sent } = await calls.send(caller.surface, place, asked, { maxOutputTokens });
    if (answer.status !== 200) throw new Error(`${answer.status} ${Buffer.from(received).toString()} for ${sent}`);
    const reader = attempt.answerReader();
    const text = Buffer.concat([reader.push(received), reader.end()]).toString();
    return { ...caller.read(text, false), reader, sent, warnings: attempt.request.warnings };
  };

  it('is asked for as a stream, and comes in one piece', async () => {
    const long = await send(caller.ask('hello there', { stream: false }), 4_097);
    expect(long.sent).toContain('"stream":true');
    expect(long.sent).toContain('"max_tokens":4097');
    expect(long.reader).toMatchObject({ state: 'complete', error: null });
    expect(long.text).toMatch(/^The sandbox heard hello there and answers/);
    expect(long.reader.usage?.output).toBeGreaterThan(0);
    expect(long.warnings).toEqual([]);
    const short = await send(caller.ask('hello there', { stream: false }), 4_096);
    expect(short.sent).not.toContain('"stream":true');
    expect(long.text).toBe(short.text);
    expect(long.reader.usage).toEqual(short.reader.usage);
  });

  it('calls tools, and goes on with what they said', async () => {
    const body = caller.ask('[[sandbox: calls=1]] work', { stream: false, tools: ['look_up'], reasons: true });
    const called = await send(body, 30_000);
    expect(called.calls).toMatchObject([{ name: 'look_up' }]);
    const last = await send(
      caller.goOn(body, called, () => 'done'),
      30_000,
    );
    expect(last.text).toBe('The tools said: done');
  });

  it('may still come from elsewhere where it breaks off', async () => {
    const asked = { ...caller.ask('[[sandbox: fault=truncate]] hello', { stream: false }) };
    const { attempt, received } = await calls.send(caller.surface, place, {
      ...asked,
      [limitNames[caller.surface as keyof typeof limitNames]]: 9_000,
    });
    const reader = attempt.answerReader();
    expect(Buffer.from(reader.push(received)).toString()).toBe('');
    expect(reader.state).toBe('waiting');
    expect(Buffer.from(reader.end()).toString()).toBe('');
    expect(reader).toMatchObject({ state: 'failed', error: { fault: 'retryable' } });
  });

  it('is cut where it goes on beyond its limit', async () => {
    const body = caller.ask('[[sandbox: fault=ignore_limit tokens=4000]] hello', { stream: false });
    const { reader, text } = await send(body, 9_000, 32);
    expect(reader).toMatchObject({ state: 'complete', isCut: true });
    expect(text.split(' ').length).toBeLessThan(1_750);
  });
});

// https://github.com/maximhq/bifrost/issues/5428 https://github.com/james-6-23/codex2api/pull/516
// https://github.com/NOirBRight/CodexHub/issues/517
describe.each([false, true])('Codex at a model of xAI, in responses (stream: %s)', (stream) => {
  const place: Place = { ...at('xai', 'grok-4.6'), dialect: 'openai-responses' };
  const parameters = { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] };
  const own = { type: 'function', name: 'exec_command', parameters, strict: false };
  const codex = {
    model: 'm',
    instructions: 'Be brief.',
    stream,
    store: false,
    tools: [
      own,
      { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
      { type: 'namespace', name: 'mcp__docs', description: 'Docs.', tools: [{ ...own, name: 'read' }] },
      { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters },
      { type: 'web_search', external_web_access: true },
    ],
    tool_choice: 'auto',
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'high', summary: 'auto' },
    prompt_cache_key: 'session',
  };
  const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
  const send = async (input: readonly object[], more: object = {}) => {
    const body = { ...codex, ...more, input };
    const { attempt, answer, received, sent } = await calls.send('openai-responses', place, body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${Buffer.from(received).toString()} for ${sent}`);
    const reader = attempt.answerReader();
    const text = Buffer.concat([reader.push(received), reader.end()]).toString();
    expect(reader.error).toBeNull();
    return { items: outputOf(text, stream), sent, warnings: attempt.request.warnings };
  };

  it.each([
    ['apply_patch', { type: 'custom_tool_call', name: 'apply_patch', input: expect.any(String) as string }],
    ['mcp__docs__read', { type: 'function_call', name: 'read', namespace: 'mcp__docs' }],
    ['exec_command', { type: 'function_call', name: 'exec_command' }],
    ['tool_search', { type: 'tool_search_call', execution: 'client' }],
  ])('calls %s, and goes on with what it said', async (name, called) => {
    // A name of xAI's own, so that the model knows it by another.
    const asked = user(`use ${name === 'tool_search' ? 'tool_search_2' : name}`);
    const first = await send([asked]);
    const call = first.items.find((item) => item.type === called.type);
    expect(call).toMatchObject(called);
    const output =
      name === 'tool_search'
        ? { type: 'tool_search_output', execution: 'client', status: 'completed', tools: [{ ...own, name: 'found' }] }
        : { type: String(call?.type).replace(/$/, '_output'), output: 'done' };
    const results = [{ ...output, call_id: call?.call_id }];
    const next = await send([asked, ...first.items, ...results]);
    expect(JSON.stringify(next.items)).toContain('The tools said: ');
  });

  it('searches the web, as xAI is told', async () => {
    const { sent } = await send([user('hello')]);
    const { tools } = JSON.parse(sent) as { tools: { type: string }[] };
    expect(tools.at(-1)).toEqual({ type: 'web_search' });
    const cached = [own, { type: 'web_search', external_web_access: false }];
    expect((await send([user('hello')], { tools: cached })).sent).not.toContain('web_search');
  });

  it('passes byte for byte what xAI takes', async () => {
    const { sent, warnings } = await send([user('hello')], { tools: [own, { type: 'x_search' }] });
    expect(JSON.parse(sent)).toMatchObject({ tools: [own, { type: 'x_search' }] });
    expect(warnings).toEqual([]);
  });

  it('is told that its labels are not', async () => {
    const { sent, warnings } = await send([user('hello')], { tools: [], metadata: { session: 'x' } });
    expect(sent).not.toContain('metadata');
    expect(warnings).toEqual(['metadata was dropped: P does not take it']);
  });
});

function outputOf(answer: string, stream: boolean): Record<string, unknown>[] {
  const data = stream ? /event: response\.completed\ndata: (.*)/.exec(answer)?.[1] : answer;
  const parsed = JSON.parse(data ?? '{}') as { response?: { output: Record<string, unknown>[] } };
  const response = stream ? parsed.response : (parsed as { output?: Record<string, unknown>[] });
  return response?.output ?? [];
}

// https://github.com/skye-harris/hass_local_openai_llm/issues/59
// https://github.com/rbb-dev/Open-WebUI-OpenRouter-pipe/issues/62
it.each([
  ['groq', 'openai/gpt-oss-120b', ['metadata was dropped: P does not take it']],
  ['xai', 'grok-4.6', ['metadata was dropped: P does not take it']],
  ['cerebras', 'gpt-oss-120b', ['metadata was dropped: P does not take it']],
  ['openrouter', 'x-ai/grok-4.6', ['metadata was dropped: P does not take it']],
  ['openrouter', 'openai/gpt-5.1', []],
  ['fireworks', 'accounts/fireworks/models/kimi-k2p6', []],
  ['mistral', 'mistral-small-2603', []],
])('labels of a chat completion reach %s, or its caller hears that they do not', async (provider, model, told) => {
  const body = { model: 'm', messages: [{ role: 'user', content: 'hello' }], metadata: { a: 'b' } };
  const { answer, attempt, sent } = await calls.send('openai-chat', at(provider, model), body);
  expect({ status: answer.status, told: attempt.request.warnings }).toEqual({ status: 200, told });
  expect(sent.includes('"metadata":{"a":"b"}')).toBe(told.length === 0);
});

// https://github.com/NousResearch/hermes-agent/issues/95003 https://github.com/can1357/oh-my-pi/issues/7970
// https://github.com/lidge-jun/opencodex/pull/1726 https://github.com/tetsuo-ai/agenc-core/pull/1324
describe.each(callers)('tools of callers of $surface at xAI', ({ surface, ask, read, goOn }) => {
  const place: Place = {
    ...at('xai', 'grok-4.6'),
    dialect: surface === 'openai-responses' ? 'openai-responses' : 'openai-chat',
  };
  const send = async (body: Record<string, unknown>) => {
    const { attempt, answer, received, sent } = await calls.send(surface, place, body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${Buffer.from(received).toString()} for ${sent}`);
    const reader = attempt.answerReader();
    const text = Buffer.concat([reader.push(received), reader.end()]).toString();
    return { ...read(text, false), warnings: attempt.request.warnings };
  };

  it.each(['web_search', 'tool_search'])('are called by the name %s, which xAI keeps for itself', async (name) => {
    const body = ask('[[sandbox: calls=1]] work', { stream: false, tools: [name] });
    const called = await send(body);
    expect(called.calls).toMatchObject([{ name }]);
    expect((await send(goOn(body, called, () => 'done'))).text).toBe('The tools said: done');
  });

  it('are called where their schema is one of alternatives', async () => {
    const asked = ask('[[sandbox: calls=1]] work', { stream: false, tools: ['exec_command'] });
    const union = { anyOf: [{ required: ['what'] }, { required: ['which'] }], required: undefined };
    const body = JSON.parse(JSON.stringify(asked), (key, value: unknown) =>
      key === 'parameters' || key === 'input_schema' ? { ...(value as object), ...union } : value,
    ) as Record<string, unknown>;
    const { calls: made, warnings } = await send(body);
    expect(made).toMatchObject([{ name: 'exec_command' }]);
    expect(warnings.join()).toContain('of the schema of exec_command became words');
  });
});

const mark = { cache_control: { type: 'ephemeral' } };

// https://github.com/coder/mux/pull/3112 https://github.com/aws-samples/demo_mcp_on_amazon_bedrock/issues/91
describe.each([
  ['anthropic-messages', 'anthropic', 'claude-sonnet-4-6'],
  ['anthropic-messages', 'bedrock', 'anthropic.claude-sonnet-4-6'],
  ['anthropic-messages', 'openrouter', 'anthropic/claude-sonnet-4.6'],
  ['openai-chat', 'anthropic', 'claude-sonnet-4-6'],
  ['openai-chat', 'openrouter', 'anthropic/claude-sonnet-4.6'],
] as const)('a request of %s with more marks for the cache than %s takes', (surface, provider, model) => {
  const place = at(provider, model);
  const send = async (turns: number, rules = 2) => {
    const said = Array.from({ length: turns }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: [{ type: 'text', text: `turn ${index}.`, ...mark }],
    }));
    const numbers = Array.from({ length: rules }, (_, index) => index + 1);
    const system = numbers.map((number) => ({ type: 'text', text: `Rule ${number}.`, ...mark }));
    const asked =
      surface === 'openai-chat'
        ? { messages: [{ role: 'system', content: system }, ...said] }
        : { system, messages: said };
    const body = { model: 'm', max_tokens: 99, ...asked };
    const { attempt, answer, received, sent } = await calls.send(surface, place, body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${Buffer.from(received).toString()} for ${sent}`);
    const marks = sent.split(/"cache_control"|"cachePoint"/).slice(0, -1);
    const marked = marks.map((before) => /((?:Rule|turn) \d)\.[^.]*$/.exec(before)?.[1]);
    return { marked: new Set(marked), warnings: attempt.request.warnings };
  };

  it('is served with those that end most, which its caller is told', async () => {
    const { marked, warnings } = await send(5);
    expect(marked).toEqual(new Set(['Rule 2', 'turn 2', 'turn 3', 'turn 4']));
    expect(warnings).toEqual(['3 of 7 marks for the cache were left out: there may be 4']);
  });

  it('keeps as many as there may be where most of them stand in front', async () => {
    const { marked } = await send(1, 5);
    expect(marked).toEqual(new Set(['Rule 3', 'Rule 4', 'Rule 5', 'turn 0']));
  });

  it('keeps all of them where they are no more', async () => {
    const { marked, warnings } = await send(1);
    expect(marked).toEqual(new Set(['Rule 1', 'Rule 2', 'turn 0']));
    expect(warnings).toEqual([]);
  });
});

it('marks within what tools gave back are among those that there may be', async () => {
  const call = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
  const messages = ['a', 'b', 'c'].flatMap((id) => [
    { role: 'assistant', content: [call(id)] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: `result ${id}`, ...mark }], ...mark },
      ],
    },
  ]);
  const tools = [{ name: 'look', input_schema: { type: 'object', properties: { content: { ...mark } } } }];
  const body = { model: 'm', max_tokens: 99, tools, messages: [{ role: 'user', content: 'go' }, ...messages] };
  const place = at('anthropic', 'claude-sonnet-4-6');
  const { answer, attempt, sent } = await calls.send('anthropic-messages', place, body);
  expect(answer.status).toBe(200);
  expect(attempt.request.warnings).toEqual(['2 of 6 marks for the cache were left out: there may be 4']);
  expect(sent).toContain('"content":[{"type":"text","text":"result a"}]}');
  expect(sent).toContain(JSON.stringify(tools[0]?.input_schema));
});

it('the mark of a whole request is one of those that there may be', async () => {
  const messages = ['a', 'b', 'c', 'd', 'e'].map((text, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text, ...(index > 0 && mark) }],
  }));
  const body = { model: 'm', max_tokens: 99, messages, ...mark };
  const place = at('anthropic', 'claude-sonnet-4-6');
  const { answer, attempt, sent } = await calls.send('anthropic-messages', place, body);
  expect(answer.status).toBe(200);
  expect(attempt.request.warnings).toEqual(['1 of 4 marks for the cache were left out: there may be 4']);
  expect(sent.split('"cache_control"')).toHaveLength(5);
  expect(sent).toContain('{"type":"text","text":"b"}');
});
