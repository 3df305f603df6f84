import type { CanonicalMessage, CanonicalRequest, MessagePart } from '../canonical/generation-request';
import { aRequest } from '../builders.fixture';
import { bedrockTarget } from './target.fixture';
import { toConverseRequest } from './to-converse-request';

const claude = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
const newClaude = 'global.anthropic.claude-opus-4-8';
const nova = 'amazon.nova-pro-v1:0';
const gptOss = 'openai.gpt-oss-120b-1:0';
const llama = 'us.meta.llama4-maverick-17b-instruct-v1:0';

function written(overrides: Partial<CanonicalRequest>, model = claude) {
  return toConverseRequest(aRequest(overrides), bedrockTarget(model));
}

const user = (...parts: MessagePart[]): CanonicalMessage => ({ role: 'user', parts });
const assistant = (...parts: MessagePart[]): CanonicalMessage => ({ role: 'assistant', parts });
const text = (value: string): MessagePart => ({ type: 'text', text: value });
const call = (id: string, args = '{}'): MessagePart => ({ type: 'tool-call', id, name: 'weather', arguments: args });
const result = (toolCallId: string, value: string): CanonicalMessage => ({
  role: 'tool',
  parts: [{ type: 'tool-result', toolCallId, content: value === '' ? [] : [{ type: 'text', text: value }] }],
});

describe('a request of Converse', () => {
  it('names the model in the path, escaped once, and the form of answer it wants', () => {
    expect(written({})).toMatchObject({
      path: '/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse',
      headers: { accept: 'application/json' },
      warnings: [],
      body: { messages: [{ role: 'user', content: [{ text: 'Hello' }] }] },
    });
    const arn = 'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude';
    expect(written({ stream: true }, arn)).toMatchObject({
      path: `/model/${encodeURIComponent(arn)}/converse-stream`,
      headers: { accept: 'application/vnd.amazon.eventstream' },
    });
  });

  it('names one way of sampling to Claude, and begins an answer without white space at its end', () => {
    const said = { messages: [user(text('hi')), assistant(text('I say: \n'))] };
    const { body, warnings } = written({ temperature: 0.4, topP: 0.9, ...said });
    expect(body.messages).toMatchObject([{}, { content: [{ text: 'I say:' }] }]);
    expect(body.inferenceConfig).toEqual({ temperature: 0.4 });
    expect(warnings).toEqual(['top p was dropped: this model does not take it beside temperature']);
  });

  it('holds nothing that was not asked for', () => {
    expect(Object.keys(written({}).body)).toEqual(['messages']);
  });

  it('carries limits and sampling; what Bedrock does not take so high is clamped, and told', () => {
    const asked = { maxOutputTokens: 5, temperature: 1.5, topP: 0.5, topK: 7, stop: ['a', '\n', 'b'] };
    const { body, warnings } = written(asked, 'anthropic.claude-sonnet-4-20250514-v1:0');
    expect(body).toMatchObject({
      inferenceConfig: { maxTokens: 5, temperature: 1, topP: 0.5, stopSequences: ['a', 'b'] },
      additionalModelRequestFields: { top_k: 7 },
      additionalModelResponseFieldPaths: ['/stop_sequence', '/delta/stop_sequence'],
    });
    expect(warnings).toEqual([expect.stringContaining('white space'), expect.stringContaining('was changed to 1')]);
  });

  it('has top k where the family of the model has it, else a warning', () => {
    expect(written({ topK: 7 }, nova).body.additionalModelRequestFields).toEqual({ inferenceConfig: { topK: 7 } });
    expect(written({ topK: 7 }, llama).warnings).toEqual(['top k was dropped: acme/large does not take it']);
  });

  it('binds the answer to a schema, which travels as text', () => {
    const schema = {
      additionalProperties: false,
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
    };
    const { body, warnings } = written({ responseFormat: { type: 'json-schema', name: 'thing', schema } });
    expect(body.outputConfig).toEqual({
      textFormat: {
        type: 'json_schema',
        structure: { jsonSchema: { name: 'thing', schema: JSON.stringify(schema) } },
      },
    });
    expect(warnings).toEqual([]);
  });

  it('tells a schema in words that Bedrock cannot enforce, and says so', () => {
    const schema = { type: 'object', additionalProperties: { type: 'string' } };
    const { body, warnings } = written({ responseFormat: { type: 'json-schema', name: 'thing', schema } });
    expect(body.outputConfig).toBeUndefined();
    expect(JSON.stringify(body.system)).toContain('additionalProperties');
    expect(warnings.join()).toContain('not enforced');
  });

  it('asks for any JSON object in words, and says so', () => {
    const { body, warnings } = written({ responseFormat: { type: 'json-object' } });
    expect(JSON.stringify(body.system)).toContain('one JSON object');
    expect(warnings).toHaveLength(1);
  });

  it('carries labels that Bedrock takes, and tells of the others', () => {
    const { body, warnings } = written({ metadata: { team: 'a b', 'odd<>': 'x', long: 'y'.repeat(257) } });
    expect(body.requestMetadata).toEqual({ team: 'a b' });
    expect(warnings).toEqual(['2 of the metadata were dropped: Bedrock takes 16 of plain characters']);
  });
});

describe('the turns of Converse', () => {
  it('alternate: neighbours of one role are joined, system and developer messages stand apart in their order', () => {
    const { body, warnings } = written({
      messages: [
        { role: 'system', parts: [text('One')] },
        { role: 'developer', parts: [text('Two')] },
        user(text('a')),
        user(text('b')),
        assistant(text('c')),
        { role: 'system', parts: [text('Three')] },
        assistant(text('d')),
      ],
    });
    expect(body).toEqual({
      system: [{ text: 'One' }, { text: 'Two' }, { text: 'Three' }],
      messages: [
        { role: 'user', content: [{ text: 'a' }, { text: 'b' }] },
        { role: 'assistant', content: [{ text: 'c' }, { text: 'd' }] },
      ],
    });
    expect(warnings).toEqual(['a system message was moved to the front: Bedrock takes instructions only there']);
  });

  it('leave out blank text, and tell of a message that held nothing else', () => {
    const { body, warnings } = written({
      messages: [user(text(' \n'), text('a')), assistant(text('')), user(text('b'))],
    });
    expect(body.messages).toEqual([{ role: 'user', content: [{ text: 'a' }, { text: 'b' }] }]);
    expect(warnings).toHaveLength(1);
  });

  it.each([[[]], [[user(text(' '))]]])('are refused when nobody says anything: %j', (messages) => {
    expect(() => written({ messages })).toThrow(/'messages' hold nothing that is not blank/);
  });

  it('hold parallel calls, and their results at the front of the next turn, failed ones marked', () => {
    const failed: CanonicalMessage = {
      role: 'tool',
      parts: [{ type: 'tool-result', toolCallId: 'two', content: [{ type: 'text', text: 'No' }], isError: true }],
    };
    const { body } = written({
      messages: [
        user(text('a')),
        assistant(call('one', '{"city":"Rome"}'), call('two', '')),
        user(text('wait')),
        result('one', 'sunny'),
        failed,
        user(text('go on')),
      ],
    });
    expect(body.messages).toEqual([
      { role: 'user', content: [{ text: 'a' }] },
      {
        role: 'assistant',
        content: [
          { toolUse: { toolUseId: 'one', name: 'weather', input: { city: 'Rome' } } },
          { toolUse: { toolUseId: 'two', name: 'weather', input: {} } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'one', content: [{ text: 'sunny' }] } },
          { toolResult: { toolUseId: 'two', content: [{ text: 'No' }], status: 'error' } },
          { text: 'wait' },
          { text: 'go on' },
        ],
      },
    ]);
  });

  it('keep a call and its result together when the id is not one of Bedrock', () => {
    const long = `call|${'x'.repeat(90)}`;
    const { body } = written({
      messages: [user(text('a')), assistant(call(long), call(`${long}2`)), result(long, 'ok')],
    });
    const ids = [...JSON.stringify(body.messages).matchAll(/"toolUseId":"([^"]*)"/g)].map(([, id]) => id ?? '');
    expect(ids[0]).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(ids[2]).toBe(ids[0]);
    expect(ids[1]).not.toBe(ids[0]);
  });

  it('keep arguments that are no object as text, and say so', () => {
    const { body, warnings } = written({ messages: [user(text('a')), assistant(call('one', '{"city":'))] });
    expect(JSON.stringify(body.messages)).toContain(JSON.stringify({ arguments: '{"city":' }));
    expect(warnings.join()).toContain('no JSON object');
  });

  it('take reasoning back with the seal of Bedrock, and leave out that of others without a word', () => {
    const { body, warnings } = written({
      messages: [
        user(text('a')),
        assistant(
          { type: 'reasoning', text: 'Hm', seal: { dialect: 'bedrock-converse', kind: 'signature', value: 'sig' } },
          { type: 'reasoning', text: '', seal: { dialect: 'bedrock-converse', kind: 'redacted', value: 'cmVk' } },
          { type: 'reasoning', text: 'No', seal: { dialect: 'openai-responses', kind: 'encrypted', value: 'x' } },
          call('one'),
        ),
        result('one', ''),
      ],
    });
    expect(body.messages).toMatchObject([
      {},
      {
        content: [
          { reasoningContent: { reasoningText: { text: 'Hm', signature: 'sig' } } },
          { reasoningContent: { redactedContent: 'cmVk' } },
          { toolUse: {} },
        ],
      },
      { content: [{ toolResult: { content: [] } }] },
    ]);
    expect(warnings).toEqual([
      'the tools of earlier calls are named again, as Bedrock wants it: the model may call them once more',
    ]);
  });
});

describe('media of Converse', () => {
  const data = (mediaType: string) => ({ kind: 'data', mediaType, data: 'AAAA' }) as const;

  it('are blocks by format, documents with names that Bedrock takes and that differ', () => {
    const { body } = written({
      messages: [
        user(
          { type: 'image', source: data('image/jpeg') },
          { type: 'file', source: data('application/pdf'), filename: 'Q3_report (final).pdf' },
          { type: 'file', source: data('text/plain; charset=utf-8'), filename: 'Q3_report (final).pdf' },
          { type: 'file', source: data('video/mp4') },
          { type: 'audio', source: data('audio/wav') },
          text('Read'),
        ),
      ],
    });
    const source = { bytes: 'AAAA' };
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { image: { format: 'jpeg', source } },
          { document: { format: 'pdf', name: 'Q3 report (final) pdf', source } },
          { document: { format: 'txt', name: 'Q3 report (final) pdf (2)', source } },
          { video: { format: 'mp4', source } },
          { audio: { format: 'wav', source } },
          { text: 'Read' },
        ],
      },
    ]);
  });

  it('of an unknown format are refused by name', () => {
    expect(() => written({ messages: [user({ type: 'image', source: data('image/tiff') })] })).toThrow(/image\/tiff/);
  });
});

describe('the tools of Converse', () => {
  const tools = [
    { name: 'weather', description: 'Tells it', parameters: { properties: {} }, strict: true },
    { name: 'now' },
  ];

  it('have the schema of an object each', () => {
    expect(written({ tools }).body.toolConfig).toEqual({
      tools: [
        {
          toolSpec: {
            name: 'weather',
            description: 'Tells it',
            inputSchema: { json: { type: 'object', properties: {} } },
            strict: true,
          },
        },
        { toolSpec: { name: 'now', inputSchema: { json: { type: 'object', properties: {} } } } },
      ],
    });
  });

  it.each([
    [{ type: 'auto' }, { auto: {} }],
    [{ type: 'required' }, { any: {} }],
    [{ type: 'tool', name: 'now' }, { tool: { name: 'now' } }],
  ] as const)('are chosen by %j', (toolChoice, expected) => {
    expect(written({ tools, toolChoice }).body.toolConfig).toMatchObject({ toolChoice: expected });
  });

  it('are left out where none may be called, unless the conversation has called some', () => {
    expect(written({ tools, toolChoice: { type: 'none' } }).body.toolConfig).toBeUndefined();
    const messages = [user(text('a')), assistant(call('one')), result('one', 'ok')];
    const kept = written({ tools, toolChoice: { type: 'none' }, messages });
    expect(kept.body.toolConfig).toMatchObject({ tools: [{}, {}] });
    expect(kept.warnings).toHaveLength(1);
    expect(written({ messages }).body.toolConfig).toMatchObject({ tools: [{ toolSpec: { name: 'weather' } }] });
  });
});

describe('cache points', () => {
  const messages: CanonicalMessage[] = [
    { role: 'system', parts: [{ type: 'text', text: 'Long', cacheControl: { ttl: '1h' } }] },
    user({ type: 'text', text: 'Hi', cacheControl: {} }),
  ];
  const tools = [{ name: 'now', cacheControl: {} }];

  it('stand behind what they close, for Claude', () => {
    expect(written({ messages, tools }).body).toMatchObject({
      system: [{ text: 'Long' }, { cachePoint: { type: 'default', ttl: '1h' } }],
      messages: [{ content: [{ text: 'Hi' }, { cachePoint: { type: 'default' } }] }],
      toolConfig: { tools: [{ toolSpec: {} }, { cachePoint: { type: 'default' } }] },
    });
  });

  it('are left out with a warning where a model has none', () => {
    const nothing = written({ messages, tools }, llama);
    expect(JSON.stringify(nothing.body)).not.toContain('cachePoint');
    expect(nothing.warnings).toHaveLength(2);
    expect(written({ messages, tools }, nova).body.toolConfig).toMatchObject({ tools: [{ toolSpec: {} }] });
  });
});

describe('reasoning', () => {
  const fieldsOf = (overrides: Partial<CanonicalRequest>, model?: string) =>
    written(overrides, model).body.additionalModelRequestFields;

  it('has a budget with Claude models that want one, within the output limit', () => {
    expect(fieldsOf({ reasoning: { budgetTokens: 5_000 } })).toEqual({
      thinking: { type: 'enabled', budget_tokens: 5_000 },
    });
    expect(fieldsOf({ reasoning: { effort: 'low' } })).toEqual({ thinking: { type: 'enabled', budget_tokens: 2_048 } });
    const tight = written({ reasoning: { budgetTokens: 5_000 }, maxOutputTokens: 3_000 });
    expect(tight.body.additionalModelRequestFields).toMatchObject({ thinking: { budget_tokens: 2_999 } });
    expect(tight.warnings).toHaveLength(1);
    expect(fieldsOf({ reasoning: { effort: 'low' }, maxOutputTokens: 1_000 })).toBeUndefined();
  });

  it('is adaptive with newer Claude models, which refuse a budget', () => {
    expect(fieldsOf({ reasoning: { effort: 'high' } }, newClaude)).toEqual({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    });
    const budget = written({ reasoning: { budgetTokens: 2_000 } }, newClaude);
    expect(budget.body.additionalModelRequestFields).toMatchObject({ output_config: { effort: 'low' } });
    expect(budget.warnings).toHaveLength(1);
  });

  it('is named as the other families have it', () => {
    expect(fieldsOf({ reasoning: { effort: 'xhigh' } }, gptOss)).toEqual({ reasoning_effort: 'high' });
    expect(fieldsOf({ reasoning: { effort: 'minimal' } }, nova)).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' },
    });
    expect(written({ reasoning: { effort: 'low' } }, llama).warnings).toHaveLength(1);
  });

  it.each([{ off: true }, { effort: 'none' as const }, { summary: 'auto' as const }])('is off with %j', (reasoning) => {
    expect(written({ reasoning })).toMatchObject({ warnings: [] });
    expect(fieldsOf({ reasoning })).toBeUndefined();
  });

  it('takes the place of sampling that Claude refuses with it, and gives way to a forced call', () => {
    const { body, warnings } = written({ reasoning: { effort: 'low' }, temperature: 0.2, topP: 0.5, topK: 3 });
    expect(body.inferenceConfig).toBeUndefined();
    expect(warnings).toHaveLength(3);
    const forced = written({
      reasoning: { effort: 'low' },
      tools: [{ name: 'now' }],
      toolChoice: { type: 'required' },
    });
    expect(forced.body.additionalModelRequestFields).toBeUndefined();
    expect(forced.warnings).toEqual(['reasoning was turned off: this model cannot reason where it must call a tool']);
  });

  it('is switched off only where a model thinks unasked, and stays on where a model always does', () => {
    expect(fieldsOf({ reasoning: { off: true } }, 'global.anthropic.claude-sonnet-5')).toEqual({
      thinking: { type: 'disabled' },
    });
    const always = 'global.anthropic.claude-fable-5';
    expect(written({ reasoning: { off: true } }, always).warnings).toEqual([
      'reasoning stayed on: this model always reasons',
    ]);
  });

  it('with a budget ends for a turn that answers calls whose reasoning did not come back', () => {
    const loop = (parts: MessagePart[]) => [user(text('a')), assistant(...parts, call('one')), result('one', 'ok')];
    const sealed: MessagePart = {
      type: 'reasoning',
      text: 'Hm',
      seal: { dialect: 'bedrock-converse', kind: 'signature', value: 'sig' },
    };
    const reasoning = { budgetTokens: 2_000 };
    const tools = [{ name: 'weather' }];
    expect(fieldsOf({ reasoning, tools, messages: loop([sealed]) })).toMatchObject({ thinking: { type: 'enabled' } });
    const without = written({ reasoning, tools, messages: loop([]) });
    expect(without.body.additionalModelRequestFields).toBeUndefined();
    expect(without.warnings.join()).toContain('without the signed reasoning');
  });
});
