import type { AnswerBlock } from '../canonical/answer';
import type { ReasoningSeal } from '../canonical/generation-request';
import { openaiChatSurfaceCodec } from './surface-codec';

const context = {
  request: { surface: 'openai-chat', stream: false, messages: [], unread: [] },
  body: {},
  model: 'm',
  includeUsage: false,
  newId: () => 'new',
  nowS: 0,
} as const;

/** What a client that keeps what it was given sends back. */
function sentBack(block: AnswerBlock): unknown {
  const answer = {
    id: null,
    model: null,
    createdAtS: null,
    usage: null,
    choices: [{ blocks: [block], finish: 'stop' as const }],
  };
  const written: unknown = JSON.parse(
    JSON.stringify(
      openaiChatSurfaceCodec.toResponse(answer, {
        ...context,
        request: { ...context.request, messages: [], unread: [] },
      }),
    ),
  );
  const { choices } = written as { choices: { message: unknown }[] };
  const { messages } = openaiChatSurfaceCodec.fromRequest({ messages: [choices[0]?.message] });
  return messages[0]?.parts[0];
}

describe('reasoning that a provider has sealed', () => {
  it.each<ReasoningSeal>([
    { dialect: 'anthropic-messages', kind: 'signature', value: 'Er==' },
    { dialect: 'openai-responses', kind: 'encrypted', value: 'gAAA' },
    { dialect: 'gemini', kind: 'signature', value: 'sig' },
    { dialect: 'bedrock-converse', kind: 'redacted', value: 'AAAA' },
  ])('comes back from a client of chat completions to its own provider: %j', (seal) => {
    const text = seal.kind === 'redacted' ? '' : 'hm';
    expect(sentBack({ type: 'reasoning', text, id: 'rs_1', seal })).toEqual({
      type: 'reasoning',
      text,
      id: 'rs_1',
      seal,
    });
  });

  it('comes back whole where the provider itself spoke this dialect', () => {
    const detail = { type: 'reasoning.encrypted', data: 'abc', format: 'openai-responses-v1', index: 0 };
    const seal: ReasoningSeal = { dialect: 'openai-chat', kind: 'redacted', value: JSON.stringify(detail) };
    expect(sentBack({ type: 'reasoning', text: '', seal })).toEqual({ type: 'reasoning', text: '', seal });
  });

  it('brings the signature of a call back', () => {
    const signature: ReasoningSeal = { dialect: 'gemini', kind: 'signature', value: 'sig' };
    const call: AnswerBlock = { type: 'tool-call', id: 'c', name: 'f', arguments: '{}', signature };
    expect(sentBack(call)).toEqual(call);
  });
});

it.each(['', null])('a signature of a call that is %j is none', (signature) => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
  const signed = { ...call, extra_content: { google: { thought_signature: signature } } };
  const { messages } = openaiChatSurfaceCodec.fromRequest({ messages: [{ role: 'assistant', tool_calls: [signed] }] });
  expect(messages[0]?.parts).toEqual([{ type: 'tool-call', id: 'c', name: 'f', arguments: '{}' }]);
});
