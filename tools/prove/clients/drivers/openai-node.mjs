import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import { form, history, keep, play, run, toolList } from './tools.mjs';

/** One task with OpenAI's client for JavaScript. */
await play(async (task) => {
  const client = new OpenAI({ baseURL: `${task.baseUrl}/v1`, apiKey: task.apiKey });
  return task.surface === 'chat' ? chat(client, task) : responses(client, task);
});

async function chat(client, { model, prompt, image, tools, reasons, structured, leaves, ...task }) {
  const content = image
    ? [
        { type: 'text', text: prompt },
        { type: 'image_url', image_url: { url: dataUrl(image) } },
      ]
    : prompt;
  const messages = [...history(task), { role: 'user', content }];
  const usage = { input: 0, output: 0 };
  for (;;) {
    const stream = client.chat.completions.stream({
      model,
      messages,
      stream_options: { include_usage: true },
      ...(tools && {
        tools: toolList.map(({ name, schema }) => ({ type: 'function', function: { name, parameters: schema } })),
      }),
      ...(reasons && { reasoning_effort: 'medium' }),
      ...(structured && {
        response_format: { type: 'json_schema', json_schema: { name: 'form', schema: form, strict: true } },
      }),
    });
    if (leaves) stream.on('content', () => stream.abort());
    const completion = await stream.finalChatCompletion();
    usage.input += completion.usage.prompt_tokens;
    usage.output += completion.usage.completion_tokens;
    const { message } = completion.choices[0];
    messages.push(message);
    if (!message.tool_calls?.length) {
      keep(task, messages);
      return { text: message.content, data: structured ? JSON.parse(message.content) : null, usage };
    }
    for (const { id, function: called } of message.tool_calls)
      messages.push({ role: 'tool', tool_call_id: id, content: run(called.name, JSON.parse(called.arguments)) });
  }
}

async function responses(client, { model, prompt, image, tools, reasons, structured, leaves, counts, ...task }) {
  const content = [
    { type: 'input_text', text: prompt },
    ...(image ? [{ type: 'input_image', image_url: dataUrl(image), detail: 'auto' }] : []),
  ];
  const input = [...history(task), { role: 'user', content }];
  const usage = { input: 0, output: 0 };
  const counted = counts ? (await client.responses.inputTokens.count({ model, input })).input_tokens : null;
  for (;;) {
    const stream = client.responses.stream({
      model,
      input,
      store: false,
      include: ['reasoning.encrypted_content'],
      ...(tools && {
        tools: toolList.map(({ name, schema }) => ({ type: 'function', name, parameters: schema, strict: true })),
      }),
      ...(reasons && { reasoning: { effort: 'medium', summary: 'auto' } }),
      ...(structured && { text: { format: { type: 'json_schema', name: 'form', schema: form, strict: true } } }),
    });
    if (leaves) stream.on('response.output_text.delta', () => stream.abort());
    const response = await stream.finalResponse();
    usage.input += response.usage.input_tokens;
    usage.output += response.usage.output_tokens;
    // What the stream helper adds to items is its own:
    // https://github.com/openai/openai-node/blob/master/src/lib/ResponsesParser.ts
    for (const item of response.output) delete item.parsed_arguments;
    input.push(...response.output);
    const calls = response.output.filter(({ type }) => type === 'function_call');
    if (calls.length === 0) {
      keep(task, input);
      return { text: response.output_text, data: structured ? JSON.parse(response.output_text) : null, usage, counted };
    }
    for (const { call_id, name, arguments: given } of calls)
      input.push({ type: 'function_call_output', call_id, output: run(name, JSON.parse(given)) });
  }
}

function dataUrl(file) {
  return `data:image/png;base64,${readFileSync(file, 'base64')}`;
}
