import Anthropic from '@anthropic-ai/sdk';
import { ChatAnthropic } from '@langchain/anthropic';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, Output, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import type { TestStack } from '../test-stack';

/** A model of every dialect that providers speak. */
const models = [
  'mistral/mistral-large-2512',
  'anthropic/claude-sonnet-4-5',
  'google/gemini-3.8-flash',
  'bedrock/anthropic.claude-sonnet-4-5',
  'cohere/command-a-03-2025',
  'openai/gpt-5.4-mini',
];

const form = z.object({ city: z.string(), size: z.number() });
const filled = { city: 'example', size: 7 };
const weather = { city: z.string() };
const weatherSchema = {
  type: 'object' as const,
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

// The AI SDK tells on the console that it does not know our models’ names.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

let test: TestStack;
let apiKey: string;
let openai: OpenAI;
let anthropic: Anthropic;

export function officialClients(shared: () => TestStack): void {
  beforeAll(async () => {
    test = shared();
    ({ apiKey } = await test.stack.createKey({ name: 'clients', plan: 'enterprise', rpm: null, quotaTokens: null }));
    openai = new OpenAI({ baseURL: `${test.stack.baseUrl}/v1`, apiKey, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: test.stack.baseUrl, apiKey, maxRetries: 0 });
  });

  /**
   * An answer's items as a client sends them back: of the types that its models of foreign providers make,
   * input and output are the same.
   */
  function sentBack({ output }: OpenAI.Responses.Response): OpenAI.Responses.ResponseInput {
    return output.filter(
      (item) => item.type === 'message' || item.type === 'function_call' || item.type === 'reasoning',
    );
  }

  describe.each(models)('%s', (model) => {
    const question = { role: 'user' as const, content: 'Name three gates.' };

    it('chats, streams and calls tools for the OpenAI client', async () => {
      const plain = await openai.chat.completions.create({ model, messages: [question] });
      const stream = openai.chat.completions.stream({ model, messages: [question] });
      await expect(stream.finalContent()).resolves.toBe(plain.choices[0]?.message.content);
      const runner = openai.chat.completions.runTools({
        model,
        messages: [{ role: 'user', content: 'get_weather please' }],
        tools: [
          {
            type: 'function',
            function: {
              name: 'get_weather',
              description: 'Tells the weather',
              parameters: weatherSchema,
              parse: JSON.parse,
              function: ({ city }: { city: string }) => `rain in ${city}`,
            },
          },
        ],
      });
      await expect(runner.finalContent()).resolves.toBe('The tools said: rain in example');
    });

    it('fills a form for the OpenAI client, on both of its dialects', async () => {
      const chat = await openai.chat.completions.parse({
        model,
        messages: [question],
        response_format: zodResponseFormat(form, 'form'),
      });
      expect(chat.choices[0]?.message.parsed).toEqual(filled);
      const response = await openai.responses.parse({
        model,
        input: 'Fill the form.',
        text: { format: zodTextFormat(form, 'form') },
      });
      expect(response.output_parsed).toEqual(filled);
    });

    it('responds, streams and calls tools for the OpenAI client of responses', async () => {
      const plain = await openai.responses.create({ model, input: 'Name three gates.' });
      expect(plain).toMatchObject({ status: 'completed', object: 'response' });
      const streamed = await openai.responses.stream({ model, input: 'Name three gates.' }).finalResponse();
      expect(streamed.output_text).toBe(plain.output_text);
      const tools = [{ type: 'function' as const, name: 'get_weather', parameters: weatherSchema, strict: true }];
      const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'get_weather please' }];
      const called = await openai.responses.create({ model, input, tools });
      const call = called.output.find((item) => item.type === 'function_call');
      expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"example"}' });
      const result = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'rain' };
      const last = await openai.responses.create({ model, input: [...input, ...sentBack(called), result], tools });
      expect(last.output_text).toBe('The tools said: rain');
    });

    it('answers, streams, thinks and calls tools for the Anthropic client', async () => {
      const plain = await anthropic.messages.create({ model, max_tokens: 200, messages: [question] });
      const streamed = await anthropic.messages.stream({ model, max_tokens: 200, messages: [question] }).finalMessage();
      expect(streamed.content).toEqual(plain.content);
      expect(streamed.usage.output_tokens).toBe(plain.usage.output_tokens);
      const tools = [{ name: 'get_weather', input_schema: weatherSchema }];
      const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'get_weather please' }];
      const called = await anthropic.messages.stream({ model, max_tokens: 200, messages, tools }).finalMessage();
      const use = called.content.find((block) => block.type === 'tool_use');
      expect(use).toMatchObject({ name: 'get_weather', input: { city: 'example' } });
      const result = { type: 'tool_result' as const, tool_use_id: use?.id ?? '', content: 'rain' };
      const last = await anthropic.messages.create({
        model,
        max_tokens: 200,
        tools,
        messages: [...messages, { role: 'assistant', content: called.content }, { role: 'user', content: [result] }],
      });
      expect(last.content.at(-1)).toMatchObject({ type: 'text', text: 'The tools said: rain' });
      const counted = await anthropic.messages.countTokens({ model, messages: [question] });
      expect(counted.input_tokens).toBeGreaterThan(3);
    });

    it('generates, streams, fills forms and uses tools for the AI SDK, over both of its providers', async () => {
      const baseURL = `${test.stack.baseUrl}/v1`;
      const providers = [createOpenAI({ baseURL, apiKey }).chat(model), createAnthropic({ baseURL, apiKey })(model)];
      for (const each of providers) {
        const { text } = await generateText({ model: each, prompt: 'Name three gates.', maxRetries: 0 });
        const streamed = streamText({ model: each, prompt: 'Name three gates.', maxRetries: 0 });
        expect(await streamed.text).toBe(text);
        const object = await generateText({
          model: each,
          prompt: 'Fill the form.',
          output: Output.object({ schema: form }),
          maxRetries: 0,
        });
        expect(object.output).toEqual(filled);
        const used = await generateText({
          model: each,
          prompt: 'get_weather please',
          tools: {
            get_weather: tool({ inputSchema: z.object(weather), execute: ({ city }) => `rain in ${city}` }),
          },
          stopWhen: stepCountIs(3),
          maxRetries: 0,
        });
        expect(used.text).toBe('The tools said: rain in example');
      }
    });

    it('talks and uses tools for LangChain, over both of its providers', async () => {
      const getWeather = langchainTool(({ city }: { city: string }) => `rain in ${city}`, {
        name: 'get_weather',
        description: 'Tells the weather',
        schema: z.object(weather),
      });
      const chats = [
        new ChatOpenAI({ model, apiKey, configuration: { baseURL: `${test.stack.baseUrl}/v1` }, maxRetries: 0 }),
        new ChatAnthropic({ model, apiKey, anthropicApiUrl: test.stack.baseUrl, maxRetries: 0, maxTokens: 200 }),
      ];
      for (const chat of chats) {
        const plain = await chat.invoke('Name three gates.');
        let streamed = '';
        for await (const chunk of await chat.stream('Name three gates.')) streamed += chunk.text;
        expect(streamed).toBe(plain.text);
        const called = await chat.bindTools([getWeather]).invoke('get_weather please');
        expect(called.tool_calls).toMatchObject([{ name: 'get_weather', args: { city: 'example' } }]);
      }
    });
  });

  describe('an agent’s long loop of tools at a foreign provider', () => {
    const turns = 24;

    it('goes on for the Anthropic client with its thinking, as Claude Code does', async () => {
      const tools = ['Read', 'Bash'].map((name) => ({ name, input_schema: weatherSchema }));
      const messages: Anthropic.MessageParam[] = [{ role: 'user', content: `[[sandbox: calls=${turns}]] go on` }];
      const rest = {
        model: 'google/gemini-3.8-flash',
        max_tokens: 4_000,
        system: [{ type: 'text' as const, text: 'Be brief.', cache_control: { type: 'ephemeral' as const } }],
        tools,
        thinking: { type: 'enabled' as const, budget_tokens: 2_000 },
      };
      for (let turn = 0; turn < turns; turn++) {
        const answer = await anthropic.messages.stream({ ...rest, messages }).finalMessage();
        expect(answer.stop_reason).toBe('tool_use');
        const results = answer.content.flatMap((block) =>
          block.type === 'tool_use'
            ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: `done ${turn}` }]
            : [],
        );
        messages.push({ role: 'assistant', content: answer.content }, { role: 'user', content: results });
      }
      const last = await anthropic.messages.stream({ ...rest, messages }).finalMessage();
      // Gemini signs its text as well; what it signed it with follows in a block of thinking.
      const texts = last.content.filter(({ type }) => type === 'text');
      expect(texts).toMatchObject([{ text: `The tools said: done ${turns - 1}` }]);
    });

    it('goes on for the client of responses without anything kept, as Codex does', async () => {
      const tools: OpenAI.Responses.Tool[] = [
        { type: 'function', name: 'shell', parameters: weatherSchema, strict: false },
        { type: 'custom', name: 'apply_patch', description: 'Applies a patch' },
      ];
      const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: `[[sandbox: calls=${turns}]] go on` }];
      const rest = {
        model: 'anthropic/claude-sonnet-4-5',
        instructions: 'Be brief.',
        tools,
        store: false,
        include: ['reasoning.encrypted_content' as const],
        reasoning: { effort: 'medium' as const, summary: 'auto' as const },
        parallel_tool_calls: false,
      };
      for (let turn = 0; turn < turns; turn++) {
        const answer = await openai.responses.stream({ ...rest, input }).finalResponse();
        const calls = answer.output.filter((item) => item.type === 'function_call');
        expect(calls).toHaveLength(1);
        expect(answer.output.some((item) => item.type === 'reasoning' && item.encrypted_content)).toBe(true);
        input.push(...sentBack(answer));
        for (const { call_id } of calls) input.push({ type: 'function_call_output', call_id, output: `done ${turn}` });
      }
      const last = await openai.responses.create({ ...rest, input });
      expect(last.output_text).toBe(`The tools said: done ${turns - 1}`);
    });
  });
}
