import { fitRequest } from '../canonical/fit-request';
import { openaiChatProviderCodec } from '../openai-chat/provider-codec';
import { targetOf } from '../proof/targets.fixture';
import { fromRequest } from './from-request';

const base = { model: 'm', input: 'Hi' };

function read(members: object) {
  return fromRequest({ ...base, ...members });
}

function messagesOf(...input: object[]) {
  return read({ input }).messages;
}

function call(id: string, members: object = {}): object {
  return { type: 'function_call', call_id: id, name: 'f', arguments: '{}', ...members };
}

describe('the input of a responses request', () => {
  it('is a message of the user when it is a string, after the instructions', () => {
    expect(read({ instructions: 'Be brief.' }).messages).toEqual([
      { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    ]);
  });

  it('keeps system and developer messages where they stand, and takes items without a type for messages', () => {
    const roles = ['developer', 'user', 'system', 'assistant'];
    const messages = messagesOf(...roles.map((role) => ({ role, content: role })));
    expect(messages.map(({ role }) => role)).toEqual(roles);
  });

  it('joins what the assistant thought, said and called, as other dialects do, and keeps parallel results apart', () => {
    const messages = messagesOf(
      { role: 'user', content: 'x' },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAA' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.', annotations: [] }] },
      call('c1'),
      call('c2'),
      { type: 'function_call_output', call_id: 'c1', output: 'one' },
      { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'two' }] },
    );
    expect(messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
      ['user', ['text']],
      ['assistant', ['reasoning', 'text', 'tool-call', 'tool-call']],
      ['tool', ['tool-result']],
      ['tool', ['tool-result']],
    ]);
    expect(messages[1]?.parts[0]).toEqual({
      type: 'reasoning',
      id: 'rs_1',
      text: 'Hm.',
      seal: { dialect: 'openai-responses', kind: 'encrypted', value: 'gAAA' },
    });
  });

  it.each([
    ['image_url', 'https://a.example/a.png', { kind: 'url', url: 'https://a.example/a.png' }],
    ['image_url', 'data:image/png;base64,AAAA', { kind: 'data', mediaType: 'image/png', data: 'AAAA' }],
    ['file_id', 'file-1', { kind: 'file-id', id: 'file-1', dialect: 'openai-responses' }],
  ])('reads an image by %s %s', (name, value, source) => {
    const content = [{ type: 'input_image', [name]: value, detail: 'auto' }];
    expect(messagesOf({ role: 'user', content })[0]?.parts).toEqual([{ type: 'image', source }]);
  });

  it.each([
    [{ file_data: 'data:application/pdf;base64,AAAA' }, { kind: 'data', mediaType: 'application/pdf', data: 'AAAA' }],
    [
      { file_data: 'AAAA', filename: 'a.pdf' },
      { kind: 'data', mediaType: 'application/pdf', data: 'AAAA' },
    ],
    [
      { file_data: 'AAAA', filename: 'a.TXT' },
      { kind: 'data', mediaType: 'text/plain', data: 'AAAA' },
    ],
    [{ file_url: 'https://a.example/a.pdf' }, { kind: 'url', url: 'https://a.example/a.pdf' }],
    [{ file_id: 'file-1' }, { kind: 'file-id', id: 'file-1', dialect: 'openai-responses' }],
  ])('reads a file by %j', (members, source) => {
    const content = [{ type: 'input_file', ...members }];
    expect(messagesOf({ role: 'user', content })[0]?.parts).toMatchObject([{ type: 'file', source }]);
  });

  it('keeps an empty result, and images in results', () => {
    const image = { type: 'input_image', image_url: 'https://a.example/a.png' };
    const [, empty, seen] = messagesOf(
      call('c'),
      { type: 'function_call_output', call_id: 'c', output: '' },
      { type: 'function_call_output', call_id: 'c', output: [image] },
    );
    expect(empty?.parts).toMatchObject([{ content: [{ type: 'text', text: '' }] }]);
    expect(seen?.parts).toMatchObject([{ content: [{ type: 'image' }] }]);
  });

  it.each([
    ['item_reference', { type: 'item_reference', id: 'msg_1' }, 'Send the item itself'],
    ['the work of a tool at OpenAI', { type: 'computer_call', id: 'cu_1' }, "only OpenAI's own models"],
    ['a compacted conversation', { type: 'compaction', encrypted_content: 'x' }, 'which alone can read it'],
  ])('is refused with the place of %s', (_, item, told) => {
    expect(() => messagesOf({ role: 'user', content: 'x' }, item)).toThrow(/'input\[1\]\.type'/);
    expect(() => messagesOf(item)).toThrow(told);
  });

  it.each<[string, object]>([
    ['web_search_call', { id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } }],
    ['file_search_call', { id: 'fs_1', status: 'completed', queries: ['q'], results: null }],
    ['image_generation_call', { id: 'ig_1', status: 'completed', result: 'AAAA' }],
    ['mcp_list_tools', { id: 'mcpl_1', server_label: 'a', tools: [] }],
    ['mcp_call', { id: 'mcp_1', server_label: 'a', name: 'read', arguments: '{}', output: 'x' }],
  ])('goes on without the %s of an earlier turn, and says so', (type, rest) => {
    const { messages, lost, unread } = read({
      input: [
        { role: 'user', content: 'x' },
        { type, ...rest },
      ],
    });
    expect(messages).toHaveLength(1);
    expect(lost).toEqual([expect.stringContaining(`input[1] (${type}) was dropped`)]);
    expect(unread).toEqual([]);
  });
});

it('tells a model what agents of Codex say to each other, and the caller what is sealed of it', () => {
  const notes = { internal_chat_message_metadata_passthrough: { content_item_kinds: [] } };
  const told = { id: 'amsg_1', type: 'agent_message', author: '/root', recipient: '/root/a', ...notes };
  const part = (text: string) => ({ type: 'encrypted_content', encrypted_content: text });
  const task = { type: 'input_text', text: 'Message Type: NEW_TASK' };
  const { messages, lost, unread } = read({
    input: [
      { ...told, content: [task, part('Look for it.')] },
      { ...told, content: [part('gAAAAABo')] },
      { role: 'user', content: [], ...notes },
    ],
  });
  const parts = messages.flatMap((message) => message.parts);
  expect(messages.every(({ role }) => role === 'user')).toBe(true);
  expect(parts.map((each) => (each.type === 'text' ? each.text : ''))).toEqual([
    '[Message of an agent: /root to /root/a]',
    'Message Type: NEW_TASK',
    'Look for it.',
    '[Message of an agent: /root to /root/a]',
    expect.stringContaining('sealed'),
  ]);
  expect(lost).toEqual([expect.stringContaining('input[1] (agent_message)')]);
  expect(unread).toEqual([]);
});

describe('what is kept', () => {
  it('is refused by its name where only OpenAI has it', () => {
    expect(() => read({ prompt: { id: 'pmpt_1' } })).toThrow("'prompt'");
    expect(() => read({ multi_agent: { enabled: true } })).toThrow("'multi_agent' is not possible with this model");
    expect(read({ multi_agent: { enabled: false } }).extra).toBeUndefined();
  });

  it('is no matter of a model, which sees the whole conversation', () => {
    const members = { store: true, previous_response_id: 'resp_1', background: false, truncation: 'disabled' };
    expect(read(members)).toEqual(read({}));
    expect(read({ conversation: 'conv_1' })).toEqual(read({}));
  });
});

describe('the tools of a responses request', () => {
  const own = { type: 'function', name: 'f', parameters: { type: 'object' } };

  it('give a custom tool one string, with its grammar told', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' };
    const [tool] = read({ tools: [{ type: 'custom', name: 'patch', description: 'Edits.', format }] }).tools ?? [];
    expect(tool?.parameters).toMatchObject({ required: ['input'], properties: { input: { type: 'string' } } });
    expect(tool?.description).toMatch(/^Edits\.[^]*lark[^]*start: "x"$/);
  });

  it('bring back what a custom tool was called with and gave', () => {
    const messages = messagesOf(
      { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'a "b"\n' },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'done' },
    );
    expect(messages.flatMap(({ parts }) => parts)).toEqual([
      { type: 'tool-call', id: 'c', name: 'patch', arguments: '{"input":"a \\"b\\"\\n"}' },
      { type: 'tool-result', toolCallId: 'c', content: [{ type: 'text', text: 'done' }] },
    ]);
  });

  it('stand beside the others under one name when they are in a namespace, in definitions and calls', () => {
    const list = { type: 'function', name: 'list', defer_loading: true, parameters: { type: 'object' } };
    const { tools, messages, unread } = read({
      tools: [{ type: 'namespace', name: 'crm', description: 'Customers.', tools: [list] }, { type: 'tool_search' }],
      input: [call('c', { name: 'list', namespace: 'crm' })],
    });
    expect(tools).toEqual([{ name: 'crm__list', description: 'Customers.', parameters: { type: 'object' } }]);
    expect(messages[0]?.parts).toMatchObject([{ type: 'tool-call', name: 'crm__list' }]);
    expect(unread).toEqual([]);
  });

  it('are also those that items bring, the later of one name, and say what the caller found', () => {
    const brought = { type: 'additional_tools', role: 'developer', tools: [{ type: 'custom', name: 'f' }] };
    const crm = { type: 'namespace', name: 'crm', description: '', tools: [{ type: 'function', name: 'list' }] };
    const { tools, messages, unread } = read({
      tools: [
        own,
        { type: 'tool_search', execution: 'client', description: 'Searches.', parameters: { type: 'object' } },
      ],
      input: [
        brought,
        { type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: { query: 'customers' } },
        { type: 'tool_search_output', call_id: 'c', execution: 'client', status: 'completed', tools: [crm] },
        { type: 'tool_search_call', call_id: null, execution: 'server', arguments: {} },
        { type: 'tool_search_output', call_id: null, execution: 'server', tools: [{ type: 'function', name: 'g' }] },
      ],
    });
    expect(tools?.map(({ name }) => name)).toEqual(['tool_search', 'f', 'crm__list', 'g']);
    expect(tools?.[1]?.parameters).toMatchObject({ required: ['input'] });
    expect(tools?.[0]).toMatchObject({ description: 'Searches.', parameters: { type: 'object' } });
    expect(messages.flatMap(({ parts }) => parts)).toMatchObject([
      { type: 'tool-call', id: 'c', name: 'tool_search', arguments: '{"query":"customers"}' },
      { type: 'tool-result', toolCallId: 'c', content: [{ text: 'These tools can be called now: crm__list' }] },
    ]);
    expect(unread).toEqual([]);
  });

  it('may be as many as a body holds, and brought again and again', () => {
    const f = (index: number, description: string) => ({ type: 'function', name: `f${index}`, description });
    const many = Array.from({ length: 10_000 }, (_, index) => f(index, 'listed'));
    const bring = (description: string) => ({
      type: 'additional_tools',
      role: 'developer',
      tools: many.slice(1).map((_, index) => f(index, description)),
    });
    const { tools } = read({ tools: [...many, f(9_999, 'listed twice')], input: [bring('once'), bring('again')] });
    expect(tools).toHaveLength(10_001);
    expect(tools?.slice(0, 3)).toEqual([
      { name: 'f9999', description: 'listed' },
      { name: 'f9999', description: 'listed twice' },
      { name: 'f0', description: 'again' },
    ]);
    expect(new Set(tools?.slice(2).map(({ description }) => description))).toEqual(new Set(['again']));
  });

  it('go on without a search of the copy of the web that OpenAI keeps and that is offered beside them, and the caller is told', () => {
    const request = read({ tools: [own, { type: 'web_search', external_web_access: false }] });
    const { warnings } = fitRequest(request, openaiChatProviderCodec, targetOf('openai-chat', false));
    expect(request.tools).toHaveLength(1);
    expect(warnings).toEqual(['tools[1] (web_search) was dropped: it runs at OpenAI only']);
  });

  it.each([
    ['tools', [{ type: 'image_generation' }]],
    ['tools', [{ type: 'web_search', external_web_access: false }]],
    ['tools[1].type', [own, { type: 'file_search', vector_store_ids: ['vs_1'] }]],
    ['tools[1].type', [own, { type: 'mcp', server_label: 's', server_url: 'https://a.example' }]],
    ['tools[1].container', [own, { type: 'code_interpreter', container: 'cntr_1' }]],
    ['tools[1].container', [own, { type: 'code_interpreter', container: { type: 'auto', file_ids: ['file_1'] } }]],
    ['tools[1].type', [own, { type: 'computer_use_preview' }]],
    ['tools[1].type', [own, { type: 'local_shell' }]],
  ])('are refused by the name %s where the answer would rest on a tool at OpenAI', (path, tools) => {
    expect(() => read({ tools })).toThrow(`'${path}'`);
  });

  it('are refused without a name', () => {
    expect(() => read({ tools: [{ ...own, name: '' }] })).toThrow("'tools[0].name'");
  });

  it.each([
    ['none', { type: 'none' }],
    ['auto', { type: 'auto' }],
    ['required', { type: 'required' }],
    [
      { type: 'function', name: 'f' },
      { type: 'tool', name: 'f' },
    ],
    [
      { type: 'custom', name: 'f' },
      { type: 'tool', name: 'f' },
    ],
    [{ type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] }, { type: 'required' }],
  ])('are chosen by %j', (toolChoice, expected) => {
    const request = read({ tools: [own, { ...own, name: 'g' }], tool_choice: toolChoice });
    expect(request.toolChoice).toEqual(expected);
    expect(request.tools).toHaveLength(JSON.stringify(toolChoice).includes('allowed') ? 1 : 2);
  });

  it.each([
    ['tool_choice', 'any'],
    ['tool_choice.type', { type: 'web_search' }],
    ['tool_choice.name', { type: 'function' }],
    ['tool_choice.tools', { type: 'allowed_tools', mode: 'auto', tools: [] }],
  ])('are not chosen by %s %j', (path, toolChoice) => {
    expect(() => read({ tools: [own], tool_choice: toolChoice })).toThrow(`'${path}'`);
  });
});

describe('the settings of a responses request', () => {
  it('are read', () => {
    const request = read({
      max_output_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      parallel_tool_calls: false,
      reasoning: { effort: 'high', summary: 'auto' },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } },
      include: ['message.output_text.logprobs', 'reasoning.encrypted_content'],
      top_logprobs: 2,
      user: 'u',
      metadata: { a: 'b' },
      prompt_cache_key: 'k',
    });
    expect(request).toMatchObject({
      maxOutputTokens: 50,
      temperature: 0.5,
      topP: 0.9,
      parallelToolCalls: false,
      reasoning: { effort: 'high', summary: 'auto' },
      responseFormat: { type: 'json-schema', name: 'n', schema: { type: 'object' }, strict: true },
      logprobs: { top: 2 },
      user: 'u',
      metadata: { a: 'b' },
      extra: { prompt_cache_key: 'k', verbosity: 'low' },
      unread: [],
    });
  });

  it('turn reasoning off by the effort none', () => {
    expect(read({ reasoning: { effort: 'none' } }).reasoning).toEqual({ effort: 'none', off: true });
  });

  it('name what nobody knows, at every depth', () => {
    const request = read({
      new_field: 1,
      text: { new_style: 2 },
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'x', mood: 'y' }] },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'x', lang: 'y' }] },
      ],
      include: ['web_search_call.action.sources'],
    });
    expect(request.extra).toEqual({ new_field: 1 });
    expect([...request.unread].sort()).toEqual([
      'include[0]',
      'input[0].content[0].mood',
      'input[1].summary[0].lang',
      'text.new_style',
    ]);
  });
});
