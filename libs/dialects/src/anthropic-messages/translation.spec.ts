import { targetOf } from './target.fixture';
import { anthropicMessagesToAnthropicMessages } from './translation';

function prepare(body: string, model = 'claude-sonnet-5') {
  const { request } = anthropicMessagesToAnthropicMessages.prepare(Buffer.from(body), targetOf(model), {
    includeUsage: false,
  });
  return { ...request, body: Buffer.concat(request.body).toString() };
}

describe('messages to messages', () => {
  it('passes the bytes with the model replaced, unknown fields and signatures included', () => {
    const rest = `"new":{"a":1.50},"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"Er=="}]}]`;
    const { body, path, headers } = prepare(`{"model":"anthropic/claude-sonnet-5", ${rest}}`);
    expect(body).toBe(`{"model":"claude-sonnet-5", ${rest}}`);
    expect(path).toBe('/messages');
    expect(headers).toMatchObject({ 'anthropic-version': '2023-06-01', accept: 'application/json' });
  });

  // https://code.claude.com/docs/en/llm-gateway-protocol#system-prompt-attribution-block
  it('passes what Claude Code tells Anthropic where Claude is served, and leaves it out elsewhere', () => {
    const line = '{"type":"text", "text":"x-anthropic-billing-header: cc_version=2.1.177; cch=36ee5;"}';
    const other = '{"type":"text","text":"x"}';
    const asked = (system: string) => `{"model":"m", "system":[${system}],"messages":[]}`;
    expect(prepare(asked(`${line}, ${other}`)).body).toContain(`"system":[${line}, ${other}]`);
    const { body, warnings } = prepare(asked(`${line}, ${other}`), 'glm-5.2');
    expect(body).toBe(`{"model":"glm-5.2", "system":[${other}],"messages":[]}`);
    expect(warnings).toEqual([expect.stringContaining('attribution of Claude Code')]);
    expect(prepare(asked(line), 'glm-5.2').body).not.toContain('system');
  });

  it('leaves that line out, too, where the prompt follows it in the same text', () => {
    const line = 'x-anthropic-billing-header: cc_version=2.1.177; cch=36ee5;';
    const long = `Be "brief".${'\n– as ever'.repeat(500)}`;
    const sent = (system: unknown, model = 'glm-5.2') => {
      const { body, warnings } = prepare(JSON.stringify({ model: 'm', system, messages: [] }), model);
      return { system: (JSON.parse(body) as { system?: unknown }).system, told: warnings.length };
    };
    const mark = { type: 'ephemeral' };
    const block = (text: string) => ({ type: 'text', text, cache_control: mark });
    expect(sent(`${line}\n\n${long}`)).toEqual({ system: long, told: 1 });
    expect(sent([block(`${line}\n${long}`), block('x')])).toEqual({ system: [block(long), block('x')], told: 1 });
    expect(sent(line)).toEqual({ told: 1 });
    expect(sent(`Say: ${line}`)).toEqual({ system: `Say: ${line}`, told: 0 });
    expect(sent(`${line}\n${long}`, 'claude-sonnet-5')).toEqual({ system: `${line}\n${long}`, told: 0 });
  });

  it('leaves out reasoning that another provider made, and a turn that held nothing else, because Anthropic refuses both', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: '' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'x', signature: 'tollgate:e30' },
          { type: 'redacted_thinking', data: 'tollgate:e30' },
          { type: 'thinking', thinking: 'own', signature: 'Er==' },
          { type: 'text', text: 'say "signature":"" please' },
        ],
      },
    ];
    const sent: unknown = JSON.parse(prepare(JSON.stringify({ model: 'm', keep: 1, messages })).body);
    expect(sent).toEqual({
      model: 'claude-sonnet-5',
      keep: 1,
      messages: [messages[0], { role: 'assistant', content: messages[2]?.content.slice(2) }],
    });
  });

  describe('with a model of another maker, which insists on thoughts beside calls', () => {
    const { provider, ...others } = targetOf('deepseek-flash');
    const quirks = { ...provider.quirks, insistsOnReasoning: ['deepseek-'] };
    const target = { ...others, provider: { ...provider, id: 'deepseek', quirks } };
    const attempt = (body: object) =>
      anthropicMessagesToAnthropicMessages.prepare(Buffer.from(JSON.stringify(body)), target, { includeUsage: false });
    const call = { type: 'tool_use', id: 't', name: 'f', input: {} };
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 'd1' };

    it('names it in front of its seals, so that Claude does not get them, and takes the name off again', () => {
      const answer = { id: 'msg_1', type: 'message', role: 'assistant', model: 'deepseek-flash', content: [thought] };
      const usage = { input_tokens: 1, output_tokens: 1 };
      const document = { ...answer, stop_reason: 'end_turn', usage };
      const reader = attempt({ model: 'm', messages: [] }).answerReader();
      reader.push(Buffer.from(JSON.stringify(document)));
      const told = JSON.parse(Buffer.from(reader.end()).toString()) as { content: object[] };
      expect(told.content).toEqual([{ ...thought, signature: 'tollgate@deepseek:d1' }]);
      const history = [{ role: 'assistant', content: [...told.content, call] }];
      const sent = JSON.parse(Buffer.concat(attempt({ messages: history }).request.body).toString()) as object;
      expect(sent).toMatchObject({ messages: [{ role: 'assistant', content: [thought, call] }] });
      expect(JSON.parse(prepare(JSON.stringify({ messages: history })).body)).toMatchObject({
        messages: [{ role: 'assistant', content: [call] }],
      });
    });

    it.each([
      ['of another model keeps its words', [{ ...thought, signature: 'tollgate:e30' }, call], 'Hm.'],
      ['that was not kept leaves a space', [call], ' '],
    ])('a thought %s', (_, content, thinking) => {
      const { body } = attempt({ messages: [{ role: 'assistant', content }] }).request;
      expect(JSON.parse(Buffer.concat(body).toString())).toMatchObject({
        messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking, signature: '' }, call] }],
      });
    });
  });

  const adaptive = {
    model: 'm',
    max_tokens: 8_000,
    thinking: { type: 'adaptive' },
    messages: [{ role: 'user', content: 'a' }],
  };

  it('puts adaptive thinking to an older model as the budget that it knows, and says so', () => {
    const { body, warnings } = prepare(
      JSON.stringify({ ...adaptive, output_config: { effort: 'low' }, temperature: 1 }),
      'claude-haiku-4-5',
    );
    const { output_config: config, ...sent } = JSON.parse(body) as Record<string, unknown>;
    expect(sent).toEqual({
      ...adaptive,
      model: 'claude-haiku-4-5',
      temperature: 1,
      thinking: { type: 'enabled', budget_tokens: 2_048 },
    });
    expect(config).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('budget of 2048 tokens')]);
  });

  const called = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] };
  it.each<[string, object, string]>([
    ['a model that does not think', {}, 'claude-3-5-haiku-20241022'],
    ['too short an answer', { max_tokens: 1_000 }, 'claude-sonnet-4-5'],
    ['a call without its thoughts', { messages: [...adaptive.messages, called] }, 'claude-sonnet-4-5'],
  ])('leaves adaptive thinking out for %s, and says so', (_, members, model) => {
    const { body, warnings } = prepare(JSON.stringify({ ...adaptive, ...members }), model);
    expect(JSON.parse(body)).not.toHaveProperty('thinking');
    expect(warnings).toHaveLength(1);
  });

  it('passes adaptive thinking to the models that know it', () => {
    const { body, warnings } = prepare(JSON.stringify({ ...adaptive, output_config: { effort: 'max' } }));
    expect(JSON.parse(body)).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } });
    expect(warnings).toEqual([]);
  });

  it.each([
    ['an operator', true],
    ['another maker', false],
  ])('passes adaptive thinking and effort to a model of %s, which knows best what it takes', (_, operatorDefined) => {
    const { model, provider, ...others } = targetOf('qwen3');
    const capabilities = { ...model.capabilities, reasoning: false };
    const own = { ...others, provider: { ...provider, operatorDefined }, model: { ...model, capabilities } };
    const asked = JSON.stringify({ ...adaptive, model: 'qwen3', max_tokens: 100, output_config: { effort: 'max' } });
    for (const target of [own, { ...own, model }]) {
      const attempt = anthropicMessagesToAnthropicMessages.prepare(Buffer.from(asked), target, { includeUsage: false });
      expect(Buffer.concat(attempt.request.body).toString()).toBe(asked);
      expect(attempt.request.warnings).toEqual([]);
    }
  });
});
