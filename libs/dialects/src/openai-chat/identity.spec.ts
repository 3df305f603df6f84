import fc from 'fast-check';
import { openaiChatProviderCodec } from './provider-codec';
import { openaiChatSurfaceCodec } from './surface-codec';
import { targetWith } from './target.fixture';

type Members = Record<string, fc.Arbitrary<unknown>>;

function object(required: Members, optional: Members = {}): fc.Arbitrary<Record<string, unknown>> {
  return fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) });
}

const text = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' });
const word = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/);
const base64 = fc.uint8Array({ minLength: 1, maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const json = fc.dictionary(word, fc.oneof(fc.string(), fc.integer(), fc.boolean()), { maxKeys: 3 });
const type = <Value extends string>(value: Value) => ({ type: fc.constant(value) });

const textPart = object({ ...type('text'), text });
const imagePart = object({
  ...type('image_url'),
  image_url: object(
    {
      url: fc.oneof(
        fc.webUrl(),
        base64.map((data) => `data:image/png;base64,${data}`),
      ),
    },
    { detail: fc.constantFrom('auto', 'low', 'high') },
  ),
});
const audioPart = object({
  ...type('input_audio'),
  input_audio: object({ data: base64, format: fc.constantFrom('wav', 'mp3') }),
});
const filePart = object({
  ...type('file'),
  file: fc.oneof(
    object({ filename: text, file_data: base64.map((data) => `data:application/pdf;base64,${data}`) }),
    object({ file_id: word }, { filename: text }),
  ),
});
/** One text part alone is written as a string. */
const parts = fc.array(fc.oneof(textPart, imagePart, audioPart, filePart), { minLength: 2, maxLength: 4 });
const system = object({ role: fc.constantFrom('system', 'developer'), content: text }, { name: word });
const user = object({ role: fc.constant('user'), content: fc.oneof(text, parts) }, { name: word });
const call = object({
  id: word,
  ...type('function'),
  function: object({ name: word, arguments: json.map((value) => JSON.stringify(value)) }),
});
const calling = fc
  .tuple(
    fc.uniqueArray(call, { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
    fc.oneof(text, fc.constant(null)),
    text,
  )
  .map(([calls, content, result]) => [
    { role: 'assistant', content, reasoning_content: 'hm', tool_calls: calls },
    ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: result })),
  ]);
const answering = fc.oneof(
  object({ role: fc.constant('assistant'), content: text }, { name: word }),
  object({ role: fc.constant('assistant'), content: fc.constant(null), refusal: text }),
);
const messages = fc
  .array(
    fc.oneof(
      system.map((each) => [each]),
      user.map((each) => [each]),
      answering.map((each) => [each]),
      calling,
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((turns) => turns.flat());
const definition = object(
  { name: word },
  { description: text, parameters: json.map((properties) => ({ type: 'object', properties })), strict: fc.boolean() },
);
const tools = fc.array(object({ ...type('function'), function: definition }), { minLength: 1, maxLength: 3 });
const toolChoice = fc.oneof(
  fc.constantFrom('none', 'auto', 'required'),
  object({ ...type('function'), function: object({ name: word }) }),
);
const number = fc.double({ min: 0, max: 1, noNaN: true });
const free: Members = {
  max_completion_tokens: fc.integer({ min: 1, max: 1_000 }),
  temperature: number,
  top_p: number,
  stop: fc.array(text, { minLength: 1, maxLength: 4 }),
  seed: fc.integer(),
  n: fc.integer({ min: 1, max: 4 }),
  presence_penalty: number,
  frequency_penalty: number,
  response_format: fc.oneof(
    object(type('text')),
    object(type('json_object')),
    object({
      ...type('json_schema'),
      json_schema: object({ name: word, schema: json }, { description: text, strict: fc.boolean() }),
    }),
  ),
  reasoning_effort: fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh'),
  user: text,
};
const requests = fc.oneof(
  object({ messages }, free),
  object({ messages, tools }, { ...free, tool_choice: toolChoice, parallel_tool_calls: fc.boolean() }),
  object({ messages, logprobs: fc.constant(true), top_logprobs: fc.integer({ min: 0, max: 20 }) }, free),
);

const target = targetWith(false, {
  maxTokensField: 'max_completion_tokens',
  reasoningField: 'reasoning_content',
});
target.model.capabilities.reasoning = true;

describe('a chat completion request', () => {
  it('comes back from the canonical form as it was, in all that the canonical form names', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const body: Record<string, unknown> = JSON.parse(JSON.stringify({ model: 'large-2', ...request }));
        const canonical = openaiChatSurfaceCodec.fromRequest(body);
        const written = openaiChatProviderCodec.toRequest(canonical, target);
        expect(JSON.parse(JSON.stringify(written.body))).toEqual(body);
        expect(canonical.unread).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
