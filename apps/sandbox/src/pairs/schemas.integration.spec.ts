import { dialectNames } from '@tollgate/contracts';
import type { DialectName } from '@tollgate/contracts';
import { TranslatedCalls } from './translated-calls.fixture';
import type { Place } from './translated-calls.fixture';

let calls: TranslatedCalls;
beforeAll(async () => {
  calls = await TranslatedCalls.start();
});
afterAll(() => calls.close());

const message = { model: 'm', max_tokens: 99, messages: [{ role: 'user', content: 'use add' }] };
const properties = { what: { type: 'string' }, why: { type: 'string' } };
const schema = { type: 'object', properties, required: ['what'], additionalProperties: false };
/** What Anthropic enforces, and OpenAI's strict mode refuses. */
const partlyRequired = {
  tools: [{ name: 'add', input_schema: schema, strict: true }],
  output_config: { format: { type: 'json_schema', schema } },
};

/** The answer to a message with these members. */
async function answerTo(place: Place, members: object): Promise<string> {
  const { attempt, answer, received, sent } = await calls.send('anthropic-messages', place, { ...message, ...members });
  if (answer.status !== 200) throw new Error(`${answer.status} ${Buffer.from(received).toString()} for ${sent}`);
  const reader = attempt.answerReader();
  const text = Buffer.concat([reader.push(received), reader.end()]).toString();
  expect(reader).toMatchObject({ state: 'complete', error: null });
  return text;
}

describe.each(dialectNames)('a message on a model of %s', (dialect) => {
  // https://github.com/digitalocean-labs/mcp-digitalocean/issues/265
  it.each([{}, { properties: { tags: { type: 'array' } } }])(
    'calls tools whose schemas say little: %j',
    async (said) => {
      const tools = [{ name: 'add', input_schema: { type: 'object', ...said } }];
      expect(await answerTo({ dialect }, { tools })).toContain('"add"');
    },
  );

  // https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
  it('is answered where not everything in its schemas is required, as Anthropic takes them', async () => {
    const place = { dialect, quirks: { closedSchemas: true } };
    const { tools, output_config } = partlyRequired;
    expect(await answerTo(place, { tools })).toContain('"add"');
    expect(await answerTo(place, { output_config })).toContain('what');
  });
});

// https://docs.fireworks.ai/structured-responses/structured-response-formatting
it.each<[DialectName, string]>([
  ['openai-chat', 'mistral-small-2603'],
  ['openai-chat', 'grok-4.3'],
  ['openai-responses', 'grok-4.3'],
])('a schema of messages is enforced at makers who take more than OpenAI, in %s of %s', async (dialect, model) => {
  const place = { dialect, model, quirks: { maxTokensField: 'max_tokens' as const } };
  const { answer, sent, attempt } = await calls.send('anthropic-messages', place, { ...message, ...partlyRequired });
  expect({ status: answer.status, warnings: attempt.request.warnings }).toEqual({ status: 200, warnings: [] });
  expect(sent.match(/"strict":true/g)).toHaveLength(2);
});
