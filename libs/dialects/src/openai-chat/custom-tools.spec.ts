import { translationFor } from '../translations';
import type { DialectName } from '@tollgate/contracts';
import { isRecord } from '../wire/json-value';
import { callItem } from '../openai-responses/output-items';
import { ChatAssembly } from './surface';
import { openaiChatSurfaceCodec } from './surface-codec';
import { targetWith } from './target.fixture';

const grammar = { syntax: 'lark', definition: 'start: "a"' };
/** As Cursor's agent offers it beside its functions: https://github.com/icebear0828/codex-proxy/issues/707 */
const patch = { name: 'ApplyPatch', description: 'Edits files.', format: { type: 'grammar', grammar } };
const tools = [
  { type: 'custom', custom: patch },
  { type: 'function', function: { name: 'read' } },
];
const format = { type: 'grammar', ...grammar };
const asFunction = {
  name: 'ApplyPatch',
  description: 'Edits files.\n\nThe input must follow this grammar (lark):\nstart: "a"',
  parameters: {
    type: 'object',
    properties: { input: { type: 'string', description: 'The whole input of the tool, as free text.' } },
    required: ['input'],
    additionalProperties: false,
  },
  freeText: { description: 'Edits files.', format },
};

const called = { id: 'c1', type: 'custom', custom: { name: 'ApplyPatch', input: '*** Begin\n"a"' } };
const text = JSON.stringify({ input: called.custom.input });
const other = { id: 'c2', type: 'function', function: { name: 'read', arguments: '{}' } };

describe('a tool of free text', () => {
  it('is a function with one string to the models of other providers, and so is the choice of it', () => {
    const choice = { type: 'custom', custom: { name: 'ApplyPatch' } };
    const request = openaiChatSurfaceCodec.fromRequest({ messages: [], tools, tool_choice: choice });
    expect(request.tools).toEqual([asFunction, { name: 'read' }]);
    expect(request.toolChoice).toEqual({ type: 'tool', name: 'ApplyPatch' });
    expect(request.unread).toEqual([]);
  });

  const sent = (dialect: DialectName, more: object, quirks = {}): unknown => {
    const asked = { model: 'a', messages: [{ role: 'user', content: 'hi' }], tools, ...more };
    const prepare = translationFor('openai-chat', dialect)?.prepare;
    const { request } =
      prepare?.(Buffer.from(JSON.stringify(asked)), targetWith(false, quirks), { includeUsage: false }) ?? {};
    return JSON.parse(Buffer.concat(request?.body ?? []).toString());
  };

  it('stays one in responses of who knows it, with its calls and what they brought', () => {
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: null, tool_calls: [called, other] },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
      { role: 'tool', tool_call_id: 'c2', content: 'text' },
    ];
    const choice = { type: 'custom', custom: { name: 'ApplyPatch' } };
    const knows = { customTools: '.' };
    expect(sent('openai-responses', { messages, tool_choice: choice }, knows)).toMatchObject({
      tools: [
        { type: 'custom', name: 'ApplyPatch', description: 'Edits files.', format },
        { type: 'function', name: 'read' },
      ],
      tool_choice: { type: 'custom', name: 'ApplyPatch' },
      input: [
        { role: 'user' },
        { type: 'custom_tool_call', call_id: 'c1', name: 'ApplyPatch', input: called.custom.input },
        { type: 'function_call', call_id: 'c2', name: 'read', arguments: '{}' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: 'done' },
        { type: 'function_call_output', call_id: 'c2', output: 'text' },
      ],
    });
  });

  it('is a function of one string in messages', () => {
    const { name, description, parameters } = asFunction;
    expect(sent('anthropic-messages', {})).toMatchObject({
      tools: [{ name, description, input_schema: parameters }, { name: 'read' }],
    });
  });

  it('is a function in chat completions of a model that knows no other, and stays one where it is known', () => {
    const { name, description, parameters } = asFunction;
    expect(sent('openai-chat', {})).toMatchObject({
      tools: [
        { type: 'function', function: { name, description, parameters } },
        { type: 'function', function: { name: 'read' } },
      ],
    });
    expect(sent('openai-chat', {}, { customTools: '.' })).toMatchObject({ tools });
  });

  it('was called before, and is offered no more: its calls are those of a function to such a model', () => {
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: null, tool_calls: [called] },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ];
    const { name } = called.custom;
    expect(sent('openai-chat', { messages, tools: undefined })).toMatchObject({
      messages: [{}, { tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: text } }] }, {}],
    });
    expect(sent('openai-chat', { messages, tools: undefined }, { customTools: '.' })).toMatchObject({
      messages: [{}, { tool_calls: [called] }, {}],
    });
  });

  it.each<[string, object]>([
    ['a tool', { tools: [{ type: 'web_search' }] }],
    ['a choice', { tools, tool_choice: { type: 'mcp' } }],
    ['a call', { messages: [{ role: 'assistant', tool_calls: [{ id: 'c', type: 'mcp' }] }] }],
  ])('is named where %s is refused for its type', (_what, asked) => {
    expect(() => openaiChatSurfaceCodec.fromRequest({ messages: [], ...asked })).toThrow(/function.* custom/);
  });

  it('of Cursor, without its inner object, is the same to every model, which has it in the form that it knows', () => {
    const flat = [{ type: 'custom', ...patch, format }, tools[1]];
    expect(openaiChatSurfaceCodec.fromRequest({ messages: [], tools: flat }).tools).toEqual([
      asFunction,
      { name: 'read' },
    ]);
    const { name, description, parameters } = asFunction;
    expect(sent('openai-chat', { tools: flat })).toMatchObject({
      tools: [{ type: 'function', function: { name, description, parameters } }, tools[1]],
    });
    const choice = { type: 'custom', custom: { name } };
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: null, tool_calls: [called, other] },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
      { role: 'tool', tool_call_id: 'c2', content: 'text' },
    ];
    const native = sent('openai-chat', { tools: flat, messages, tool_choice: choice }, { customTools: '.' });
    expect(native).toMatchObject({ tools, messages, tool_choice: choice });
    expect(sent('openai-responses', { tools: flat }, { customTools: '.' })).toMatchObject({
      tools: [{ type: 'custom', name, description: 'Edits files.', format }, {}],
    });
  });

  it('must have a form of its own', () => {
    const read = () => openaiChatSurfaceCodec.fromRequest({ messages: [], tools: [{ type: 'custom' }] });
    expect(read).toThrow("'tools[0].custom' is required");
  });
});

describe('a call of it', () => {
  const context = {
    request: { surface: 'openai-chat' as const, stream: false, messages: [], unread: [] },
    ...{ body: { tools }, model: 'm', includeUsage: false, newId: () => 'new', nowS: 0 },
  };
  it('comes back as one in a whole answer, beside those of functions', () => {
    const blocks = [
      { type: 'tool-call' as const, id: 'c1', name: 'ApplyPatch', arguments: text },
      { type: 'tool-call' as const, id: 'c2', name: 'read', arguments: '' },
    ];
    const answer = { id: null, model: null, createdAtS: null, usage: null };
    const choices = [{ blocks, finish: 'tool-calls' as const }];
    expect(openaiChatSurfaceCodec.toResponse({ ...answer, choices }, context)).toMatchObject({
      choices: [{ message: { tool_calls: [called, other] } }],
    });
  });

  it('comes back as one in a stream, its text when that is whole', () => {
    const writer = openaiChatSurfaceCodec.streamWriter(context);
    const at = { choice: 0, block: 0 };
    const written = [
      writer.write({ type: 'tool-call-start', ...at, id: 'c1', name: 'ApplyPatch' }),
      ...[text.slice(0, 9), text.slice(9)].map((piece) =>
        writer.write({ type: 'tool-call-delta', ...at, arguments: piece }),
      ),
      writer.write({ type: 'tool-call-end', ...at }),
    ].join('');
    const deltas = Array.from(
      written.matchAll(/"tool_calls":(\[.*?\])\},"logprobs"/g),
      ([, json]) => JSON.parse(json ?? '') as unknown,
    );
    expect(deltas).toEqual([
      [{ index: 0, id: 'c1', type: 'custom', custom: { name: 'ApplyPatch', input: '' } }],
      [{ index: 0, custom: { input: called.custom.input } }],
    ]);
  });

  // https://github.com/icebear0828/codex-proxy/pull/708
  // https://github.com/router-for-me/CLIProxyAPI/issues/4078
  it("comes back to Cursor as one of a function, whose arguments are the text's own", () => {
    const own = { ...context, body: { tools: [{ type: 'custom', ...patch }, tools[1]] } };
    const asked = { id: 'c1', type: 'function', function: { name: 'ApplyPatch', arguments: called.custom.input } };
    const blocks = [{ type: 'tool-call' as const, id: 'c1', name: 'ApplyPatch', arguments: text }];
    const answer = { id: null, model: null, createdAtS: null, usage: null };
    const choices = [{ blocks, finish: 'tool-calls' as const }];
    expect(openaiChatSurfaceCodec.toResponse({ ...answer, choices }, own)).toMatchObject({
      choices: [{ message: { tool_calls: [asked] } }],
    });
    const writer = openaiChatSurfaceCodec.streamWriter(own);
    const at = { choice: 0, block: 0 };
    const written = [
      writer.write({ type: 'tool-call-start', ...at, id: 'c1', name: 'ApplyPatch' }),
      writer.write({ type: 'tool-call-delta', ...at, arguments: text }),
      writer.write({ type: 'tool-call-end', ...at }),
      writer.write({ type: 'finish', choice: 0, reason: 'tool-calls' }),
    ].join('');
    expect(wholeOf(written)).toMatchObject({ choices: [{ message: { tool_calls: [asked] } }] });
  });

  it.each([
    ['{"input":"*** Begin', '*** Begin'],
    ['{"input":"a\\', 'a'],
    ['{"input":"a\\\\', 'a\\'],
    ['{"input":"a\\u00f', 'a'],
    ['{"input":"a\\ud83d', 'a'],
    ['{ "input": "a\\n"', 'a\n'],
    ['{"input":', '{"input":'],
    ['{}', ''],
    ['{"input":null}', ''],
    ['{"input":{"patch":"a"}}', '{"input":{"patch":"a"}}'],
    ['', ''],
    ['{"patch":"a"}', '{"patch":"a"}'],
    ['no JSON', 'no JSON'],
  ])('has the text of arguments as far as they came (%s)', (given, input) => {
    const blocks = [{ type: 'tool-call' as const, id: 'c1', name: 'ApplyPatch', arguments: given }];
    const answer = {
      id: null,
      model: null,
      createdAtS: null,
      usage: null,
      choices: [{ blocks, finish: 'length' as const }],
    };
    expect(openaiChatSurfaceCodec.toResponse(answer, context)).toMatchObject({
      choices: [{ message: { tool_calls: [{ custom: { input } }] } }],
    });
    const tool = { kind: 'custom', name: 'ApplyPatch', namespace: null } as const;
    expect(callItem('i', 'incomplete', { callId: 'c1', tool, arguments: given })).toMatchObject({ input });
  });

  /** What the caller gets of an answer of a model that knows such tools, through a gate that shouts. */
  function guarded(answer: string, stream: boolean): string {
    const body = Buffer.from(
      JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], tools, stream }),
    );
    const newGate = () => ({
      ...{ blockedBy: null, hasChanged: true },
      push: (piece: string) => piece.toUpperCase(),
      end: () => '',
    });
    const options = { includeUsage: false, newGate };
    const attempt = translationFor('openai-chat', 'openai-chat')?.prepare(
      body,
      targetWith(stream, { customTools: '.' }),
      options,
    );
    const reader = attempt?.answerReader();
    const read = [reader?.push(Buffer.from(answer)), reader?.end()];
    return Buffer.concat(read.map((bytes) => bytes ?? new Uint8Array())).toString();
  }
  const shouted = { ...called, custom: { name: 'ApplyPatch', input: '*** BEGIN\n"A"' } };

  it('is seen by the guardrails of a whole answer', () => {
    const message = { role: 'assistant', content: null, tool_calls: [called, other] };
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
    expect(JSON.parse(guarded(JSON.stringify({ id: 'a', choices }), false))).toMatchObject({
      choices: [{ message: { tool_calls: [shouted, other] }, finish_reason: 'tool_calls' }],
    });
  });

  it('is seen by the guardrails of a stream, wherever its pieces were cut', () => {
    const { id, type, custom } = called;
    const pieces = [...custom.input].map((input) => [{ index: 0, custom: { input } }]);
    const deltas = [
      [{ index: 0, id, type, custom: { name: custom.name, input: '' } }],
      ...pieces,
      [{ index: 1, ...other }],
    ].map((calls) => ({ index: 0, delta: { tool_calls: calls }, finish_reason: null }));
    const chunks = [...deltas, { index: 0, delta: {}, finish_reason: 'tool_calls' }];
    expect(wholeOf(guarded(sseOf(chunks), true))).toMatchObject({
      choices: [{ message: { tool_calls: [shouted, other] }, finish_reason: 'tool_calls' }],
    });
  });

  it('goes on with what it brought', () => {
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: null, tool_calls: [called] },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ];
    const request = openaiChatSurfaceCodec.fromRequest({ messages, tools });
    expect(request.messages[1]?.parts).toEqual([{ type: 'tool-call', id: 'c1', name: 'ApplyPatch', arguments: text }]);
  });
});

function sseOf(choices: readonly object[]): string {
  const events = choices.map((choice) =>
    JSON.stringify({ id: 'a', object: 'chat.completion.chunk', choices: [choice] }),
  );
  return [...events, '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}

/** The whole that a stream tells. */
function wholeOf(sse: string): object | null {
  const assembly = new ChatAssembly();
  for (const [, data = ''] of sse.matchAll(/^data: (\{.*)$/gm)) {
    const chunk: unknown = JSON.parse(data);
    if (isRecord(chunk)) assembly.add('', chunk);
  }
  return assembly.answer();
}
