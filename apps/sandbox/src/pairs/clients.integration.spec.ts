import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { ChatOpenAI } from '@langchain/openai';
import { dialectNames } from '@tollgate/contracts';
import { stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { z } from 'zod';
import { TranslatedCalls } from './translated-calls.fixture';
import type { Place } from './translated-calls.fixture';

let calls: TranslatedCalls;
beforeAll(async () => {
  calls = await TranslatedCalls.start();
});
afterAll(() => calls.close());

const parameters = {
  type: 'object',
  properties: { what: { type: 'string' } },
  required: ['what'],
  additionalProperties: false,
};
const prompt = 'use look_up and add';
const chatTools = ['look_up', 'add'].map((name) => ({ type: 'function' as const, function: { name, parameters } }));

/** OpenAI's client with this place behind it. */
function openai(place: Place, surface: 'openai-chat' | 'openai-responses'): OpenAI {
  return new OpenAI({ apiKey: 'k', baseURL: 'http://g.test/v1', maxRetries: 0, fetch: calls.fetchFor(surface, place) });
}

describe.each(dialectNames)('unmodified clients on a model of %s', (dialect) => {
  it("gets two calls at once with the stream helper of OpenAI's client", async () => {
    const stream = openai({ dialect }, 'openai-chat').chat.completions.stream({
      model: 'm',
      messages: [{ role: 'user', content: prompt }],
      tools: chatTools,
    });
    const called = (await stream.finalMessage()).tool_calls ?? [];
    expect(called.map((call) => (call.type === 'function' ? call.function.name : ''))).toEqual(['look_up', 'add']);
  });

  it('gets two calls at once with LangChain', async () => {
    const chat = new ChatOpenAI({
      model: 'm',
      apiKey: 'k',
      maxRetries: 0,
      configuration: { fetch: calls.fetchFor('openai-chat', { dialect }) },
    });
    const names: (string | undefined)[] = [];
    for await (const chunk of await chat.bindTools(chatTools).stream(prompt))
      for (const { name } of chunk.tool_call_chunks ?? []) if (name) names.push(name);
    expect(names).toEqual(['look_up', 'add']);
  });

  it('goes through a loop of tool calls with the AI SDK', async () => {
    const provider = createOpenAI({ apiKey: 'k', fetch: calls.fetchFor('openai-chat', { dialect }) });
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

  it("gets two calls at once with the stream helper of Anthropic's client", async () => {
    const fetch = calls.fetchFor('anthropic-messages', { dialect });
    const client = new Anthropic({ apiKey: 'k', maxRetries: 0, fetch });
    const stream = client.messages.stream({
      model: 'm',
      max_tokens: 1_000,
      // As long as Claude Code's.
      metadata: { user_id: `user_${'a'.repeat(64)}_account__session_${'b'.repeat(63)}` },
      messages: [{ role: 'user', content: prompt }],
      tools: chatTools.map(({ function: { name } }) => ({ name, input_schema: { ...parameters, type: 'object' } })),
    });
    const { content } = await stream.finalMessage();
    expect(content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))).toEqual(['look_up', 'add']);
  });
});
