import { AnswerCollector } from '../canonical/collect-answer';
import type { CanonicalMessage, CanonicalRequest, MessagePart, ReasoningSeal } from '../canonical/generation-request';
import { anthropicMessagesProviderCodec } from './provider-codec';
import { anthropicMessagesSurfaceCodec } from './surface-codec';
import { aRequest } from '../builders.fixture';
import { answerContext, parseContext, targetOf } from './target.fixture';

const turns = 5;

/** A signature with every character of base64, different for each turn. */
function signature(turn: number): string {
  return `ErUB+/${String(turn)}abcXYZ==`;
}

function answerContent(turn: number): object[] {
  return [
    { type: 'thinking', thinking: `step ${turn}`, signature: signature(turn) },
    { type: 'redacted_thinking', data: `red${signature(turn)}` },
    { type: 'tool_use', id: `toolu_${turn}`, name: 'f', input: { turn } },
  ];
}

function userTurn(turn: number): object {
  const content = turn === 0 ? 'go' : [{ type: 'tool_result', tool_use_id: `toolu_${turn - 1}`, content: `r${turn}` }];
  return { role: 'user', content };
}

describe('a tool loop of five turns with thinking', () => {
  it('brings every signature back byte for byte, through answer and request', () => {
    const messages: object[] = [];
    for (let turn = 0; turn < turns; turn++) {
      messages.push(userTurn(turn));
      const collector = new AnswerCollector();
      const parser = anthropicMessagesProviderCodec.answerParser(parseContext());
      const document = { id: 'msg', content: answerContent(turn), stop_reason: 'tool_use', usage: {} };
      for (const event of parser.onDocument(document)) collector.add(event);
      const answer: { content?: object[] } = anthropicMessagesSurfaceCodec.toResponse(
        collector.answer(),
        answerContext(),
      );
      messages.push({ role: 'assistant', content: answer.content });
    }
    messages.push(userTurn(turns));
    const request = anthropicMessagesSurfaceCodec.fromRequest({
      model: 'm',
      max_tokens: 9_000,
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      messages,
    });
    const { body, warnings } = anthropicMessagesProviderCodec.toRequest(request, targetOf('claude-sonnet-4-5'));
    const sent: { messages: { role: string; content: object[] }[] } = JSON.parse(JSON.stringify(body));
    const assistant = sent.messages.filter(({ role }) => role === 'assistant').map(({ content }) => content);
    expect(assistant).toEqual(Array.from({ length: turns }, (_, turn) => answerContent(turn)));
    expect(warnings).toEqual([]);
  });

  it.each<[string, ReasoningSeal, string | undefined]>([
    [
      'encrypted reasoning of the responses dialect',
      { dialect: 'openai-responses', kind: 'encrypted', value: 'gAAA=/+' },
      'rs_1',
    ],
    ['a thought signature of Gemini', { dialect: 'gemini', kind: 'signature', value: 'Ci+/=' }, undefined],
  ])('carries %s through a caller of this dialect, beside the text, alone and on a tool call', (_, seal, id) => {
    const item = id === undefined ? {} : { id };
    const call: MessagePart = { type: 'tool-call', id: 'c1', name: 'f', arguments: '{"a":1}', signature: seal };
    const parts: MessagePart[] = [
      { type: 'reasoning', text: 'hm', ...item, seal },
      { type: 'reasoning', text: '', ...item, seal },
      call,
    ];
    const answer = {
      id: null,
      model: null,
      createdAtS: null,
      usage: null,
      choices: [
        {
          finish: 'tool-calls' as const,
          blocks: [
            { type: 'reasoning' as const, text: 'hm', ...item, seal },
            { type: 'reasoning' as const, text: '', ...item, seal },
            call,
          ],
        },
      ],
    };
    const written: { content?: object[] } = anthropicMessagesSurfaceCodec.toResponse(answer, answerContext());
    const read: CanonicalRequest = anthropicMessagesSurfaceCodec.fromRequest({
      model: 'm',
      max_tokens: 9,
      messages: [{ role: 'assistant', content: written.content }],
    });
    expect(read.messages).toEqual([{ role: 'assistant', parts }]);
  });
});

describe('thoughts that are bound to their conversation', () => {
  const thoughts: CanonicalMessage[] = [
    { role: 'user', parts: [{ type: 'text', text: 'a' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'y', seal: { dialect: 'anthropic-messages', kind: 'signature', value: 's' } },
        { type: 'text', text: 'b' },
      ],
    },
    { role: 'user', parts: [{ type: 'text', text: 'c' }] },
  ];

  it('has thoughts dropped that a changed conversation does not fit any more, by the models that look at it', () => {
    const request = aRequest({ messages: thoughts });
    const asked = (model: string) => anthropicMessagesProviderCodec.toRequest(request, targetOf(model, false));
    const { body, headers } = asked('claude-opus-5-5');
    expect(body.thinking).toEqual({
      type: 'adaptive',
      block_binding: { prefix_mismatch_behavior: 'drop_block' },
    });
    expect(headers['anthropic-beta']).toBe('thinking-binding-controls-2026-08-01');
    expect(JSON.stringify(body.messages)).toContain('"signature":"s"');
    expect(asked('claude-opus-5').body.thinking).toBeUndefined();
    expect(asked('claude-opus-5').headers).not.toHaveProperty('anthropic-beta');
  });

  it('leaves bound thoughts out where the model is told not to think', () => {
    const request = aRequest({ messages: thoughts, reasoning: { off: true } });
    const { body } = anthropicMessagesProviderCodec.toRequest(request, targetOf('claude-sonnet-5-5', false));
    expect(body.thinking).toEqual({ type: 'between_tools' });
    expect(JSON.stringify(body.messages)).not.toContain('signature');
  });
});
