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

const textPart = object(
  { type: is('text'), text },
  { cache_control: object({ type: is('ephemeral') }, { ttl: is('1h') }) },
);
const imageUrl = fc.oneof(
  httpsUrl,
  base64.map((data) => `data:image/png;base64,${data}`),
);
const imagePart = object({
  type: is('image_url'),
  image_url: object({ url: imageUrl }, { detail: fc.constantFrom('low', 'high') }),
});
const filePart = object({
  type: is('file'),
  file: object(
    { file_data: base64.map((data) => `data:application/pdf;base64,${data}`) },
    { filename: word.map((name) => `${name}.pdf`) },
  ),
});
const audioPart = object({
  type: is('input_audio'),
  input_audio: object({ data: base64, format: fc.constantFrom('wav', 'mp3') }),
});
const parts = fc.array(
  fc.oneof(
    { arbitrary: textPart, weight: 6 },
    { arbitrary: imagePart, weight: 2 },
    { arbitrary: filePart, weight: 1 },
    { arbitrary: audioPart, weight: 1 },
  ),
  { minLength: 1, maxLength: 3 },
);
const user = object({ role: is('user'), content: fc.oneof(text, parts) }, { name: word });
const system = object({ role: fc.constantFrom('system', 'developer'), content: text });
const call = object({
  id: word,
  type: is('function'),
  function: object({ name: word, arguments: flatJson.map((value) => JSON.stringify(value)) }),
});
const calling = fc
  .tuple(
    fc.uniqueArray(call, { minLength: 1, maxLength: 2, selector: ({ id }) => id }),
    object({ role: is('assistant') }, { content: text, reasoning_content: text }),
    fc.oneof(text, fc.array(object({ type: is('text'), text }), { minLength: 1, maxLength: 2 })),
  )
  .map(([calls, assistant, content]): Json[] => [
    { ...assistant, tool_calls: calls },
    ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content })),
  ]);
const answering = fc.oneof(
  object({ role: is('assistant'), content: text }),
  object({ role: is('assistant'), content: is(null), refusal: text }),
);
const alone = (message: fc.Arbitrary<Json>) => message.map((each) => [each]);
/** A question first, which some providers demand. */
const turns = fc.array(
  fc.oneof(
    alone(user),
    fc.tuple(user, answering),
    fc.tuple(user, calling).map(([asked, called]) => [asked, ...called]),
  ),
  { maxLength: 3 },
);
const messages = fc
  .tuple(fc.array(system, { maxLength: 2 }), turns, user)
  .map(([first, middle, last]) => [...first, ...middle.flat(), last]);

const tools = fc.uniqueArray(
  object({
    type: is('function'),
    function: object({ name: word }, { description: text, parameters: schema, strict: is(true) }),
  }),
  { minLength: 1, maxLength: 2, selector: (tool) => JSON.stringify(tool) },
);
const toolSettings = {
  tools,
  tool_choice: fc.constantFrom('none', 'auto', 'required'),
};
const format = fc.oneof(
  object({ type: is('json_object') }),
  object({
    type: is('json_schema'),
    json_schema: object({ name: word, schema }, { description: text, strict: is(true) }),
  }),
);

/** Chat completion requests that OpenAI would take. */
export const chatBody: fc.Arbitrary<Json> = fc
  .tuple(
    object(
      { model: is('acme/model'), messages },
      {
        max_completion_tokens: count,
        temperature: fraction,
        top_p: fraction,
        seed: count,
        presence_penalty: fraction,
        frequency_penalty: fraction,
        response_format: format,
        reasoning_effort: fc.constantFrom('minimal', 'low', 'medium', 'high'),
        user: word,
        metadata: fc.dictionary(word, text, { minKeys: 1, maxKeys: 2 }),
        service_tier: is('flex'),
        logit_bias: is({ 1234: 5 }),
      },
    ),
    fc.option(object({}, toolSettings), { freq: 2 }),
    rarely(
      fc.oneof(
        is({ n: 2 }),
        object({ stop: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 3 })) }),
        is({ logprobs: true, top_logprobs: 3 }),
      ),
    ),
  )
  .map(([body, settings, rare]) => ({ ...body, ...withTools(settings), ...rare }));

/** Settings of tools stand beside tools only, and calls can be one at a time only where they are allowed. */
function withTools(settings: Json | null): Json {
  if (!settings || !('tools' in settings)) return {};
  return settings.tool_choice === 'none' ? settings : { ...settings, parallel_tool_calls: false };
}
