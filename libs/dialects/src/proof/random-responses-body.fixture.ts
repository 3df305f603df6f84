import fc from 'fast-check';
import {
  base64,
  count,
  flatJson,
  fraction,
  httpsUrl,
  is,
  object,
  rarely,
  schema,
  text,
  word,
} from './random-values.fixture';

type Json = Record<string, unknown>;

const textPart = object({ type: is('input_text'), text });
const imagePart = object(
  {
    type: is('input_image'),
    image_url: fc.oneof(
      httpsUrl,
      base64.map((data) => `data:image/png;base64,${data}`),
    ),
  },
  { detail: fc.constantFrom('low', 'high') },
);
const filePart = fc.oneof(
  object(
    { type: is('input_file'), file_data: base64.map((data) => `data:application/pdf;base64,${data}`) },
    { filename: word },
  ),
  object({ type: is('input_file'), file_url: httpsUrl }),
);
const parts = fc.array(
  fc.oneof({ arbitrary: textPart, weight: 6 }, { arbitrary: imagePart, weight: 2 }, { arbitrary: filePart, weight: 1 }),
  { minLength: 1, maxLength: 3 },
);
const user = object({ role: is('user'), content: fc.oneof(text, parts) }, { type: is('message') });
const system = object({ role: fc.constantFrom('system', 'developer'), content: text });
const answering = object(
  {
    type: is('message'),
    role: is('assistant'),
    content: fc.array(object({ type: is('output_text'), text }), { minLength: 1, maxLength: 2 }),
  },
  { status: is('completed') },
);
const reasoning = object(
  {
    type: is('reasoning'),
    id: word.map((id) => `rs_${id}`),
    summary: fc.array(object({ type: is('summary_text'), text }), { maxLength: 1 }),
  },
  { encrypted_content: base64 },
);
const call = object({
  type: is('function_call'),
  call_id: word,
  name: word,
  arguments: flatJson.map((value) => JSON.stringify(value)),
});
const output = fc.oneof(text, fc.array(fc.oneof(textPart, imagePart), { minLength: 1, maxLength: 2 }));
const calling = fc
  .tuple(
    fc.array(reasoning, { maxLength: 1 }),
    fc.uniqueArray(call, { minLength: 1, maxLength: 2, selector: (each) => each.call_id }),
    output,
  )
  .map(([thoughts, calls, result]): Json[] => [
    ...thoughts,
    ...calls,
    ...calls.map((each) => ({ type: 'function_call_output', call_id: each.call_id, output: result })),
  ]);
const alone = (item: fc.Arbitrary<Json>) => item.map((each) => [each]);
/** A question first, which some providers demand. */
const turns = fc.array(
  fc.oneof(
    alone(user),
    fc.tuple(user, answering),
    fc.tuple(user, calling).map(([asked, called]) => [asked, ...called]),
  ),
  { maxLength: 3 },
);
const input = fc.oneof(
  text,
  fc
    .tuple(fc.array(system, { maxLength: 1 }), turns, user)
    .map(([first, middle, last]) => [...first, ...middle.flat(), last]),
);

const tools = fc.uniqueArray(
  fc.oneof(
    object({ type: is('function'), name: word, parameters: schema, strict: is(true) }, { description: text }),
    object({ type: is('custom'), name: word }, { description: text }),
  ),
  { minLength: 1, maxLength: 2, selector: ({ name }) => name },
);
const toolSettings = {
  tools,
  tool_choice: fc.constantFrom('none', 'auto', 'required'),
};
const format = fc.oneof(
  object({ type: is('json_object') }),
  object({ type: is('json_schema'), name: word, schema }, { description: text, strict: is(true) }),
);

/** Responses requests that OpenAI would take. */
export const responsesBody: fc.Arbitrary<Json> = fc
  .tuple(
    object(
      { model: is('acme/model'), input },
      {
        instructions: text,
        max_output_tokens: count,
        temperature: fraction,
        top_p: fraction,
        text: object({}, { format, verbosity: is('low') }),
        reasoning: object({}, { effort: fc.constantFrom('low', 'high'), summary: is('detailed') }),
        user: word,
        metadata: fc.dictionary(word, text, { minKeys: 1, maxKeys: 2 }),
        service_tier: is('flex'),
        truncation: is('auto'),
      },
    ),
    fc.option(object({}, toolSettings), { freq: 2 }),
    rarely(is({ include: ['message.output_text.logprobs'], top_logprobs: 3 })),
  )
  .map(([body, settings, rare]) => ({ ...body, ...withTools(settings), ...rare }));

/** Settings of tools stand beside tools only, and calls can be one at a time only where they are allowed. */
function withTools(settings: Json | null): Json {
  if (!settings || !('tools' in settings)) return {};
  return settings.tool_choice === 'none' ? settings : { ...settings, parallel_tool_calls: false };
}
