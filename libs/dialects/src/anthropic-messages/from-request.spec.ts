import { anthropicMessagesSurfaceCodec } from './surface-codec';

const { fromRequest } = anthropicMessagesSurfaceCodec;
const base = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };

function partsOf(content: unknown, role = 'user') {
  return fromRequest({ ...base, messages: [{ role, content }] }).messages.flatMap(({ parts }) => parts);
}

describe('a messages request as the canonical form', () => {
  it('takes a string and an array of blocks for the same, in messages and in the system prompt', () => {
    const blocks = [{ type: 'text', text: 'Hi' }];
    const asBlocks = fromRequest({ ...base, system: blocks, messages: [{ role: 'user', content: blocks }] });
    expect(fromRequest({ ...base, system: 'Hi' }).messages).toEqual(asBlocks.messages);
  });

  // https://code.claude.com/docs/en/llm-gateway-protocol#system-prompt-attribution-block
  it('leaves out what Claude Code tells Anthropic before its system prompt, and says so', () => {
    const line = 'x-anthropic-billing-header: cc_version=2.1.177.01c; cc_entrypoint=cli; cch=36ee5;';
    const text = (said: string) => ({ type: 'text', text: said });
    for (const system of [[text(line), text('Be brief.')], `${line}\n\nBe brief.`]) {
      const { messages, lost } = fromRequest({ ...base, system });
      expect(messages[0]).toEqual({ role: 'system', parts: [text('Be brief.')] });
      expect(lost).toEqual([expect.stringContaining('attribution of Claude Code')]);
    }
    expect(fromRequest({ ...base, system: [text(line)] }).messages.map(({ role }) => role)).toEqual(['user']);
    expect(fromRequest({ ...base, system: [text(`Say: ${line}`)] })).not.toHaveProperty('lost');
  });

  it('keeps a system message in its place between turns', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'system', content: 'b' },
      { role: 'assistant', content: 'c' },
    ];
    expect(fromRequest({ ...base, messages }).messages.map(({ role }) => role)).toEqual([
      'user',
      'system',
      'assistant',
    ]);
  });

  // https://platform.claude.com/docs/en/build-with-claude/effort-per-message
  it('takes the effort from system messages: for what a user just said, elsewhere from what is said next', () => {
    const effort = (level: string) => ({ role: 'system', output_config: { effort: level } });
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: '4' }] };
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] };
    const [user] = base.messages;
    const endOf = (...messages: unknown[]) => {
      const {
        reasoning,
        messages: read,
        unread,
      } = fromRequest({ ...base, output_config: { effort: 'high' }, messages });
      expect(unread).toEqual([]);
      expect(read.some(({ role }) => role === 'system')).toBe(false);
      return reasoning?.effort;
    };
    expect(endOf(user, effort('low'))).toBe('low');
    expect(endOf(user, effort('low'), call, result)).toBe('low');
    expect(endOf(user, call, effort('low'), result)).toBe('high');
    expect(endOf(user, call, result, effort('low'))).toBe('high');
    expect(endOf(user, call, result, effort('low'), user)).toBe('low');
  });

  it('keeps an instruction for one turn until a user message comes behind it', () => {
    const note = { role: 'system', content: 'Be brief.', clear_at: 'next_user_message' };
    const roles = (...messages: unknown[]) => fromRequest({ ...base, messages }).messages.map(({ role }) => role);
    const said = [...base.messages, note, { role: 'assistant', content: 'c' }];
    expect(roles(...said)).toEqual(['user', 'system', 'assistant']);
    expect(roles(...said, ...base.messages)).toEqual(['user', 'assistant', 'user']);
    const kept = { ...note, clear_at: 'never' };
    expect(roles(...base.messages, kept, ...base.messages)).toEqual(['user', 'system', 'user']);
  });

  it('offers the tools that system messages brought, and those no more that they took away', () => {
    const tool = (name: string) => ({ name, input_schema: { type: 'object' } });
    const change = (type: string, changed: object) => ({ role: 'system', content: [{ type, tool: changed }] });
    const { tools, messages } = fromRequest({
      ...base,
      tools: [tool('a'), tool('b')],
      messages: [
        ...base.messages,
        change('tool_addition', { type: 'tool_definition', definition: tool('c') }),
        change('tool_removal', { type: 'tool_reference', name: 'a' }),
      ],
    });
    expect(tools?.map(({ name }) => name)).toEqual(['b', 'c']);
    expect(messages).toHaveLength(1);
  });

  it('makes tool results messages of their own, with parts, failure and cache breakpoint', () => {
    const { messages } = fromRequest({
      ...base,
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              is_error: true,
              content: [
                { type: 'text', text: 'no', cache_control: { type: 'ephemeral', ttl: '1h' } },
                { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
              ],
            },
            { type: 'tool_result', tool_use_id: 't2' },
            { type: 'text', text: 'go on' },
          ],
        },
      ],
    });
    expect(messages).toEqual([
      {
        role: 'tool',
        parts: [
          {
            type: 'tool-result',
            toolCallId: 't1',
            isError: true,
            cacheControl: { ttl: '1h' },
            content: [
              { type: 'text', text: 'no' },
              { type: 'image', source: { kind: 'url', url: 'https://a.example/b.png' } },
            ],
          },
          { type: 'tool-result', toolCallId: 't2', content: [] },
        ],
      },
      { role: 'user', parts: [{ type: 'text', text: 'go on' }] },
    ]);
  });

  it('reads thinking without a signature, which is what a model of another provider thought, as unsealed', () => {
    expect(partsOf([{ type: 'thinking', thinking: 'hm', signature: '' }], 'assistant')).toEqual([
      { type: 'reasoning', text: 'hm' },
    ]);
  });

  it('flattens a document of blocks and a search result into what every model reads', () => {
    expect(
      partsOf([
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'one' }] } },
        { type: 'search_result', title: 'T', source: 'https://t.example', content: [{ type: 'text', text: 'two' }] },
      ]),
    ).toEqual([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'T (https://t.example)\ntwo' },
    ]);
  });

  it('names every nested field that it cannot hold, and hands on unknown top-level ones', () => {
    const request = fromRequest({
      ...base,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'document', context: 'c', citations: { enabled: true }, source: { type: 'url', url: 'u' } },
            { type: 'search_result', title: 'T', source: 's', citations: { enabled: true }, content: 'x' },
          ],
        },
      ],
      tools: [{ name: 'f', input_schema: { type: 'object' }, defer_loading: true }],
      service_tier: 'auto',
    });
    expect(request.unread).toEqual([
      'tools[0].defer_loading',
      ...['messages[0].content[0].citations', 'messages[0].content[0].context', 'messages[0].content[1].citations'],
    ]);
    expect(request.extra).toEqual({ service_tier: 'auto' });
  });

  it('tells other models of the tools that the client runs, which Claude knows by heart', () => {
    const own = [
      { type: 'bash_20250124', name: 'bash', cache_control: { type: 'ephemeral' } },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 100 },
      { type: 'text_editor_20241022', name: 'str_replace_editor' },
      { type: 'memory_20250818', name: 'memory' },
    ];
    const { tools = [], unread } = fromRequest({ ...base, tools: own });
    expect(unread).toEqual([]);
    expect(tools.map(({ name }) => name)).toEqual(own.map(({ name }) => name));
    expect(tools[0]).toMatchObject({ cacheControl: {}, description: expect.stringContaining('bash') });
    const commandsOf = (at: number): unknown => tools[at]?.parameters?.properties;
    expect(commandsOf(0)).toMatchObject({ command: { type: 'string' }, restart: { type: 'boolean' } });
    expect(commandsOf(1)).toMatchObject({
      command: { enum: ['view', 'create', 'str_replace', 'insert'] },
      insert_text: { type: 'string' },
    });
    expect(commandsOf(2)).toMatchObject({ command: { enum: expect.arrayContaining(['undo_edit']) } });
    expect(commandsOf(2)).not.toHaveProperty('insert_text');
    expect(commandsOf(3)).toMatchObject({ command: { enum: expect.arrayContaining(['delete', 'rename']) } });
  });

  it('shows other models at once the tools that Claude would search for, and tells them what a search found', () => {
    const tool = { name: 'look_up', input_schema: { type: 'object' }, defer_loading: true };
    const searched = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_regex', input: { query: 'look' } },
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: { type: 'tool_search_tool_search_result' },
      },
      { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'read', server_name: 'a', input: {} },
      { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', is_error: false, content: [] },
      { type: 'mcp_tool_listing', mcp_server_name: 'a', tools: [] },
      { type: 'server_tool_use', id: 'srvtoolu_2', name: 'advisor', input: {} },
      { type: 'advisor_tool_result', tool_use_id: 'srvtoolu_2', content: { type: 'advisor_result', text: 'Go.' } },
      { type: 'tool_use', id: 't', name: 'ToolSearch', input: { query: 'select:look_up' } },
    ];
    // https://github.com/BerriAI/litellm/issues/36540
    const found = [{ type: 'tool_reference', tool_name: 'look_up' }];
    const request = fromRequest({
      ...base,
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: searched },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: found }] },
      ],
      tools: [{ type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }, tool],
    });
    expect(request.tools).toEqual([expect.objectContaining({ name: 'look_up' })]);
    expect(request.lost).toEqual([expect.stringContaining('messages[1]')]);
    expect(request.messages.slice(1)).toEqual([
      { role: 'assistant', parts: [expect.objectContaining({ type: 'tool-call', name: 'ToolSearch' })] },
      {
        role: 'tool',
        parts: [
          {
            type: 'tool-result',
            toolCallId: 't',
            content: [{ type: 'text', text: 'The tool look_up can be called now.' }],
          },
        ],
      },
    ]);
  });

  it('goes on from what Anthropic summed up, whichever model of it had answered', () => {
    const cached = { cache_control: { type: 'ephemeral' } };
    const summed = { type: 'compaction', content: 'They said hello.', signature: 'x', ...cached };
    const changed = { type: 'fallback', from: { model: 'a' }, to: { model: 'b' }, trigger: { type: 'refusal' } };
    expect(partsOf([summed, changed, { type: 'text', text: 'Hi.' }], 'assistant')).toEqual([
      { type: 'text', text: 'They said hello.', cacheControl: {} },
      { type: 'text', text: 'Hi.' },
    ]);
  });

  it.each([
    ['tools[0].type', { tools: [{ type: 'computer_20250124', name: 'computer' }] }],
    ['tools[0].type', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }],
    ['messages[0].content[0].type', { messages: [{ role: 'user', content: [{ type: 'server_tool_use' }] }] }],
    [
      'messages[0].content[0].source.type',
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'x' } }] }] },
    ],
    ['messages[0].content[0].text', { messages: [{ role: 'user', content: [{ type: 'text' }] }] }],
    ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: 10 } }],
    ['thinking.type', { thinking: { type: 'odd' } }],
    ['tool_choice.name', { tool_choice: { type: 'tool' } }],
    ['output_config.effort', { output_config: { effort: 'huge' } }],
  ])('answers 400 naming %s', (path, members) => {
    expect(() => fromRequest({ ...base, ...members })).toThrow(`'${path}'`);
  });
});

it.each([
  [{ thread: { type: 'continue', previous_message_id: 'msg_1' } }, ['thread'], 'thread_unsupported_request'],
  [{ mcp_servers: [{ type: 'url', url: 'https://a.test', name: 'a' }] }, ['mcp_servers'], undefined],
])('refuses what Anthropic keeps or runs, so that its clients send all of it: %j', (members, unsupported, code) => {
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }], ...members };
  try {
    fromRequest(body);
    throw new Error('it was taken');
  } catch (error) {
    expect(error).toMatchObject({ status: 400, details: { unsupported, ...(code && { error_code: code }) } });
  }
});
