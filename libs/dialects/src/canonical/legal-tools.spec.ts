import { targetOf } from '../proof/targets.fixture';
import { translationFor } from '../translations';

const long = `mcp__${'server'.repeat(12)}__read`;
const user = { role: 'user', content: 'Hello', name: 'Ada L.' };
const chat = (name: string) => ({
  model: 'm',
  messages: [user],
  tools: [{ type: 'function', function: { name, parameters: { type: 'object', properties: { name: {} } } } }],
  unknown_field: { kept: true },
});
const responses = (name: string) => ({
  model: 'm',
  input: 'Hello',
  tools: [{ type: 'function', name, parameters: { type: 'object', properties: {} } }],
  unknown_field: { kept: true },
});
const messages = (name: string) => ({
  model: 'm',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [{ name, input_schema: { type: 'object' } }],
  unknown_field: { kept: true },
});
const surfaces = [
  ['openai-chat', chat],
  ['openai-responses', responses],
  ['anthropic-messages', messages],
] as const;

function sent(surface: (typeof surfaces)[number][0], body: object, operatorDefined = false): string {
  const target = targetOf(surface, false);
  const provider = { ...target.provider, operatorDefined };
  const attempt = translationFor(surface, surface)?.prepare(
    Buffer.from(JSON.stringify(body)),
    { ...target, provider },
    { includeUsage: false },
  );
  return Buffer.concat(attempt?.request.body ?? []).toString();
}

describe.each(surfaces)('a request of %s to its own dialect', (surface, bodyWith) => {
  it('passes as it is where its tools have names that the provider takes', () => {
    expect(sent(surface, bodyWith('a-name_1'))).toContain('"unknown_field":{"kept":true}');
  });

  it('has other names where the provider would refuse them', () => {
    const body = sent(surface, bodyWith('files.read/all'));
    expect(body).toContain('"name":"files_read_all"');
    expect(body).not.toContain('files.read');
  });

  it("keeps its names on the way to an operator's own server", () => {
    expect(sent(surface, bodyWith('files.read/all'), true)).toContain('"name":"files.read/all"');
  });
});

it('has names of 64 characters where OpenAI takes no longer ones, and those of 128 where Anthropic does', () => {
  expect(sent('openai-chat', chat(long))).not.toContain(long);
  expect(sent('openai-responses', responses(long))).not.toContain(long);
  expect(sent('anthropic-messages', messages(long))).toContain('"unknown_field"');
});

it('passes as it is where it is no tool that has such a name', () => {
  const body = { ...chat('f'), messages: [{ ...user, content: [{ type: 'text', text: '{"name": "a b"}' }] }] };
  expect(sent('openai-chat', body)).toContain('"unknown_field"');
});

it('goes as it came where it cannot be said in another way, for the provider to refuse', () => {
  const body = responses('a.b');
  const more = { ...body, tools: [...body.tools, { type: 'a_tool_of_next_year' }] };
  expect(sent('openai-responses', more)).toContain('"name":"a.b"');
});

it('has a name of 65 characters under another at Gemini, and as its own in the answer', () => {
  const name = `f${'o'.repeat(64)}`;
  const attempt = translationFor('openai-chat', 'gemini')?.prepare(
    Buffer.from(JSON.stringify({ model: 'm', messages: [user], tools: chat(name).tools })),
    targetOf('gemini', false),
    { includeUsage: false },
  );
  const asked = Buffer.concat(attempt?.request.body ?? []).toString();
  const [, other = ''] = /"name":"(f\w*)"/.exec(asked) ?? [];
  expect(asked).not.toContain(name);
  expect(other).toMatch(/^\w{1,64}$/);
  const parts = [{ functionCall: { name: other, args: {} } }];
  const answer = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }] };
  const reader = attempt?.answerReader();
  const read = [reader?.push(Buffer.from(JSON.stringify(answer))), reader?.end()];
  const told = Buffer.concat(read.map((bytes) => bytes ?? new Uint8Array())).toString();
  expect(told).toContain(`"name":"${name}"`);
});
