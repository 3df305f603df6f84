import { readFileSync } from 'node:fs';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isStepCount, jsonSchema, Output, streamText, tool } from 'ai';
import { form, history, keep, play, run, toolList } from './tools.mjs';

/** One task with the AI SDK, over chat completions or Anthropic's messages. */
await play(async ({ surface, baseUrl, apiKey, model, prompt, image, tools, reasons, structured, leaves, ...task }) => {
  const address = { baseURL: `${baseUrl}/v1`, apiKey };
  const provider =
    surface === 'chat'
      ? createOpenAICompatible({ name: 'tollgate', includeUsage: true, supportsStructuredOutputs: true, ...address })
      : createAnthropic(address);
  const content = [
    { type: 'text', text: prompt },
    ...(image ? [{ type: 'file', data: readFileSync(image), mediaType: 'image/png' }] : []),
  ];
  const messages = [...history(task), { role: 'user', content }];
  let failure = null;
  const leaving = new AbortController();
  const answer = streamText({
    model: provider(model),
    messages,
    stopWhen: isStepCount(8),
    abortSignal: leaving.signal,
    onError: ({ error }) => (failure ??= error),
    ...(tools && { tools: Object.fromEntries(toolList.map((each) => [each.name, toolOf(each)])) }),
    ...(reasons && {
      providerOptions: { tollgate: { reasoningEffort: 'medium' }, anthropic: { thinking: { type: 'adaptive' } } },
    }),
    ...(structured && { output: Output.object({ schema: jsonSchema(form) }) }),
  });
  for await (const text of answer.textStream) {
    if (!leaves) continue;
    leaving.abort();
    return { text };
  }
  if (failure) throw failure instanceof Error ? failure : new Error(String(failure));
  const { messages: said } = await answer.response;
  keep(task, [...messages, ...(await answer.steps).flatMap(({ response }) => response.messages).slice(-said.length)]);
  const { inputTokens, outputTokens } = await answer.totalUsage;
  return {
    text: await answer.text,
    data: structured ? await answer.output : null,
    usage: { input: inputTokens, output: outputTokens },
  };
});

function toolOf({ name, description, schema }) {
  return tool({ description, inputSchema: jsonSchema(schema), execute: (given) => run(name, given) });
}
