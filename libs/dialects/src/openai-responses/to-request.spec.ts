import type { CanonicalMessage, CanonicalRequest } from '../canonical/generation-request';
import { targetOf } from '../proof/targets.fixture';
import { openaiResponsesProviderCodec } from './provider-codec';

const hello: CanonicalMessage = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] };

function written(members: Partial<CanonicalRequest>, reasons = true, efforts?: string[]) {
  const target = targetOf('openai-responses', false);
  target.model.capabilities.reasoning = reasons;
  target.model.reasoningEfforts = efforts;
  const request: CanonicalRequest = {
    surface: 'openai-chat',
    stream: false,
    messages: [hello],
    unread: [],
    ...members,
  };
  const { body, warnings } = openaiResponsesProviderCodec.toRequest(request, target);
  const sent: Record<string, unknown> = JSON.parse(JSON.stringify(body));
  return { body: sent, warnings };
}

describe('a request to a provider of responses', () => {
  it('has nothing kept, and asks for sealed reasoning where the model reasons', () => {
    expect(written({}).body).toEqual({
      model: 'gpt-5.4',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
      store: false,
      include: ['reasoning.encrypted_content'],
    });
    expect(written({}, false).body).not.toHaveProperty('include');
  });

  it('has the first system message as its instructions, and every later one in its place', () => {
    const system = (text: string): CanonicalMessage => ({ role: 'system', parts: [{ type: 'text', text }] });
    const { instructions, input } = written({ messages: [system('a'), hello, system('b')] }).body;
    expect(instructions).toBe('a');
    expect(input).toMatchObject([{ role: 'user' }, { role: 'system', content: [{ text: 'b' }] }]);
  });

  // https://github.com/Wei-Shaw/sub2api/pull/3337
  it('has all of it in the input where any JSON is asked for: OpenAI looks for the word there alone', () => {
    const said: CanonicalMessage = { role: 'system', parts: [{ type: 'text', text: 'Answer in JSON.' }] };
    const { body } = written({ messages: [said, hello], responseFormat: { type: 'json-object' } });
    expect(body).not.toHaveProperty('instructions');
    expect(body.input).toMatchObject([{ role: 'system', content: [{ text: 'Answer in JSON.' }] }, { role: 'user' }]);
  });

  it('gives seals of this dialect back and leaves those of others out', () => {
    const seal = (dialect: 'openai-responses' | 'gemini') => ({ dialect, kind: 'encrypted', value: 'v' }) as const;
    const parts = [
      { type: 'reasoning', id: 'rs_1', text: 'Hm.', seal: seal('openai-responses') } as const,
      { type: 'reasoning', text: 'no', seal: seal('gemini') } as const,
      { type: 'tool-call', id: 'c', name: 'f', arguments: '', signature: seal('gemini') } as const,
    ];
    expect(written({ messages: [hello, { role: 'assistant', parts }] }).body.input).toMatchObject([
      { role: 'user' },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        encrypted_content: 'v',
      },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    ]);
  });

  it.each<[string, CanonicalMessage[]]>([
    ['the user goes on', [hello]],
    ['nothing comes', []],
    ['results of a tool come', [{ role: 'tool', parts: [{ type: 'tool-result', toolCallId: 'c', content: [] }] }]],
  ])('leaves a thought out of which an answer that was broken off made nothing (%s)', (_, next) => {
    const seal = { dialect: 'openai-responses', kind: 'encrypted', value: 'v' } as const;
    const thought = (id: string) => ({ type: 'reasoning', id, text: '', seal }) as const;
    const call = { type: 'tool-call', id: 'c', name: 'f', arguments: '' } as const;
    const parts = [thought('rs_1'), thought('rs_2'), call, thought('rs_3'), thought('rs_4')];
    const { body, warnings } = written({ messages: [hello, { role: 'assistant', parts }, ...next] });
    expect(JSON.stringify(body.input).match(/rs_\d/g)).toEqual(['rs_1', 'rs_2']);
    expect(warnings).toEqual(['reasoning that led to nothing was dropped: Acme takes it only with what came of it']);
  });

  it('shortens an id that is too long in the same way for the call and its result', () => {
    const id = 'c'.repeat(65);
    const { input } = written({
      messages: [
        { role: 'assistant', parts: [{ type: 'tool-call', id, name: 'f', arguments: '{}' }] },
        { role: 'tool', parts: [{ type: 'tool-result', toolCallId: id, content: [] }] },
      ],
    }).body;
    const ids = JSON.stringify(input).match(/"call_id":"[^"]*"/g) ?? [];
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]?.length).toBeLessThanOrEqual('"call_id":""'.length + 64);
  });

  it('marks a failed result, and keeps parts of results', () => {
    const results: CanonicalMessage = {
      role: 'tool',
      parts: [
        { type: 'tool-result', toolCallId: 'a', content: [{ type: 'text', text: 'boom' }], isError: true },
        {
          type: 'tool-result',
          toolCallId: 'b',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AA' } },
          ],
        },
      ],
    };
    expect(written({ messages: [hello, results] }).body.input).toMatchObject([
      {},
      { output: 'Error: boom' },
      {
        output: [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', image_url: 'data:image/png;base64,AA' },
        ],
      },
    ]);
  });

  it('says that tools are not strict unless they were to be, and gives every tool the schema of an object', () => {
    const tools = [{ name: 'a' }, { name: 'b', parameters: { properties: {} }, strict: true }];
    expect(written({ tools }).body.tools).toEqual([
      { type: 'function', name: 'a', parameters: { type: 'object', properties: {} }, strict: false },
      { type: 'function', name: 'b', parameters: { type: 'object', properties: {} }, strict: true },
    ]);
  });

  it('raises an output limit that OpenAI does not take, with a warning', () => {
    const { body, warnings } = written({ maxOutputTokens: 5 });
    expect(body.max_output_tokens).toBe(16);
    expect(warnings).toEqual([expect.stringContaining('5 tokens became 16')]);
  });

  it.each([
    [{ effort: 'high' }, { effort: 'high' }, 0],
    [{ off: true }, { effort: 'none' }, 0],
    [{ budgetTokens: 20_000 }, { effort: 'high' }, 1],
    [{ effort: 'low', summary: 'detailed' }, { effort: 'low', summary: 'detailed' }, 0],
  ] as const)('names the reasoning %j as %j', (reasoning, expected, told) => {
    const { body, warnings } = written({ reasoning });
    expect(body.reasoning).toEqual(expected);
    expect(warnings).toHaveLength(told);
  });

  it.each([
    [{ off: true }, 'low', 'stayed on'],
    [{ effort: 'none' }, 'low', 'stayed on'],
    [{ effort: 'minimal' }, 'low', "'minimal' became 'low'"],
    [{ effort: 'max' }, 'high', "'max' became 'high'"],
    [{ budgetTokens: 10_000 }, 'low', 'budget became'],
  ] as const)('takes for %j the nearest effort that the model knows, and says so', (reasoning, effort, words) => {
    const { body, warnings } = written({ reasoning }, true, ['low', 'high']);
    expect(body.reasoning).toEqual({ effort });
    expect(warnings).toEqual([expect.stringContaining(words)]);
  });

  it('asks for log probabilities in the way of this dialect', () => {
    const { body } = written({ logprobs: { top: 3 } });
    expect(body.top_logprobs).toBe(3);
    expect(body.include).toContain('message.output_text.logprobs');
  });

  it('refuses a file that was uploaded to another provider', () => {
    const source = { kind: 'file-id', id: 'f', dialect: 'anthropic-messages' } as const;
    const asked: CanonicalMessage = { role: 'user', parts: [{ type: 'file', source }] };
    expect(() => written({ messages: [asked] })).toThrow("The file 'f' was uploaded to another provider");
  });

  it('leaves out what a provider refuses, with a warning', () => {
    const target = targetOf('openai-responses', false);
    target.provider.quirks.dropFields.push('metadata');
    const request: CanonicalRequest = {
      surface: 'openai-chat',
      stream: false,
      messages: [hello],
      metadata: { a: 'b' },
      unread: [],
    };
    const { body, warnings } = openaiResponsesProviderCodec.toRequest(request, target);
    expect(body).not.toHaveProperty('metadata');
    expect(warnings).toEqual(['metadata was dropped: Acme does not take it']);
  });
});
