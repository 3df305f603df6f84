import { conversationIn } from './conversation';

/** Each turn on a line: who, and what of which kind. */
const lines = (body: unknown) =>
  conversationIn(JSON.stringify(body))?.map(
    ({ role, parts }) =>
      `${role}: ${parts.map(({ kind, name, text }) => `${kind}${name ? ` ${name}` : ''} ${text}`).join(' | ')}`,
  ) ?? null;

const args = '{\n  "city": "Bonn"\n}';

it.each<[string, unknown, string[] | null]>([
  [
    'chat completions',
    {
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'image_url', image_url: { url: 'u' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: '1', function: { name: 'weather', arguments: '{"city":"Bonn"}' } }],
        },
        { role: 'tool', tool_call_id: '1', content: 'drizzle' },
      ],
    },
    [
      'system: text Be brief.',
      `user: text Hi | other image_url ${JSON.stringify({ type: 'image_url', image_url: { url: 'u' } }, null, 2)}`,
      `assistant: call weather ${args}`,
      'tool: result drizzle',
    ],
  ],
  [
    'an answer of chat completions',
    { choices: [{ message: { role: 'assistant', reasoning_content: 'Hm.', content: 'Hello' } }] },
    ['assistant: reasoning Hm. | text Hello'],
  ],
  [
    'messages',
    {
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.' },
            { type: 'tool_use', name: 'weather', input: { city: 'Bonn' } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: '1', content: [{ type: 'text', text: 'drizzle' }] }],
        },
      ],
    },
    ['system: text Be brief.', `assistant: reasoning Hm. | call weather ${args}`, 'user: result drizzle'],
  ],
  [
    'an answer of messages',
    { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
    ['assistant: text Hello'],
  ],
  [
    'responses',
    {
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        { type: 'function_call', name: 'weather', arguments: '{"city":"Bonn"}' },
        { type: 'function_call_output', output: 'drizzle' },
      ],
    },
    [
      'system: text Be brief.',
      'user: text Hi',
      'user: reasoning Hm.',
      `user: call weather ${args}`,
      'user: result drizzle',
    ],
  ],
  [
    'an answer of responses',
    { output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }] },
    ['assistant: text Hello'],
  ],
  ['text completions', { prompt: 'Once' }, ['user: text Once']],
  ['an answer of text completions', { choices: [{ text: ' upon' }] }, ['assistant: text  upon']],
  ['embeddings', { input: ['one', 'two'] }, ['user: text one', 'user: text two']],
  ['a refusal', { error: { message: 'Too long.' } }, ['gateway: error Too long.']],
  [
    'a broken stream',
    { choices: [{ message: { content: 'He' } }], error: { message: 'lost' } },
    ['assistant: text He', 'gateway: error lost'],
  ],
  ['rerank', { query: 'q', documents: ['d'] }, null],
])('%s', (_format, body, expected) => expect(lines(body)).toEqual(expected));

it.each(['', '[1]', 'null', '{"messages": [{"role"'])('%j is no conversation', (text) =>
  expect(conversationIn(text)).toBeNull(),
);
