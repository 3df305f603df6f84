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

const cached = { cache_control: object({ type: is('ephemeral') }, { ttl: is('1h') }) };
const textBlock = object({ type: is('text'), text }, cached);
const imageBlock = object(
  {
    type: is('image'),
    source: fc.oneof(
      object({ type: is('base64'), media_type: fc.constantFrom('image/png', 'image/webp'), data: base64 }),
      object({ type: is('url'), url: httpsUrl }),
    ),
  },
  cached,
);
const documentBlock = object(
  {
    type: is('document'),
    source: fc.oneof(
      object({ type: is('base64'), media_type: is('application/pdf'), data: base64 }),
      object({ type: is('url'), url: httpsUrl }),
    ),
  },
  { title: word },
);
const content = fc.oneof(
  text,
  fc.array(
    fc.oneof(
      { arbitrary: textBlock, weight: 6 },
      { arbitrary: imageBlock, weight: 2 },
      { arbitrary: documentBlock, weight: 1 },
    ),
    { minLength: 1, maxLength: 3 },
  ),
);
const user = object({ role: is('user'), content });
const thinking = fc.oneof(
  object({ type: is('thinking'), thinking: text, signature: base64 }),
  object({ type: is('redacted_thinking'), data: base64 }),
);
const toolUse = object({ type: is('tool_use'), id: word, name: word, input: flatJson });
const result = object(
  {},
  {
    content: fc.oneof(
      text,
      fc.array(
        fc.oneof(
          object({ type: is('text'), text }),
          imageBlock.map(({ type, source }) => ({ type, source })),
        ),
        { minLength: 1, maxLength: 2 },
      ),
    ),
    is_error: is(true),
  },
);
const calling = fc
  .tuple(
    fc.array(thinking, { maxLength: 1 }),
    fc.array(textBlock, { maxLength: 1 }),
    fc.uniqueArray(toolUse, { minLength: 1, maxLength: 2, selector: ({ id }) => id }),
    result,
  )
  .map(([thoughts, said, calls, answer]): Json[] => [
    { role: 'assistant', content: [...thoughts, ...said, ...calls] },
    { role: 'user', content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, ...answer })) },
  ]);
const answering = fc
  .tuple(user, fc.array(textBlock, { minLength: 1, maxLength: 2 }))
  .map(([asked, said]): Json[] => [asked, { role: 'assistant', content: said }]);
const asking = fc.tuple(user, calling).map(([asked, called]): Json[] => [asked, ...called]);
const messages = fc
  .tuple(fc.array(fc.oneof(answering, asking), { maxLength: 2 }), user)
  .map(([turns, last]) => [...turns.flat(), last]);

const tools = fc.uniqueArray(
  object({ name: word, input_schema: schema }, { description: text, strict: is(true), ...cached }),
  {
    minLength: 1,
    maxLength: 2,
    selector: ({ name }) => name,
  },
);
const parallel = { disable_parallel_tool_use: is(true) };
const toolSettings = {
  tools,
  tool_choice: fc.oneof(object({ type: fc.constantFrom('auto', 'any') }, parallel), object({ type: is('none') })),
};

/** Messages requests that Anthropic would take. */
export const messagesBody: fc.Arbitrary<Json> = fc
  .tuple(
    object(
      { model: is('acme/model'), max_tokens: fc.integer({ min: 20_000, max: 30_000 }), messages },
      {
        system: fc.oneof(text, fc.array(textBlock, { minLength: 1, maxLength: 2 })),
        metadata: object({ user_id: word }),
      },
    ),
    fc.oneof(
      object({}, { temperature: fraction, top_p: fraction, top_k: fc.integer({ min: 21, max: 99 }) }),
      object({ thinking: object({ type: is('enabled'), budget_tokens: count }) }),
      object(
        { thinking: object({ type: is('adaptive') }, { display: is('omitted') }) },
        { output_config: object({ effort: fc.constantFrom('low', 'high') }) },
      ),
      object({ output_config: object({ format: object({ type: is('json_schema'), schema }) }) }),
    ),
    fc.option(object({}, toolSettings), { freq: 2 }),
    rarely(object({ stop_sequences: fc.array(text, { minLength: 1, maxLength: 3 }) })),
  )
  .map(([body, sampling, settings, rare]) => ({
    ...body,
    ...sampling,
    ...(settings && 'tools' in settings ? settings : {}),
    ...rare,
  }));
