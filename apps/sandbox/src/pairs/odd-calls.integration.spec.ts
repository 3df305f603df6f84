import { createOpenAI } from '@ai-sdk/openai';
import { ChatOpenAI } from '@langchain/openai';
import { stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { chatTools as tools, TranslatedCalls } from './translated-calls.fixture';
import type { Place } from './translated-calls.fixture';

let calls: TranslatedCalls;
beforeAll(async () => {
  calls = await TranslatedCalls.start();
});
afterAll(() => calls.close());

const messages = [{ role: 'user' as const, content: 'use look_up and add' }];

describe.each([
  ['ids that are numbers', 'z-ai/glm-5.1'],
  ['no ids', 'glm-4.6-flash'],
  ['no numbers', 'meta/llama-3.3-70b-instruct'],
])('unmodified clients on a model whose provider tells calls with %s', (_, model) => {
  const place: Place = { dialect: 'openai-chat', model };
  const fetchThere = (): typeof fetch => calls.fetchFor('openai-chat', place);
  const client = () => calls.openai(place, 'openai-chat');

  it("get two calls at once with OpenAI's client, streamed or not", async () => {
    const streamed = await client().chat.completions.stream({ model: 'm', messages, tools }).finalMessage();
    const plain = await client().chat.completions.create({ model: 'm', messages, tools });
    for (const { tool_calls: called = [] } of [streamed, plain.choices[0]?.message ?? streamed]) {
      expect(called).toMatchObject([
        { id: expect.any(String), function: { name: 'look_up', arguments: '{"what":"example"}' } },
        { id: expect.any(String), function: { name: 'add', arguments: '{"what":"example"}' } },
      ]);
      expect(new Set(called.map(({ id }) => id)).size).toBe(2);
    }
  });

  it('get two calls at once with LangChain', async () => {
    const chat = new ChatOpenAI({ model: 'm', apiKey: 'k', maxRetries: 0, configuration: { fetch: fetchThere() } });
    const names: (string | undefined)[] = [];
    for await (const chunk of await chat.bindTools(tools).stream('use look_up and add'))
      for (const { name, id, index } of chunk.tool_call_chunks ?? []) {
        expect(typeof index).toBe('number');
        if (name) names.push(name);
        if (name) expect(typeof id).toBe('string');
      }
    expect(names).toEqual(['look_up', 'add']);
  });

  it('go through a loop of calls with the AI SDK', async () => {
    const provider = createOpenAI({ apiKey: 'k', fetch: fetchThere() });
    const lookUp = tool({ inputSchema: z.object({ what: z.string() }), execute: ({ what }) => `found ${what}` });
    const { text } = streamText({
      model: provider.chat('m'),
      prompt: '[[sandbox: calls=2]] work',
      tools: { look_up: lookUp },
      stopWhen: stepCountIs(5),
      maxRetries: 0,
    });
    expect(await text).toBe('The tools said: found example');
  });
});
