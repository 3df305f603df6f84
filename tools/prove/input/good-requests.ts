const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const weather = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bonn"}' } };

/** Requests that work, by path, of all parts that a format has; `model` is filled in. */
export const goodRequests: Record<string, readonly object[]> = {
  '/v1/chat/completions': [
    {
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 20,
      temperature: 0.5,
      stop: ['x'],
      seed: 1,
      user: 'u',
    },
    {
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What?' },
            { type: 'image_url', image_url: { url: picture, detail: 'low' } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: '' },
      ],
      tools: [
        { type: 'function', function: { name: 'get_weather', description: 'w', parameters: weather, strict: true } },
      ],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      parallel_tool_calls: false,
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 30,
    },
    {
      messages: [
        { role: 'developer', content: 'JSON' },
        { role: 'user', content: 'One' },
        { role: 'user', content: 'Two' },
      ],
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: weather, strict: true } },
      reasoning_effort: 'low',
      logprobs: true,
      top_logprobs: 2,
      n: 1,
      metadata: { a: 'b' },
    },
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          ],
        },
      ],
    },
  ],
  '/v1/messages': [
    {
      max_tokens: 20,
      messages: [{ role: 'user', content: 'Hello' }],
      system: 'Be brief.',
      temperature: 0.5,
      stop_sequences: ['x'],
    },
    {
      max_tokens: 2_000,
      stream: true,
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'text', text: 'x' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'a', signature: 'b' },
            { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Bonn' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'rain' }], is_error: false },
          ],
        },
      ],
      tools: [{ name: 'get_weather', input_schema: weather }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    },
    {
      max_tokens: 10,
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              source: { type: 'text', media_type: 'text/plain', data: 'x' },
              citations: { enabled: true },
            },
          ],
        },
      ],
    },
  ],
  '/v1/messages/count_tokens': [
    { messages: [{ role: 'user', content: 'Hello' }], system: 'x', tools: [{ name: 'a', input_schema: weather }] },
  ],
  '/v1/responses': [
    { input: 'Hello', max_output_tokens: 20, instructions: 'Be brief.', store: false },
    {
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'x' },
            { type: 'input_image', image_url: picture, detail: 'low' },
          ],
        },
        { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Bonn"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'a' }], encrypted_content: 'AAAA' },
      ],
      tools: [{ type: 'function', name: 'get_weather', parameters: weather, strict: true }],
      tool_choice: 'required',
      reasoning: { effort: 'low', summary: 'auto' },
      text: { format: { type: 'json_schema', name: 'a', schema: weather } },
      stream: true,
      include: ['reasoning.encrypted_content'],
    },
  ],
  '/v1/embeddings': [{ input: ['a', 'b'], dimensions: 8, encoding_format: 'base64' }, { input: [[1, 2, 3]] }],
};
