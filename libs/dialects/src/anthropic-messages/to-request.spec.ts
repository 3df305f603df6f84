import { GatewayError } from '@tollgate/contracts';
import type { CanonicalMessage, CanonicalRequest } from '../canonical/generation-request';
import { anthropicMessagesProviderCodec } from './provider-codec';
import { aRequest } from '../builders.fixture';
import { targetOf } from './target.fixture';

function write(members: Partial<CanonicalRequest>, model = 'claude-sonnet-4-5', temperature = true) {
  const { body, warnings } = anthropicMessagesProviderCodec.toRequest(aRequest(members), targetOf(model, temperature));
  const read: Record<string, unknown> = JSON.parse(JSON.stringify(body));
  return { body: read, warnings };
}

function text(role: CanonicalMessage['role'], ...texts: string[]): CanonicalMessage {
  return { role, parts: texts.map((value) => ({ type: 'text', text: value })) };
}

const weather = { name: 'weather', parameters: { properties: { city: { type: 'string' } } } };

describe('turns', () => {
  it('joins neighbours of one role, leaves blank text out and puts tool results first', () => {
    const { body } = write({
      messages: [
        text('user', 'a', ' '),
        text('user', 'b'),
        {
          role: 'assistant',
          parts: [
            { type: 'tool-call', id: 'call.1', name: 'f', arguments: '{"a":1}' },
            { type: 'tool-call', id: 'call:1', name: 'f', arguments: '{broken' },
            { type: 'tool-call', id: 'call_2', name: 'f', arguments: '' },
          ],
        },
        text('user', 'meanwhile'),
        { role: 'tool', parts: [{ type: 'tool-result', toolCallId: 'call:1', content: [] }] },
        {
          role: 'tool',
          parts: [{ type: 'tool-result', toolCallId: 'call.1', content: [{ type: 'text', text: 'ok' }] }],
        },
      ],
    });
    expect(body.messages).toEqual([
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
          { type: 'tool_use', id: 'call_1', name: 'f', input: { a: 1 } },
          { type: 'tool_use', id: 'call_1_2', name: 'f', input: { INVALID_JSON: '{broken' } },
          { type: 'tool_use', id: 'call_2', name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1_2' },
          { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'ok' }] },
          { type: 'text', text: 'meanwhile' },
        ],
      },
    ]);
  });

  const late = [text('system', 'first'), text('developer', 'second'), text('user', 'a'), text('system', 'late')];

  it('keeps a late system message in its place, as marked text for a model that takes none there', () => {
    const { body, warnings } = write({ messages: late });
    expect(body.system).toEqual([
      { type: 'text', text: 'first' },
      { type: 'text', text: 'second' },
    ]);
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: '<system>\nlate\n</system>' },
        ],
      },
    ]);
    expect(warnings).toHaveLength(1);
  });

  it('keeps a late system message as such for a model that takes it', () => {
    const { body, warnings } = write({ messages: late }, 'claude-opus-4-8', false);
    expect(body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
      { role: 'system', content: [{ type: 'text', text: 'late' }] },
    ]);
    expect(warnings).toEqual([]);
  });

  it('sends a lone system message as a user message, and says so', () => {
    const { body, warnings } = write({ messages: [text('system', 'x')] });
    expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'x' }] }]);
    expect(body.system).toBeUndefined();
    expect(warnings).toHaveLength(1);
  });

  it('takes hundreds of thousands of blocks, and of tool ids that look alike once cleaned, in good time', () => {
    const results = Array.from({ length: 200_000 }, (_, n) => ({
      type: 'tool-result' as const,
      toolCallId: `${String.fromCodePoint(0x10000 + n)}`,
      content: [],
    }));
    const { body } = write({ messages: [text('user', 'a'), { role: 'tool', parts: results }] });
    const ids = JSON.stringify(body.messages).match(/"tool_use_id":"[^"]+"/g);
    expect(new Set(ids).size).toBe(results.length);
  });

  it('refuses a request that is blank', () => {
    expect(() => write({ messages: [text('user', ' ')] })).toThrow(GatewayError);
  });

  it('ends a prefilled answer without white space', () => {
    const { body } = write({ messages: [text('user', 'a'), text('assistant', 'so: \n')] });
    expect(body.messages).toContainEqual({ role: 'assistant', content: [{ type: 'text', text: 'so:' }] });
  });

  it('sends seals back to their own dialect only', () => {
    const { body } = write({
      messages: [
        text('user', 'a'),
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'x', seal: { dialect: 'gemini', kind: 'signature', value: 's' } },
            { type: 'reasoning', text: 'y', seal: { dialect: 'anthropic-messages', kind: 'signature', value: 's+/=' } },
            { type: 'reasoning', text: '', seal: { dialect: 'anthropic-messages', kind: 'redacted', value: 'r' } },
            { type: 'text', text: 'b' },
          ],
        },
        text('user', 'c'),
      ],
    });
    expect(body.messages).toContainEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'y', signature: 's+/=' },
        { type: 'redacted_thinking', data: 'r' },
        { type: 'text', text: 'b' },
      ],
    });
  });

  it('refuses files that the model cannot read, and files of another provider', () => {
    const file = (
      source:
        | { kind: 'data'; mediaType: string; data: string }
        | { kind: 'file-id'; id: string; dialect: 'openai-chat' },
    ) => ({
      messages: [{ role: 'user' as const, parts: [{ type: 'file' as const, source }] }],
    });
    expect(() => write(file({ kind: 'data', mediaType: 'application/zip', data: 'AA==' }))).toThrow(/application\/zip/);
    expect(() => write(file({ kind: 'file-id', id: 'f', dialect: 'openai-chat' }))).toThrow(/another provider/);
  });
});

describe('limits and sampling', () => {
  it("takes the model's own output limit for none", () => {
    expect(write({}).body.max_tokens).toBe(64_000);
  });

  it.each([
    ['clamps temperature', { temperature: 1.7 }, { temperature: 1 }],
    ['prefers temperature to top_p', { temperature: 0.2, topP: 0.5 }, { temperature: 0.2 }],
    ['drops blank stop sequences', { stop: ['\n', 'END'] }, { stop_sequences: ['END'] }],
  ])('%s, and says so', (_, members, expected) => {
    const { body, warnings } = write(members);
    expect(body).toMatchObject(expected);
    expect(body.top_p).toBeUndefined();
    expect(warnings).toHaveLength(1);
  });

  it('drops sampling where the model refuses it', () => {
    const { body, warnings } = write({ temperature: 0.2, topK: 5 }, 'claude-sonnet-5', false);
    expect(body).not.toHaveProperty('temperature');
    expect(body).not.toHaveProperty('top_k');
    expect(warnings).toHaveLength(2);
  });
});

describe('thinking', () => {
  const effort = { reasoning: { effort: 'high' as const } };

  it.each([
    ['claude-3-5-haiku-20241022', undefined, undefined],
    ['claude-sonnet-4-5', { type: 'enabled', budget_tokens: 16_384 }, undefined],
    ['claude-opus-4-5-20251101', { type: 'enabled', budget_tokens: 16_384 }, { effort: 'high' }],
    ['us.anthropic.claude-opus-4-6-v1', { type: 'adaptive' }, { effort: 'high' }],
    ['claude-sonnet-5', { type: 'adaptive' }, { effort: 'high' }],
  ])('puts an effort to %s in its own way', (model, thinking, config) => {
    const { body } = write(effort, model);
    expect([body.thinking, body.output_config]).toEqual([thinking, config]);
  });

  it.each([
    ['claude-sonnet-4-5', { type: 'disabled' }, 0],
    ['claude-sonnet-5', { type: 'disabled' }, 0],
    ['claude-sonnet-5-5', { type: 'between_tools' }, 0],
    ['claude-fable-5', undefined, 1],
  ])('tells %s not to think as it takes it', (model, thinking, warned) => {
    const { body, warnings } = write({ reasoning: { effort: 'none' } }, model);
    expect(body.thinking).toEqual(thinking);
    expect(warnings).toHaveLength(warned);
  });

  it('bounds a budget by what the model allows, and says so', () => {
    const least = write({ reasoning: { budgetTokens: 200 } });
    expect(least.body.thinking).toEqual({ type: 'enabled', budget_tokens: 1_024 });
    const most = write({ reasoning: { budgetTokens: 9_000 }, maxOutputTokens: 4_000 });
    expect(most.body.thinking).toEqual({ type: 'enabled', budget_tokens: 3_999 });
    expect([least.warnings, most.warnings].map(({ length }) => length)).toEqual([1, 1]);
  });

  it('turns a budget into an effort for a model that takes none', () => {
    const { body, warnings } = write({ reasoning: { budgetTokens: 9_000 } }, 'claude-opus-4-7', false);
    expect([body.thinking, body.output_config]).toEqual([{ type: 'adaptive' }, { effort: 'medium' }]);
    expect(warnings).toHaveLength(1);
  });

  it('takes the nearest lower effort that the model knows, and says so', () => {
    const { body, warnings } = write({ reasoning: { effort: 'xhigh' } }, 'claude-opus-4-6');
    expect(body.output_config).toEqual({ effort: 'high' });
    expect(warnings).toHaveLength(1);
  });

  it('gives way to a tool that must be called, and drops sampling otherwise', () => {
    const forced = write({ ...effort, tools: [weather], toolChoice: { type: 'required' } });
    expect(forced.body.thinking).toBeUndefined();
    expect(forced.body.tool_choice).toEqual({ type: 'any' });
    expect(forced.warnings).toHaveLength(1);
    const sampled = write({ ...effort, temperature: 0.3, topK: 3 });
    expect(sampled.body).not.toHaveProperty('temperature');
    expect(sampled.warnings).toHaveLength(2);
  });

  it.each(['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-fable-5-1'])(
    'asks %s in words for a call that it cannot be forced to, and says so',
    (model) => {
      const forced = { tools: [weather], toolChoice: { type: 'tool' as const, name: 'weather' } };
      const { body, warnings } = write(forced, model, false);
      expect(body.tool_choice).toEqual({ type: 'auto' });
      expect(body.thinking).toBeUndefined();
      expect(body.messages).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
        { role: 'system', content: [{ type: 'text', text: 'Answer by calling the tool weather.' }] },
      ]);
      expect(warnings).toEqual([expect.stringContaining('tool_choice became an instruction')]);
    },
  );

  it.each(['claude-opus-4-8', 'claude-sonnet-5', 'claude-opus-5', 'claude-fable-5'])(
    'is kept beside a tool that %s must call',
    (model) => {
      const forced = { tools: [weather], toolChoice: { type: 'required' as const } };
      const { body, warnings } = write({ ...forced, reasoning: { effort: 'max' } }, model, false);
      expect(body).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } });
      expect([body.tool_choice, warnings]).toEqual([{ type: 'any' }, []]);
      // Nor is it switched off where it was not spoken of.
      expect(write(forced, model, false).body.thinking).toBeUndefined();
    },
  );

  it('is off beside a tool that Opus 4.7 must call, which cannot think there', () => {
    const forced = { tools: [weather], toolChoice: { type: 'required' as const } };
    const { body, warnings } = write({ ...forced, reasoning: { effort: 'max' } }, 'claude-opus-4-7', false);
    expect([body.thinking, body.tool_choice, warnings.length]).toEqual([undefined, { type: 'any' }, 1]);
  });

  it('stays off where the tool calls being answered came without signed reasoning, because Anthropic demands it', () => {
    const messages: CanonicalMessage[] = [
      text('user', 'a'),
      { role: 'assistant', parts: [{ type: 'tool-call', id: 't', name: 'weather', arguments: '{}' }] },
      { role: 'tool', parts: [{ type: 'tool-result', toolCallId: 't', content: [{ type: 'text', text: 'x' }] }] },
      text('user', 'go on'),
    ];
    const { body, warnings } = write({ ...effort, messages, tools: [weather] });
    expect(body.thinking).toBeUndefined();
    expect(warnings).toHaveLength(1);
    expect(write({ ...effort, messages, tools: [weather] }, 'claude-opus-4-6').body.thinking).toEqual({
      type: 'adaptive',
    });
  });
});

describe('tools', () => {
  it('supplies what Anthropic demands of a schema', () => {
    const { body } = write({ tools: [weather, { name: 'now' }], parallelToolCalls: false });
    expect(body.tools).toEqual([
      { name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } },
      { name: 'now', input_schema: { type: 'object', properties: {} } },
    ]);
    expect(body.tool_choice).toEqual({ type: 'auto', disable_parallel_tool_use: true });
  });

  it.each([['a.b'], ['weather']])('refuses the name %s beside another', (name) => {
    expect(() => write({ tools: [weather, { name }] })).toThrow(GatewayError);
  });

  it('leaves a tool choice out where there are no tools, which Anthropic refuses', () => {
    expect(write({ toolChoice: { type: 'none' } }).body).not.toHaveProperty('tool_choice');
  });
});

describe('structured output', () => {
  const schema = {
    type: 'object',
    properties: { age: { type: 'integer', minimum: 3, description: 'years' }, minimum: { type: 'string' } },
  };
  const asked = (value: Record<string, unknown>): Partial<CanonicalRequest> => ({
    responseFormat: { type: 'json-schema', name: 'person', schema: value },
  });

  it('is native where the model has it; unenforced keywords go into descriptions, and the caller hears of it', () => {
    const { body, warnings } = write(asked(schema));
    expect(body.output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          additionalProperties: false,
          properties: {
            age: { type: 'integer', description: 'years\n\n{minimum: 3}' },
            minimum: { type: 'string' },
          },
        },
      },
    });
    expect(warnings).toHaveLength(1);
  });

  it.each([
    ['an older model', schema, 'claude-sonnet-4-0'],
    ['an open object', { type: 'object', properties: {}, additionalProperties: true }, 'claude-sonnet-4-5'],
    [
      'a schema that refers to itself',
      {
        type: 'object',
        properties: { next: { $ref: '#/$defs/n' } },
        $defs: { n: { type: 'object', properties: { n: { $ref: '#/$defs/n' } } } },
      },
      'claude-sonnet-4-5',
    ],
  ])('goes through a tool that must be called for %s', (_, value, model) => {
    const { body } = write(asked(value), model);
    expect(body.tools).toEqual([expect.objectContaining({ name: 'answer_as_json', input_schema: value })]);
    expect(body.tool_choice).toEqual({ type: 'tool', name: 'answer_as_json' });
    expect(body.output_config).toBeUndefined();
  });

  it('lets the model call a tool of the caller instead', () => {
    const { body } = write({ tools: [weather, { name: 'answer_as_json' }], responseFormat: { type: 'json-object' } });
    expect(body.tools).toContainEqual(expect.objectContaining({ name: 'answer_as_json_' }));
    expect(body.tool_choice).toEqual({ type: 'any' });
  });

  it('asks in words for a form that a model cannot be forced into', () => {
    const { body, warnings } = write({ responseFormat: { type: 'json-object' } }, 'claude-fable-5-1');
    expect(body.tool_choice).toEqual({ type: 'auto' });
    expect(JSON.stringify(body.messages)).toContain('Answer by calling the tool answer_as_json.');
    expect(warnings).toHaveLength(1);
  });

  it('looks at each definition once, however often it is used', () => {
    const level = (n: number) => ({
      type: 'object',
      properties: { a: { $ref: `#/$defs/d${n + 1}` }, b: { $ref: `#/$defs/d${n + 1}` } },
    });
    const $defs = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`d${n}`, level(n)]));
    const deep = { ...level(-1), $defs: { ...$defs, d200: { type: 'string' } } };
    expect(write(asked(deep)).body.output_config).toBeDefined();
  });
});
