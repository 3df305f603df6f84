import { chat, messages, pdf, pixel, responses, setting, user, weather } from './case.fixture';
import type { Case } from './case.fixture';

type Json = Record<string, unknown>;

const description = 'Tells the weather.';
const chatTools = {
  tools: [{ type: 'function', function: { name: 'get_weather', description, parameters: weather } }],
};
const messagesTools = { tools: [{ name: 'get_weather', description, input_schema: weather }] };
const responsesTools = {
  tools: [{ type: 'function', name: 'get_weather', description, parameters: weather, strict: null }],
};

function choice(name: string, chatChoice: unknown, messagesChoice: Json, responsesChoice: unknown): Case {
  return setting(
    name,
    { ...chatTools, tool_choice: chatChoice },
    { ...messagesTools, tool_choice: messagesChoice },
    { ...responsesTools, tool_choice: responsesChoice },
  );
}

/** A question, two calls at once, and what they gave, in each dialect. */
function loop(name: string, results: { chat: unknown[]; messages: Json[]; responses: unknown[] }): Case {
  const ids = results.chat.map((_, index) => `call_${index}`);
  const args = JSON.stringify({ city: 'Rome' });
  return {
    name,
    bodies: {
      'openai-chat': chat(
        [
          user('Weather?'),
          {
            role: 'assistant',
            content: 'I look.',
            tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'get_weather', arguments: args } })),
          },
          ...ids.map((id, index) => ({ role: 'tool', tool_call_id: id, content: results.chat[index] })),
        ],
        chatTools,
      ),
      'anthropic-messages': messages(
        [
          user('Weather?'),
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'I look.' },
              ...ids.map((id) => ({ type: 'tool_use', id, name: 'get_weather', input: { city: 'Rome' } })),
            ],
          },
          user(ids.map((id, index) => ({ type: 'tool_result', tool_use_id: id, ...results.messages[index] }))),
        ],
        messagesTools,
      ),
      'openai-responses': responses(
        [
          user('Weather?'),
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
          ...ids.map((id) => ({ type: 'function_call', call_id: id, name: 'get_weather', arguments: args })),
          ...ids.map((id, index) => ({ type: 'function_call_output', call_id: id, output: results.responses[index] })),
        ],
        responsesTools,
      ),
    },
  };
}

const place = { city: 'Rome', country: 'IT', timezone: 'Europe/Rome' };
const approximate = { type: 'approximate', ...place };

/** A question for which the provider may search the web, by itself. */
const searchCases: readonly Case[] = [
  setting(
    'web search',
    { web_search_options: {} },
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    { tools: [{ type: 'web_search' }] },
  ),
  setting(
    'web search near the user, and little of it',
    { web_search_options: { search_context_size: 'low', user_location: { type: 'approximate', approximate: place } } },
    { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2, user_location: approximate }] },
    { tools: [{ type: 'web_search', search_context_size: 'low', user_location: approximate }], max_tool_calls: 2 },
  ),
  setting(
    'web search of named domains only',
    'names no domains',
    { tools: [{ type: 'web_search_20250305', name: 'web_search', allowed_domains: ['a.example'] }] },
    { tools: [{ type: 'web_search', filters: { allowed_domains: ['a.example'] } }] },
  ),
  setting(
    'web search without named domains',
    'names no domains',
    { tools: [{ type: 'web_search_20260209', name: 'web_search', blocked_domains: ['b.example'] }] },
    { tools: [{ type: 'web_search', filters: { blocked_domains: ['b.example'] } }] },
  ),
  setting(
    'web search beside tools',
    { ...chatTools, web_search_options: {} },
    { tools: [...messagesTools.tools, { type: 'web_search_20250305', name: 'web_search' }] },
    { tools: [...responsesTools.tools, { type: 'web_search' }] },
  ),
  setting(
    'tool choice web search',
    'cannot demand a search',
    {
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      tool_choice: { type: 'tool', name: 'web_search' },
    },
    { tools: [{ type: 'web_search_preview' }], tool_choice: { type: 'web_search_preview' } },
  ),
  setting(
    'code execution',
    'has no such tool',
    { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] },
    { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
  ),
  setting(
    'tools that Anthropic defines and the client runs',
    'has no such tool',
    {
      tools: [
        { type: 'bash_20250124', name: 'bash' },
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 10_000 },
        { type: 'memory_20250818', name: 'memory' },
      ],
    },
    'has none of this form',
  ),
  setting('tools that OpenAI defines and the client runs', 'has no such tool', 'has none of this form', {
    tools: [{ type: 'shell', environment: { type: 'local' } }, { type: 'apply_patch' }],
  }),
  setting(
    'code execution beside a web search and tools',
    'has no such tool',
    {
      tools: [
        ...messagesTools.tools,
        { type: 'code_execution_20260120', name: 'code_execution' },
        { type: 'web_search_20260209', name: 'web_search' },
      ],
    },
    {
      tools: [
        ...responsesTools.tools,
        { type: 'code_interpreter', container: { type: 'auto' } },
        { type: 'web_search' },
      ],
    },
  ),
  {
    name: 'code execution of an earlier turn',
    bodies: {
      'openai-chat': 'shows no programs',
      'anthropic-messages': messages([
        user('How much is 6 times 7?'),
        {
          role: 'assistant',
          content: [
            {
              type: 'server_tool_use',
              id: 'srvtoolu_1',
              name: 'bash_code_execution',
              input: { command: 'expr 6 * 7' },
            },
            { type: 'bash_code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: { type: 'x' } },
            { type: 'text', text: '42.' },
          ],
        },
        user('And 8?'),
      ]),
      'openai-responses': responses([
        user('How much is 6 times 7?'),
        {
          type: 'code_interpreter_call',
          id: 'ci_1',
          status: 'completed',
          container_id: 'cntr_1',
          code: 'print(6 * 7)',
          outputs: [],
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '42.' }] },
        user('And 8?'),
      ]),
    },
  },
  {
    name: 'web search of an earlier turn',
    bodies: {
      'openai-chat': 'shows no searches',
      'anthropic-messages': messages([
        user('Who won?'),
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'winner' } },
            { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
            { type: 'text', text: 'Rome won.' },
          ],
        },
        user('When?'),
      ]),
      'openai-responses': responses([
        user('Who won?'),
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'winner' } },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Rome won.' }] },
        user('When?'),
      ]),
    },
  },
];

export const toolCases: readonly Case[] = [
  setting('tools', chatTools, messagesTools, responsesTools),
  setting(
    'tool without parameters',
    { tools: [{ type: 'function', function: { name: 'now' } }] },
    { tools: [{ name: 'now', input_schema: { type: 'object' } }] },
    { tools: [{ type: 'function', name: 'now', parameters: null, strict: null }] },
  ),
  setting(
    'strict tool',
    { tools: [{ type: 'function', function: { name: 'get_weather', parameters: weather, strict: true } }] },
    { tools: [{ name: 'get_weather', input_schema: weather, strict: true }] },
    { tools: [{ type: 'function', name: 'get_weather', parameters: weather, strict: true }] },
  ),
  setting(
    'tool of free text',
    { tools: [{ type: 'custom', custom: { name: 'apply_patch', description: 'Applies a patch.' } }] },
    'has no tools of free text',
    { tools: [{ type: 'custom', name: 'apply_patch', description: 'Applies a patch.' }] },
  ),
  choice('tool choice auto', 'auto', { type: 'auto' }, 'auto'),
  choice('tool choice none', 'none', { type: 'none' }, 'none'),
  choice('tool choice required', 'required', { type: 'any' }, 'required'),
  choice(
    'tool choice by name',
    { type: 'function', function: { name: 'get_weather' } },
    { type: 'tool', name: 'get_weather' },
    { type: 'function', name: 'get_weather' },
  ),
  setting(
    'one tool call at a time',
    { ...chatTools, parallel_tool_calls: false },
    { ...messagesTools, tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    { ...responsesTools, parallel_tool_calls: false },
  ),
  loop('parallel tool calls', {
    chat: ['Sun.', 'Rain.'],
    messages: [{ content: 'Sun.' }, { content: 'Rain.' }],
    responses: ['Sun.', 'Rain.'],
  }),
  loop('tool result of several parts', {
    chat: [
      [
        { type: 'text', text: 'Sun.' },
        { type: 'text', text: '30 degrees.' },
      ],
    ],
    messages: [
      {
        content: [
          { type: 'text', text: 'Sun.' },
          { type: 'text', text: '30 degrees.' },
        ],
      },
    ],
    responses: [
      [
        { type: 'input_text', text: 'Sun.' },
        { type: 'input_text', text: '30 degrees.' },
      ],
    ],
  }),
  loop('image in a tool result', {
    chat: [
      [
        { type: 'text', text: 'Look:' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
      ],
    ],
    messages: [
      {
        content: [
          { type: 'text', text: 'Look:' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
        ],
      },
    ],
    responses: [
      [
        { type: 'input_text', text: 'Look:' },
        { type: 'input_image', image_url: `data:image/png;base64,${pixel}` },
      ],
    ],
  }),
  loop('image by URL in a tool result', {
    chat: [[{ type: 'image_url', image_url: { url: 'https://files.example/a.png' } }]],
    messages: [{ content: [{ type: 'image', source: { type: 'url', url: 'https://files.example/a.png' } }] }],
    responses: [[{ type: 'input_image', image_url: 'https://files.example/a.png' }]],
  }),
  loop('file in a tool result', {
    chat: [[{ type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` } }]],
    messages: [
      { content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf } }] },
    ],
    responses: [[{ type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` }]],
  }),
  loop('failed tool result', {
    chat: ['No such city.'],
    messages: [{ content: 'No such city.', is_error: true }],
    responses: ['No such city.'],
  }),
  loop('empty tool result', { chat: [''], messages: [{}], responses: [''] }),
  ...searchCases,
];
