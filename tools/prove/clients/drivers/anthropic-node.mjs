import { readFileSync } from 'node:fs';
import Anthropic from '@anthropic-ai/sdk';
import { form, history, keep, play, run, toolList } from './tools.mjs';

/** One task with Anthropic's client for JavaScript. */
await play(async ({ baseUrl, apiKey, model, prompt, image, tools, reasons, structured, leaves, counts, ...task }) => {
  const client = new Anthropic({ baseURL: baseUrl, apiKey });
  const picture = () => ({ type: 'base64', media_type: 'image/png', data: readFileSync(image, 'base64') });
  const content = [...(image ? [{ type: 'image', source: picture() }] : []), { type: 'text', text: prompt }];
  const messages = [...history(task), { role: 'user', content }];
  const counted = counts ? (await client.messages.countTokens({ model, messages })).input_tokens : null;
  const usage = { input: 0, output: 0 };
  for (;;) {
    const stream = client.messages.stream({
      model,
      max_tokens: 4_000,
      messages,
      ...(tools && {
        tools: toolList.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
      }),
      ...(reasons && { thinking: { type: 'adaptive' } }),
      ...(structured && { output_config: { format: { type: 'json_schema', schema: form } } }),
    });
    if (leaves) stream.on('text', () => stream.abort());
    const message = await stream.finalMessage();
    const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = message.usage;
    usage.input += input_tokens + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0);
    usage.output += output_tokens;
    messages.push({ role: 'assistant', content: message.content });
    const uses = message.content.filter(({ type }) => type === 'tool_use');
    if (uses.length === 0) {
      keep(task, messages);
      const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      return { text, data: structured ? JSON.parse(text) : null, usage, counted };
    }
    const results = uses.map(({ id, name, input }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: run(name, input),
    }));
    messages.push({ role: 'user', content: results });
  }
});
