import { targetOf } from './target.fixture';
import { anthropicMessagesToAnthropicMessages } from './translation';

function prepare(body: string) {
  const { request } = anthropicMessagesToAnthropicMessages.prepare(Buffer.from(body), targetOf('claude-sonnet-5'), {
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
});
