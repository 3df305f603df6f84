import { GatewayError } from '@tollgate/contracts';
import { countTextTokens } from '../tokens/o200k';
import { openaiChatSurface } from './surface';

const valid = { model: 'acme/large', messages: [{ role: 'user', content: 'hi' }] };
const read = (body: unknown) => openaiChatSurface.readRequest(body, JSON.stringify(body).length);

it('reads what the gateway must know', () => {
  expect(read({ ...valid, stream: true, max_tokens: 7, stream_options: { include_usage: true } })).toMatchObject({
    model: 'acme/large',
    stream: true,
    includeUsage: true,
    maxOutputTokens: 7,
  });
  expect(read(valid)).toMatchObject({ stream: false, includeUsage: false, maxOutputTokens: null });
});

it.each([
  [{ user: 'bob', safety_identifier: 'ann' }, 'ann'],
  [{ user: 'bob', safety_identifier: '' }, 'bob'],
  [{ user: 'bob', safety_identifier: ' ' }, 'bob'],
  [{ safety_identifier: '' }, undefined],
])('reads of %j for whom it is', (members, endUser) => {
  expect(read({ ...valid, ...members }).endUser).toBe(endUser);
});

it('reserves for every answer when several are wanted, and for the larger of two limits', () => {
  expect(read({ ...valid, max_tokens: 10, n: 3 }).maxOutputTokens).toBe(30);
  expect(read({ ...valid, max_tokens: 10, n: 128 }).maxOutputTokens).toBe(1_280);
  const most = Number.MAX_SAFE_INTEGER;
  expect(read({ ...valid, max_tokens: most, n: 2 }).maxOutputTokens).toBe(most);
  expect(read({ ...valid, max_tokens: 10, max_completion_tokens: 20 }).maxOutputTokens).toBe(20);
});

it.each([
  ['model', { messages: valid.messages }],
  ['model', { ...valid, model: 5 }],
  ['model', { ...valid, model: '' }],
  ['messages', { model: 'm' }],
  ['messages', { ...valid, messages: [] }],
  ['messages', { ...valid, messages: 'hi' }],
  ['messages[1]', { ...valid, messages: [valid.messages[0], 'hi'] }],
  ['messages[0].role', { ...valid, messages: [{ content: 'hi' }] }],
  ['temperature', { ...valid, temperature: 2.1 }],
  ['temperature', { ...valid, temperature: -0.1 }],
  ['temperature', { ...valid, temperature: '1' }],
  ['top_p', { ...valid, top_p: 1.01 }],
  ['max_tokens', { ...valid, max_tokens: 0 }],
  ['max_tokens', { ...valid, max_tokens: 1.5 }],
  ['max_tokens', { ...valid, max_tokens: '5' }],
  ['max_completion_tokens', { ...valid, max_completion_tokens: -1 }],
  ['n', { ...valid, n: 0 }],
  ['n', { ...valid, n: 129 }],
  ['n', { ...valid, n: 1.5 }],
  ['stream', { ...valid, stream: 'true' }],
  ['stream_options', { ...valid, stream: true, stream_options: 1 }],
  ['stream_options.include_usage', { ...valid, stream: true, stream_options: { include_usage: 1 } }],
  ['stop', { ...valid, stop: 5 }],
  ['stop', { ...valid, stop: ['a', 'b', 'c', 'd', 'e'] }],
  ['stop', { ...valid, stop: ['a', 1] }],
])('refuses a wrong %s and names it', (field, body) => {
  expect(() => read(body)).toThrow(GatewayError);
  expect(() => read(body)).toThrow(`'${field}'`);
});

it.each([
  [{ temperature: 0, top_p: 0, stop: [] }],
  [{ temperature: 2, top_p: 1, stop: ['a', 'b', 'c', 'd'] }],
  [{ temperature: null, max_tokens: null, stop: null, stream: null }],
  [{ tools: [], response_format: { type: 'json_object' }, unknown_field: { deep: [1] }, logprobs: true }],
])('accepts limits, nulls and what it does not know: %j', (extra) =>
  expect(() => read({ ...valid, ...extra })).not.toThrow(),
);

describe('the estimate of input tokens', () => {
  it.each([
    ['English', 'The quick brown fox jumps over the lazy dog. '.repeat(50)],
    ['Chinese', '快速的棕色狐狸跳过懒狗。'.repeat(50)],
    ['rare letters', '𐎠𐏀𐎱𐎼'.repeat(50)],
    ['signs', '¶§†‡•※⁂☃'.repeat(50)],
    ['noise', Array.from({ length: 900 }, (_, i) => String.fromCharCode(33 + ((i * 7919) % 94))).join('')],
  ])('is never below the count: %s', (_what, content) => {
    const body = { model: 'm', messages: [{ role: 'user', name: 'x', content }] };
    const bytes = Buffer.byteLength(JSON.stringify(body));
    expect(openaiChatSurface.readRequest(body, bytes).inputTokensEstimate).toBeGreaterThanOrEqual(
      openaiChatSurface.countInputTokens(body),
    );
  });

  it('does not take the data of an image for text', () => {
    const url = `data:image/png;base64,${'A'.repeat(1_000_000)}`;
    const body = { model: 'm', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] };
    expect(read(body).inputTokensEstimate).toBeLessThan(2_000);
    expect(read(body).inputTokensEstimate).toBeGreaterThan(765);
  });
});

describe('counting input tokens', () => {
  const count = openaiChatSurface.countInputTokens;

  it('follows the published recipe: 3 a message, 1 more for a name, 3 for the answer', () => {
    expect(count({ messages: [{ role: 'user', content: 'hello world' }] })).toBe(3 + 1 + 2 + 3);
    expect(count({ messages: [{ role: 'system', name: 'bob', content: 'hello' }] })).toBe(3 + 1 + 1 + 1 + 1 + 3);
  });

  it('counts parts, tools, tool calls and images', () => {
    const parts = [
      { type: 'text', text: 'hello world' },
      { type: 'image_url', image_url: { url: 'https://x.example/a.png', detail: 'low' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ];
    expect(count({ messages: [{ role: 'user', content: parts }] })).toBe(3 + 3 + 1 + 2 + 85 + 765);
    const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }];
    expect(count({ messages: [], tools })).toBe(3 + countTextTokens(JSON.stringify(tools)));
    const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
    expect(count({ messages: [{ role: 'assistant', content: null, tool_calls: calls }] })).toBe(
      3 + 3 + 1 + countTextTokens(JSON.stringify(calls)),
    );
  });

  it('is 0 for what is no request, and never throws for odd shapes', () => {
    expect(count(null)).toBe(0);
    expect(count({ messages: 'x' })).toBe(3);
    expect(count({ messages: [null, 5, { content: [null, 5] }] })).toBe(12);
  });
});

it('writes the error of a stream in the caller’s dialect and never a clean end', () => {
  const text = Buffer.from(openaiChatSurface.streamError(new GatewayError(502, 'Acme failed'))).toString('utf8');
  expect(text).toBe('data: {"error":{"message":"Acme failed","type":"upstream_error","code":502}}\n\n');
});

describe('a body in the form of responses', () => {
  const inOwnForm = (body: unknown) => openaiChatSurface.inOwnForm?.(body);

  it('becomes a chat completion request', () => {
    expect(
      inOwnForm({
        model: 'm',
        stream: true,
        instructions: 'Be brief.',
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'hi' },
              { type: 'input_image', image_url: 'https://a.test/b.png' },
            ],
          },
          { type: 'reasoning', summary: [] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'calling' }] },
          { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
          { type: 'function_call', call_id: 'c2', name: 'f', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c1', output: 'one' },
          { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'two' }] },
        ],
        tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }],
        tool_choice: { type: 'function', name: 'f' },
        max_output_tokens: 50,
        reasoning: { effort: 'low', summary: 'auto' },
        text: { format: { type: 'json_schema', name: 'x', schema: {} }, verbosity: 'low' },
        include: ['reasoning.encrypted_content'],
      }),
    ).toEqual({
      model: 'm',
      stream: true,
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hi' },
            { type: 'image_url', image_url: { url: 'https://a.test/b.png' } },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'calling' }],
          tool_calls: ['c1', 'c2'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
        },
        { role: 'tool', tool_call_id: 'c1', content: 'one' },
        { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'two' }] },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' }, strict: false } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
      max_completion_tokens: 50,
      reasoning_effort: 'low',
      verbosity: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } },
    });
  });

  it('may have its tools alone in that form', () => {
    const body = {
      ...valid,
      tools: [
        { type: 'function', name: 'f' },
        { type: 'custom', custom: { name: 'g' } },
      ],
    };
    expect(inOwnForm(body)).toEqual({
      ...valid,
      tools: [{ type: 'function', function: { name: 'f' } }, body.tools[1]],
    });
  });

  it('says calls of custom tools and results as chat completions do, and leaves the tools as they came', () => {
    const grammar = { syntax: 'lark', definition: 'start: /.+/s' };
    const about = { name: 'ApplyPatch', description: 'Edits files.' };
    const call = (id: string, input: string) => ({ type: 'custom_tool_call', call_id: id, name: 'ApplyPatch', input });
    const body = {
      model: 'm',
      input: [
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
        call('c2', '*** Begin Patch'),
        { type: 'custom_tool_call_output', call_id: 'c2', output: 'done' },
        call('c3', 'x'),
        { type: 'custom_tool_call_output', call_id: 'c3', output: [{ type: 'input_text', text: 'two' }] },
      ],
      tools: [
        { type: 'custom', ...about, format: { type: 'grammar', ...grammar } },
        { type: 'custom', name: 'g', format: { type: 'text' } },
      ],
      tool_choice: { type: 'custom', name: 'ApplyPatch' },
    };
    const called = (id: string, input: string) => ({ id, type: 'custom', custom: { name: 'ApplyPatch', input } });
    expect(inOwnForm(body)).toEqual({
      model: 'm',
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } },
            called('c2', '*** Begin Patch'),
          ],
        },
        { role: 'tool', tool_call_id: 'c2', content: 'done' },
        { role: 'assistant', content: null, tool_calls: [called('c3', 'x')] },
        { role: 'tool', tool_call_id: 'c3', content: [{ type: 'text', text: 'two' }] },
      ],
      tools: body.tools,
      tool_choice: { type: 'custom', custom: { name: 'ApplyPatch' } },
    });
  });

  it('keeps a custom tool that is one of chat completions already', () => {
    const custom = { name: 'g', format: { type: 'grammar', grammar: { syntax: 'regex', definition: 'a' } } };
    const body = { ...valid, tools: [{ type: 'custom', custom }], tool_choice: { type: 'custom', custom } };
    expect(inOwnForm(body)).toBe(body);
    const flat = { ...valid, tools: [{ type: 'custom', ...custom }] };
    expect(inOwnForm(flat)).toBe(flat);
  });

  // https://github.com/archestra-ai/archestra/pull/7375 https://github.com/icebear0828/codex-proxy/pull/708
  it('knows what Cursor sends back of an answer: no content in a list, and free text as the arguments', () => {
    const input = '*** Begin Patch';
    const call = { id: 'c1', type: 'function', function: { name: 'ApplyPatch', arguments: input } };
    const other = { id: 'c2', type: 'function', function: { name: 'read', arguments: '{}' } };
    const said = { role: 'assistant', content: [], tool_calls: [call, other] };
    const messages = [...valid.messages, said, { role: 'assistant', content: [] }];
    const tools = [{ type: 'custom', name: 'ApplyPatch' }];
    const free = { id: 'c1', type: 'custom', custom: { name: 'ApplyPatch', input } };
    const own = { role: 'assistant', content: null, tool_calls: [free, other] };
    expect(inOwnForm({ ...valid, messages, tools })).toEqual({
      ...valid,
      messages: [...valid.messages, own, { role: 'assistant', content: '' }],
      tools,
    });
    const nested = [{ type: 'custom', custom: { name: 'ApplyPatch' } }];
    const kept = { ...valid, messages: [...valid.messages, { ...said, content: null }], tools: nested };
    expect(inOwnForm(kept)).toBe(kept);
  });

  it('may have very many calls in one turn, none of which copies those before it', () => {
    const input = Array.from({ length: 150_000 }, () => ({ type: 'function_call' }));
    const { messages } = inOwnForm({ model: 'm', input }) as { messages: { tool_calls: unknown[] }[] };
    expect(messages.map(({ tool_calls: calls }) => calls.length)).toEqual([150_000]);
  });

  it('is left alone where it is one already, and refused where chat completions cannot say it', () => {
    expect(inOwnForm(valid)).toBe(valid);
    const both = { ...valid, input: 'x' };
    expect(inOwnForm(both)).toBe(both);
    expect(() => inOwnForm({ model: 'm', input: [{ type: 'computer_call' }] })).toThrow('computer_call');
  });
});

it("passes a conversation's name and betas on, and no other header", () => {
  const headers = { 'x-grok-conv-id': 'c1', 'openai-beta': ['responses_multi_agent=v1'], cookie: 'a', 'x-other': 'b' };
  const passed = { 'x-grok-conv-id': 'c1', 'openai-beta': 'responses_multi_agent=v1' };
  expect(openaiChatSurface.providerHeaders(headers)).toEqual(passed);
  expect(() => openaiChatSurface.providerHeaders({ 'openai-beta': 'x'.repeat(513) })).toThrow('openai-beta');
  // What Codex says when it asks for a WebSocket, which is ours.
  const socket = 'responses_websockets=2026-02-06';
  expect(openaiChatSurface.providerHeaders({ 'openai-beta': socket })).toEqual({});
  const both = { 'openai-beta': `${socket}, responses_multi_agent=v1` };
  expect(openaiChatSurface.providerHeaders(both)).toEqual({ 'openai-beta': 'responses_multi_agent=v1' });
});
