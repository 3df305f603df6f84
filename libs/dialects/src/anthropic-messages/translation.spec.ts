import { targetOf } from './target.fixture';
import { anthropicMessagesToAnthropicMessages } from './translation';

function prepare(body: string, model = 'claude-sonnet-5') {
  const { request } = anthropicMessagesToAnthropicMessages.prepare(Buffer.from(body), targetOf(model), {
    includeUsage: false,
  });
  return { ...request, body: Buffer.from(request.body).toString() };
}

describe('messages to messages', () => {
  it('passes the bytes with the model replaced, unknown fields and signatures included', () => {
    const rest = `"new":{"a":1.50},"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"Er=="}]}]`;
    const { body, path, headers } = prepare(`{"model":"anthropic/claude-sonnet-5", ${rest}}`);
    expect(body).toBe(`{"model":"claude-sonnet-5", ${rest}}`);
    expect(path).toBe('/messages');
    expect(headers).toMatchObject({ 'anthropic-version': '2023-06-01', accept: 'application/json' });
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
      expect(Buffer.from(attempt.request.body).toString()).toBe(asked);
      expect(attempt.request.warnings).toEqual([]);
    }
  });
});
