import { fromLoggedRequest } from './from-logged-request';
import { requestBody } from './request-body';

const weather = { name: 'weather', description: 'Now.', parameters: { type: 'object' } };
const image = 'data:image/png;base64,AAAA';

/** What the playground would ask, once its question is sent. */
function asked(body: object): Record<string, unknown> {
  const replay = fromLoggedRequest(JSON.stringify(body), 'a/b');
  if (!replay) throw new Error('it cannot be replayed');
  return requestBody('a/b', replay.setup, [...replay.turns, ...(replay.question ? [replay.question] : [])]);
}

const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Weather in Bonn?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{\n  "city": "Bonn"\n}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'drizzle' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'And here?' },
      { type: 'image_url', image_url: { url: image } },
    ],
  },
];
const parameters = { temperature: 0.5, top_p: 0.9, max_tokens: 100 };
const tools = [{ type: 'function', function: weather }];

it('asks a request of chat completions again', () =>
  expect(asked({ model: 'a/b', messages, ...parameters, tools })).toMatchObject({ messages, ...parameters, tools }));

it('asks a request of messages again', () =>
  expect(
    asked({
      ...{ model: 'a/b', system: 'Be brief.', ...parameters },
      messages: [
        { role: 'user', content: 'Weather in Bonn?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Bonn' } }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: 'drizzle' },
            { type: 'text', text: 'And here?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          ],
        },
      ],
      tools: [{ name: 'weather', description: 'Now.', input_schema: { type: 'object' } }],
    }),
  ).toMatchObject({ messages, ...parameters, tools }));

it('asks a request of responses again', () =>
  expect(
    asked({
      ...{ model: 'a/b', instructions: 'Be brief.', temperature: 0.5, top_p: 0.9, max_output_tokens: 100 },
      input: [
        { role: 'user', content: 'Weather in Bonn?' },
        { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Bonn"}' },
        { type: 'function_call_output', call_id: 'c1', output: 'drizzle' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'And here?' },
            { type: 'input_image', image_url: image },
          ],
        },
      ],
      tools: [{ type: 'function', ...weather }, { type: 'web_search' }],
    }),
  ).toMatchObject({ messages, ...parameters, tools }));

it('keeps the schema of the answer', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } } };
  const format = { type: 'json_schema', json_schema: { name: 'city', schema } };
  expect(asked({ messages: [{ role: 'user', content: 'Hi' }], response_format: format })).toMatchObject({
    response_format: { type: 'json_schema', json_schema: { schema } },
  });
});

it('takes the last question apart, so that it can be changed before it is asked', () =>
  expect(fromLoggedRequest(JSON.stringify({ messages }), 'a/b')).toMatchObject({
    setup: { system: 'Be brief.' },
    turns: [{ kind: 'user' }, { kind: 'assistant', state: 'done' }, { kind: 'tool' }],
    question: { text: 'And here?', images: [image] },
  }));

it.each(['', '{"messages": [{"role"', '{"query": "q", "documents": []}'])('%j cannot be replayed', (json) =>
  expect(fromLoggedRequest(json, 'a/b')).toBeNull(),
);

// What redacted-json.spec.ts of edge says that the log has in the place of a file's data.
const leftOut = '[left out: 600 characters]';
it.each([
  { type: 'image_url', image_url: { url: leftOut } },
  { type: 'input_image', image_url: leftOut },
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: leftOut } },
  { type: 'input_file', filename: 'a.pdf', file_data: leftOut },
])('asks without a file that was not kept, and says so: %j', (file) => {
  const said = [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, file] }];
  expect(fromLoggedRequest(JSON.stringify({ messages: said }), 'a/b')).toMatchObject({
    question: { text: 'What is it?', images: [] },
    lacksFiles: true,
  });
  expect(fromLoggedRequest(JSON.stringify({ messages }), 'a/b')?.lacksFiles).toBe(false);
});
