import fc from 'fast-check';
import { targetWith } from '../openai-chat/target.fixture';
import { openaiResponsesProviderCodec } from './provider-codec';
import { openaiResponsesSurfaceCodec } from './surface-codec';

type Members = Record<string, fc.Arbitrary<unknown>>;

function object(required: Members, optional: Members = {}): fc.Arbitrary<Record<string, unknown>> {
  return fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) });
}

const text = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' });
const word = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/);
const base64 = fc.uint8Array({ minLength: 1, maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const json = fc.dictionary(word, fc.oneof(fc.string(), fc.integer(), fc.boolean()), { maxKeys: 3 });
const type = <Value extends string>(value: Value) => ({ type: fc.constant(value) });

const textPart = object({ ...type('input_text'), text });
const detail = fc.constantFrom('auto', 'low', 'high');
const imagePart = fc.oneof(
  object({ ...type('input_image'), image_url: fc.webUrl(), detail }),
  object({ ...type('input_image'), image_url: base64.map((data) => `data:image/png;base64,${data}`), detail }),
  object({ ...type('input_image'), file_id: word, detail }),
);
const filePart = fc.oneof(
  object({
    ...type('input_file'),
    filename: text,
    file_data: base64.map((data) => `data:application/pdf;base64,${data}`),
  }),
  object({ ...type('input_file'), file_url: fc.webUrl() }),
  object({ ...type('input_file'), file_id: word }),
);
const parts = fc.array(fc.oneof(textPart, imagePart, filePart), { minLength: 1, maxLength: 3 });
const user = object({ ...type('message'), role: fc.constantFrom('user', 'developer'), content: parts });
const said = object({
  ...type('message'),
  role: fc.constant('assistant'),
  content: fc.array(
    fc.oneof(
      object({ ...type('output_text'), text, annotations: fc.constant([]) }),
      object({ ...type('refusal'), refusal: text }),
    ),
    { minLength: 1, maxLength: 2 },
  ),
});
const reasoning = object({
  ...type('reasoning'),
  id: word,
  summary: fc.oneof(
    fc.constant([]),
    text.map((each) => [{ type: 'summary_text', text: each }]),
  ),
  encrypted_content: base64,
});
const call = object({
  ...type('function_call'),
  call_id: word,
  name: word,
  arguments: json.map((value) => JSON.stringify(value)),
});
const result = object({
  ...type('function_call_output'),
  call_id: word,
  output: fc.oneof(text, fc.array(fc.oneof(textPart, imagePart), { minLength: 2, maxLength: 3 })),
});
/** Reasoning stands before what it led to. */
const afterThought = (made: fc.Arbitrary<unknown>) =>
  fc.oneof(
    made.map((item) => [item]),
    fc.tuple(reasoning, made),
  );
/** Two messages of the assistant in a row would be joined. */
const turns = fc
  .array(
    fc.tuple(
      user,
      fc.array(afterThought(call), { maxLength: 2 }),
      fc.option(afterThought(said), { nil: [] }),
      fc.array(result, { maxLength: 2 }),
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((list) => list.flatMap(([asked, made, answered, results]) => [asked, ...made.flat(), ...answered, ...results]));
const definition = object(
  {
    ...type('function'),
    name: word,
    parameters: json.map((properties) => ({ type: 'object', properties })),
    strict: fc.boolean(),
  },
  { description: text },
);
const tools = fc.array(definition, { minLength: 1, maxLength: 3 });
const number = fc.double({ min: 0, max: 1, noNaN: true });
const format = fc.oneof(
  object(type('text')),
  object(type('json_object')),
  object({ ...type('json_schema'), name: word, schema: json }, { description: text, strict: fc.boolean() }),
);
const free: Members = {
  instructions: text,
  max_output_tokens: fc.integer({ min: 16, max: 1_000 }),
  temperature: number,
  top_p: number,
  text: object({ format }, { verbosity: fc.constantFrom('low', 'medium', 'high') }),
  reasoning: object(
    { effort: fc.constantFrom('none', 'low', 'high') },
    { summary: fc.constantFrom('auto', 'detailed') },
  ),
  user: text,
  metadata: fc.dictionary(word, fc.string(), { minKeys: 1, maxKeys: 3 }),
};
const common = { input: turns, store: fc.constant(false), include: fc.constant(['reasoning.encrypted_content']) };
const toolChoice = fc.oneof(fc.constantFrom('none', 'auto', 'required'), object({ ...type('function'), name: word }));
const requests = fc.oneof(
  object(common, free),
  object({ ...common, tools }, { ...free, tool_choice: toolChoice, parallel_tool_calls: fc.boolean() }),
);

const target = targetWith(false);
target.model.capabilities.reasoning = true;

describe('a responses request', () => {
  it('comes back from the canonical form as it was, in all that the canonical form names', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const body: Record<string, unknown> = JSON.parse(JSON.stringify({ model: 'large-2', ...request }));
        const canonical = openaiResponsesSurfaceCodec.fromRequest(body);
        const written = openaiResponsesProviderCodec.toRequest(canonical, target);
        expect(JSON.parse(JSON.stringify(written.body))).toEqual(body);
        expect(canonical.unread).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
