import { fitRequest } from '../canonical/fit-request';
import type { CanonicalMessage, CanonicalRequest, MessagePart } from '../canonical/generation-request';
import { aRequest } from '../builders.fixture';
import { cohereProviderCodec } from './provider-codec';
import { cohereTarget } from './target.fixture';

const text = (value: string): MessagePart => ({ type: 'text', text: value });
const says = (role: CanonicalMessage['role'], ...parts: MessagePart[]): CanonicalMessage => ({ role, parts });
const call: MessagePart = { type: 'tool-call', id: 'c1', name: 'f', arguments: '' };
const image = (url: string): MessagePart => ({ type: 'image', source: { kind: 'url', url }, detail: 'original' });

/** What is sent for a request to a model that reasons, or to one that does not. */
function sent(overrides: Partial<CanonicalRequest>, reasons = false) {
  const target = cohereTarget(reasons);
  const fitted = fitRequest(aRequest(overrides), cohereProviderCodec, target);
  const { body, warnings, path } = cohereProviderCodec.toRequest(fitted.request, target);
  return { body, path, warnings: [...fitted.warnings, ...warnings] };
}

describe('a request to Cohere', () => {
  it('has the plain form where nothing more is asked', () => {
    expect(sent({})).toEqual({
      path: '/chat',
      body: { model: 'command-a-03-2025', messages: [{ role: 'user', content: 'Hello' }], stream: false },
      warnings: [],
    });
  });

  it('keeps messages in their order, and tells of those that hold nothing', () => {
    const messages = [
      says('system', text('one')),
      says('user', text('a'), text('b')),
      says('assistant', text('c'), { type: 'refusal', text: 'd' }),
      says('developer', text('two')),
      says('user', image('https://a.example/b.png')),
      says('user', { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AA' } }),
      says('user', text('')),
      says('assistant'),
    ];
    const { body, warnings } = sent({ messages });
    expect(body.messages).toEqual([
      { role: 'system', content: 'one' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'c' },
          { type: 'text', text: 'd' },
        ],
      },
      { role: 'system', content: 'two' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'high' } }] },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }] },
    ]);
    expect(warnings).toEqual(['a message without content was left out: Cohere refuses it']);
    expect(() => sent({ messages: [says('user')] })).toThrow('hold nothing');
  });

  it('brings calls, plans and results back', () => {
    const messages = [
      says('user', text('go')),
      says('assistant', { type: 'reasoning', text: 'I will look.' }, call),
      says(
        'tool',
        { type: 'tool-result', toolCallId: 'c1', content: [{ type: 'text', text: '{"t":1}' }] },
        { type: 'tool-result', toolCallId: 'c2', content: [], isError: true },
        {
          type: 'tool-result',
          toolCallId: 'c3',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
      ),
    ];
    const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }];
    expect(sent({ messages }).body.messages).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', tool_plan: 'I will look.', tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: '{"t":1}' },
      { role: 'tool', tool_call_id: 'c2', content: '{"error":""}' },
      {
        role: 'tool',
        tool_call_id: 'c3',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
    expect(sent({ messages }, true).body.messages).toContainEqual({
      role: 'assistant',
      content: [{ type: 'thinking', thinking: 'I will look.' }],
      tool_calls: calls,
    });
  });

  it('shows the images of results behind all of them, in a user message', () => {
    const image = { type: 'image' as const, source: { kind: 'data' as const, mediaType: 'image/png', data: 'AA' } };
    const result = (toolCallId: string, ...content: (typeof image | { type: 'text'; text: string })[]) =>
      says('tool', { type: 'tool-result', toolCallId, content });
    const messages = [
      says('user', text('go')),
      says('assistant', call),
      result('c1', image),
      result('c2', { type: 'text', text: 'a' }),
    ];
    expect(sent({ messages: [...messages, says('user', text('and?'))] }).body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool', tool_call_id: 'c1', content: 'See the attachment below.' },
      { role: 'tool', tool_call_id: 'c2', content: 'a' },
      { role: 'user', content: [{ type: 'text' }, { image_url: { url: 'data:image/png;base64,AA' } }] },
      { role: 'user', content: 'and?' },
    ]);
  });

  it('leaves out what other providers have sealed', () => {
    const seal = { dialect: 'gemini' as const, kind: 'signature' as const, value: 'secret' };
    const messages = [says('user', text('go')), says('assistant', { type: 'reasoning', text: 'hm', seal }, text('a'))];
    expect(sent({ messages }, true)).toMatchObject({
      body: { messages: [{ role: 'user' }, { role: 'assistant', content: 'a' }] },
      warnings: [],
    });
  });

  it.each<[string, MessagePart]>([
    ['file by data', { type: 'file', source: { kind: 'data', mediaType: 'application/pdf', data: 'AA' } }],
    ['audio input', { type: 'audio', source: { kind: 'data', mediaType: 'audio/wav', data: 'AA' } }],
  ])('refuses %s', (feature, part) => {
    expect(() => sent({ messages: [says('user', part)] })).toThrow(`${feature} is not possible`);
  });

  it('writes the sampling in the ranges of Cohere, with a warning for each change', () => {
    const { body, warnings } = sent({
      maxOutputTokens: 9,
      temperature: 1.5,
      topP: 1,
      topK: 600,
      stop: ['x'],
      seed: 7,
      presencePenalty: -1,
      frequencyPenalty: 0.5,
      logprobs: { top: 2 },
    });
    expect(body).toMatchObject({
      max_tokens: 9,
      temperature: 1,
      p: 0.99,
      k: 500,
      stop_sequences: ['x'],
      seed: 7,
      presence_penalty: 0,
      frequency_penalty: 0.5,
      logprobs: true,
    });
    expect(warnings).toHaveLength(5);
    expect(sent({ seed: -7 }).body).toMatchObject({ seed: 0 });
    expect(() => sent({ stop: ['1', '2', '3', '4', '5', '6'] })).toThrow('Cohere takes 5');
  });

  it('offers tools, and only the one that is named where one is', () => {
    const tools = [
      { name: 'f', description: 'does', strict: true },
      { name: 'g', parameters: { properties: {} } },
    ];
    const g = { type: 'function', function: { name: 'g', parameters: { type: 'object', properties: {} } } };
    const all = sent({ tools, toolChoice: { type: 'required' } });
    expect(all.body).toMatchObject({
      tools: [{ function: { name: 'f', description: 'does', parameters: { type: 'object', properties: {} } } }, g],
      tool_choice: 'REQUIRED',
      strict_tools: true,
    });
    expect(all.warnings).toEqual(['strict was applied to every tool: Cohere knows it for all tools or for none']);
    const one = sent({ tools, toolChoice: { type: 'tool', name: 'g' } });
    expect(one.body).toMatchObject({ tools: [g], tool_choice: 'REQUIRED' });
    expect(one.body).not.toHaveProperty('strict_tools');
    expect(sent({ tools, toolChoice: { type: 'none' } }).body.tool_choice).toBe('NONE');
    expect(sent({ tools, toolChoice: { type: 'auto' } }).body).not.toHaveProperty('tool_choice');
    expect(() => sent({ tools, toolChoice: { type: 'tool', name: 'h' } })).toThrow('not among the tools');
  });

  it('binds an answer to JSON, in words where tools or documents stand beside it', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const responseFormat = { type: 'json-schema' as const, name: 'answer', schema };
    expect(sent({ responseFormat: { type: 'json-object' } }).body.response_format).toEqual({ type: 'json_object' });
    expect(sent({ responseFormat }).body.response_format).toEqual({ type: 'json_object', json_schema: schema });
    const described = { ...responseFormat, description: 'outer', schema: { ...schema, description: 'inner' } };
    expect(sent({ responseFormat: described }).body.response_format).toEqual({
      type: 'json_object',
      json_schema: { ...schema, description: 'outer\n\ninner' },
    });
    for (const beside of [{ tools: [{ name: 'f' }] }, { extra: { documents: ['d'] } }]) {
      const { body, warnings } = sent({ responseFormat, ...beside });
      expect(body).not.toHaveProperty('response_format');
      expect(JSON.stringify(body.messages)).toContain('must fit this JSON schema');
      expect(warnings).toContainEqual(expect.stringContaining('the JSON format was asked for in words'));
    }
  });

  it.each([
    [{ off: true }, { type: 'disabled' }],
    [{ effort: 'none' as const }, { type: 'disabled' }],
    [{ effort: 'low' as const }, { type: 'enabled', token_budget: 2_048 }],
    [{ effort: 'high' as const }, { type: 'enabled' }],
    [{ budgetTokens: 3_000 }, { type: 'enabled', token_budget: 3_000 }],
    [{ adaptive: true }, { type: 'enabled' }],
  ])('says reasoning %j as %j', (reasoning, thinking) => {
    expect(sent({ reasoning }, true)).toMatchObject({ body: { thinking }, warnings: [] });
    expect(sent({ reasoning }).body).not.toHaveProperty('thinking');
  });

  it("takes Cohere's own fields from a caller of any dialect, but none that changes what it writes itself", () => {
    const extra = {
      documents: ['d'],
      safety_mode: 'STRICT',
      citation_options: { mode: 'OFF' },
      priority: 1,
      model: 'x',
    };
    const { body, warnings } = sent({ extra });
    expect(body).toMatchObject({ documents: ['d'], safety_mode: 'STRICT', citation_options: { mode: 'OFF' } });
    expect(body.model).toBe('command-a-03-2025');
    expect(body).not.toHaveProperty('priority');
    expect(warnings).toHaveLength(2);
  });

  it.each([
    ['a text', { documents: ['d'] }, true],
    ['a document without an address', { documents: [{ id: 'a', data: { title: 'A', snippet: 's' } }] }, true],
    ['a document with one', { documents: [{ id: 'a', data: { url: 'https://a.example' } }] }, false],
    [
      'one of each',
      { documents: ['d', { data: { url: 'https://a.example' } }], citation_options: { mode: 'FAST' } },
      true,
    ],
    ['none, as citations are off', { documents: ['d'], citation_options: { mode: 'OFF' } }, false],
    ['none', { documents: [] }, false],
  ])('says that citations of documents cannot be told, where it sends %s', (_, extra, isTold) => {
    const { body, warnings } = sent({ extra });
    expect(body).toMatchObject(extra);
    const told = 'citations of documents were dropped: only those with a url in their data can be named';
    expect(warnings).toEqual(isTold ? [told] : []);
  });
});
