/** Addresses that all lead to this port of this machine for whoever is careless enough to follow them. */
export function urlsTo(port: number): string[] {
  const hosts = [
    ...['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.0.0.1.'],
    ...['[::ffff:127.0.0.1]', '①②⑦.⓪.⓪.①', 'LOCALHOST'],
  ];
  return [
    ...hosts.map((host) => `http://${host}:${port}/canary.png`),
    `https://127.0.0.1:${port}/canary.png`,
    `http://user:password@127.0.0.1:${port}/canary.png`,
    `http://api.openai.com@127.0.0.1:${port}/canary.png`,
    `http://127.0.0.1:${port}#api.openai.com`,
    `http://127.0.0.1:${port}\\@api.openai.com/`,
    `HTTP://127.0.0.1:${port}/canary.png?x=.png`,
    `//127.0.0.1:${port}/canary.png`,
    `ftp://127.0.0.1:${port}/canary`,
    `gopher://127.0.0.1:${port}/_GET`,
    `ws://127.0.0.1:${port}/`,
    `nats://127.0.0.1:${port}`,
    `jar:http://127.0.0.1:${port}!/`,
    `gs://127.0.0.1:${port}/canary`,
    `s3://127.0.0.1:${port}/canary`,
    ` http://127.0.0.1:${port}/canary.png`,
    `http:127.0.0.1:${port}/canary.png`,
  ];
}

const tool = { type: 'function', function: { name: 'f', parameters: { $ref: 'URL' } } };
const said = { role: 'user', content: 'Hi' };
const parts = (content: unknown[]) => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, ...content] }],
});
const claude = (source: object, type = 'image') => ({ max_tokens: 9, ...parts([{ type, source }]) });
const input = (content: unknown[]) => ({
  input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }, ...content] }],
});

/**
 * Requests with an address in each field of each surface that takes one, or that somebody may hope to be one.
 * The text URL stands for it.
 */
export const fieldsWithUrls: [path: string, body: object][] = [
  ['/v1/chat/completions', parts([{ type: 'image_url', image_url: { url: 'URL' } }])],
  ['/v1/chat/completions', parts([{ type: 'image_url', image_url: 'URL' }])],
  ['/v1/chat/completions', parts([{ type: 'video_url', video_url: { url: 'URL' } }])],
  ['/v1/chat/completions', parts([{ type: 'file', file: { file_url: 'URL', filename: 'a.pdf' } }])],
  ['/v1/chat/completions', parts([{ type: 'file', file: { file_data: 'URL', filename: 'a.pdf' } }])],
  ['/v1/chat/completions', parts([{ type: 'file', file: { file_id: 'URL' } }])],
  ['/v1/chat/completions', parts([{ type: 'input_audio', input_audio: { data: 'URL', format: 'wav' } }])],
  ['/v1/chat/completions', { messages: [said], tools: [tool] }],
  ['/v1/chat/completions', { messages: [said], tools: [{ type: 'mcp', server_url: 'URL', server_label: 'a' }] }],
  ['/v1/chat/completions', { messages: [said], web_search_options: { url: 'URL' } }],
  [
    '/v1/chat/completions',
    { messages: [said], response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { $ref: 'URL' } } } },
  ],
  [
    '/v1/chat/completions',
    { messages: [said], metadata: { callback: 'URL' }, user: 'URL', base_url: 'URL', api_base: 'URL', webhook: 'URL' },
  ],
  ['/v1/messages', claude({ type: 'url', url: 'URL' })],
  ['/v1/messages', claude({ type: 'url', url: 'URL' }, 'document')],
  ['/v1/messages', claude({ type: 'base64', media_type: 'image/png', data: 'URL' })],
  ['/v1/messages', claude({ type: 'file', file_id: 'URL' })],
  ['/v1/messages', { max_tokens: 9, messages: [said], mcp_servers: [{ type: 'url', url: 'URL', name: 'a' }] }],
  [
    '/v1/messages',
    { max_tokens: 9, messages: [said], tools: [{ type: 'web_fetch_20250910', name: 'web_fetch', url: 'URL' }] },
  ],
  [
    '/v1/messages',
    {
      max_tokens: 9,
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'a',
              content: [{ type: 'image', source: { type: 'url', url: 'URL' } }],
            },
          ],
        },
      ],
    },
  ],
  ['/v1/messages/count_tokens', { messages: claude({ type: 'url', url: 'URL' }).messages }],
  ['/v1/responses', input([{ type: 'input_image', image_url: 'URL' }])],
  ['/v1/responses', input([{ type: 'input_file', file_url: 'URL' }])],
  ['/v1/responses', input([{ type: 'input_file', file_data: 'URL', filename: 'a.pdf' }])],
  [
    '/v1/responses',
    { input: 'Hi', tools: [{ type: 'mcp', server_label: 'a', server_url: 'URL', require_approval: 'never' }] },
  ],
  ['/v1/responses', { input: 'Hi', prompt: { id: 'URL' }, conversation: 'URL' }],
  [
    '/v1/responses',
    {
      input: [
        { type: 'computer_call_output', call_id: 'a', output: { type: 'computer_screenshot', image_url: 'URL' } },
      ],
    },
  ],
  ['/v1/embeddings', { input: 'URL' }],
  ['/v1/embeddings', { input: [{ type: 'image_url', image_url: { url: 'URL' } }] }],
];
