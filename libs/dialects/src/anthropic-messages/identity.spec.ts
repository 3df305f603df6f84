import fc from 'fast-check';
import { anthropicMessagesProviderCodec } from './provider-codec';
import { anthropicMessagesSurfaceCodec } from './surface-codec';
import { targetOf } from './target.fixture';

const model = 'claude-opus-4-6';

const text = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }).map((value) => `${value}.`);
const word = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/);
const base64 = fc.uint8Array({ minLength: 1, maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const cacheControl = fc.constantFrom(
  { type: 'ephemeral' },
  { type: 'ephemeral', ttl: '5m' },
  { type: 'ephemeral', ttl: '1h' },
);
const cached = { cache_control: cacheControl };
const json = fc.dictionary(word, fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)), { maxKeys: 3 });

type Members = Record<string, fc.Arbitrary<unknown>>;

function block(required: Members, optional: Members): fc.Arbitrary<Record<string, unknown>> {
  return fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) });
}

const textBlock = block({ type: fc.constant('text'), text }, cached);
const imageBlock = block(
  {
    type: fc.constant('image'),
    source: fc.oneof(
      fc.record({ type: fc.constant('base64'), media_type: fc.constantFrom('image/png', 'image/jpeg'), data: base64 }),
      fc.record({ type: fc.constant('url'), url: fc.webUrl() }),
      fc.record({ type: fc.constant('file'), file_id: word }),
    ),
  },
  cached,
);
const documentBlock = block(
  {
    type: fc.constant('document'),
    source: fc.oneof(
      fc.record({ type: fc.constant('base64'), media_type: fc.constant('application/pdf'), data: base64 }),
      fc.record({ type: fc.constant('url'), url: fc.webUrl() }),
      fc.record({ type: fc.constant('file'), file_id: word }),
    ),
  },
  { ...cached, title: text },
);
const resultContent = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('text'), text }),
    imageBlock.map(({ type, source }) => ({ type, source })),
    documentBlock.map(({ type, source }) => ({ type, source })),
  ),
  { minLength: 1, maxLength: 3 },
);
const toolResult = block(
  { type: fc.constant('tool_result'), tool_use_id: word },
  { ...cached, content: resultContent, is_error: fc.boolean() },
);
const userTurn = fc
  .tuple(
    fc.array(toolResult, { maxLength: 2 }),
    fc.array(fc.oneof(textBlock, imageBlock, documentBlock), { minLength: 1, maxLength: 3 }),
  )
  .map(([results, rest]) => ({ role: 'user', content: [...results, ...rest] }));
const assistantTurn = fc
  .array(
    fc.oneof(
      textBlock,
      fc.record({ type: fc.constant('thinking'), thinking: fc.string(), signature: base64 }),
      fc.record({ type: fc.constant('redacted_thinking'), data: base64 }),
      block({ type: fc.constant('tool_use'), id: word, name: word, input: json }, cached),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((content) => ({ role: 'assistant', content }));
const messages = fc
  .tuple(fc.array(fc.tuple(userTurn, assistantTurn), { maxLength: 3 }), userTurn)
  .map(([turns, last]) => [...turns.flat(), last]);
const tools = fc.uniqueArray(
  block(
    { name: word, input_schema: json.map((properties) => ({ type: 'object', properties })) },
    { ...cached, description: text, strict: fc.boolean() },
  ),
  { selector: ({ name }) => name, minLength: 1, maxLength: 3 },
);
const parallel = { disable_parallel_tool_use: fc.boolean() };
const toolChoice = fc.oneof(
  block({ type: fc.constantFrom('auto', 'any') }, parallel),
  block({ type: fc.constant('tool'), name: word }, parallel),
  fc.record({ type: fc.constant('none') }),
);
const free = { stop_sequences: fc.array(text, { minLength: 1, maxLength: 4 }), metadata: fc.record({ user_id: word }) };
const effort = fc.constantFrom('low', 'medium', 'high', 'max');
const format = fc.record({
  type: fc.constant('json_schema'),
  schema: fc.constant({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }),
});
const display = { display: fc.constantFrom('summarized', 'omitted') };
const thinking = fc.oneof(
  block({ type: fc.constant('enabled'), budget_tokens: fc.integer({ min: 1_024, max: 15_000 }) }, display),
  block({ type: fc.constant('adaptive') }, display),
  fc.record({ type: fc.constant('disabled') }),
);
const common = { model: fc.constant(model), max_tokens: fc.integer({ min: 16_000, max: 64_000 }), messages };
const system = fc.array(textBlock, { minLength: 1, maxLength: 3 });

/** Requests in the form that we write; sampling and forced tools without thinking, which excludes them. */
const requests = fc.oneof(
  block(common, {
    ...free,
    system,
    tools,
    tool_choice: toolChoice,
    temperature: fc.double({ min: 0, max: 1, noNaN: true }),
    top_k: fc.integer({ min: 0, max: 100 }),
    thinking: fc.record({ type: fc.constant('disabled') }),
  }).map((body) => ('tools' in body ? body : { ...body, tool_choice: undefined })),
  block(common, { ...free, system, tools, thinking, output_config: block({ effort }, { format }) }),
);

describe('a messages request', () => {
  it('comes back from the canonical form as it was, in all that the canonical form names', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const body: Record<string, unknown> = JSON.parse(JSON.stringify(request));
        const canonical = anthropicMessagesSurfaceCodec.fromRequest(body);
        const written = anthropicMessagesProviderCodec.toRequest(canonical, targetOf(model));
        expect(written.body).toEqual(body);
        expect(canonical.unread).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
