import Anthropic from '@anthropic-ai/sdk';
import { eventually } from '@tollgate/testing';
import OpenAI from 'openai';
import type { TestStack } from '../test-stack';

const model = 'openai/gpt-5.4-mini';
const messages = [{ role: 'user' as const, content: 'Name three gates that are asked for again and again.' }];

let test: TestStack;
let apiKey: string;
/** How many rows the provider's books had before. */
let booked: number;
let openai: OpenAI;
let anthropic: Anthropic;

/** How many requests the simulated providers have booked: each that came, generations and embeddings. */
const asked = async () => (await test.provider.ledger()).length;

export function responseCache(shared: () => TestStack): void {
  beforeAll(async () => {
    test = shared();
    booked = await asked();
    const created = await test.stack.createKey({ name: 'cached', plan: 'enterprise', rpm: null, cacheTtlS: 600 });
    apiKey = created.apiKey;
    openai = new OpenAI({ baseURL: `${test.stack.baseUrl}/v1`, apiKey, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: test.stack.baseUrl, apiKey, maxRetries: 0 });
  });

  it('gives the OpenAI client the same completion again, whole and streamed, and asks no provider', async () => {
    const ask = () => openai.chat.completions.create({ model, messages }).withResponse();
    const stream = () => openai.chat.completions.stream({ model, messages }).finalChatCompletion();
    const before = await asked();
    const [first, streamed] = [await ask(), await stream()];
    const [second, again] = [await ask(), await stream()];
    expect(await asked()).toBe(before + 2);
    expect([first, second].map(({ response }) => response.headers.get('x-tollgate-cache'))).toEqual(['miss', 'hit']);
    expect(second.data).toEqual({ ...first.data, id: second.data.id });
    expect(second.data.id).not.toBe(first.data.id);
    expect(again.choices).toEqual(streamed.choices);
  });

  it('gives it the same response and the same vectors again', async () => {
    const input = 'Name three bridges.';
    const respond = () => openai.responses.stream({ model, input, store: false }).finalResponse();
    const embed = () => openai.embeddings.create({ model: 'openai/text-embedding-3-small', input });
    const before = await asked();
    const [response, vectors] = [await respond(), await embed()];
    const [secondResponse, secondVectors] = [await respond(), await embed()];
    expect(await asked()).toBe(before + 2);
    expect(secondResponse.output).toEqual(response.output);
    expect(secondResponse.id).not.toBe(response.id);
    expect(secondVectors.data).toEqual(vectors.data);
  });

  it('gives the Anthropic client the same message again, of any provider and with a call of a tool', async () => {
    const tools = [{ name: 'get_weather', input_schema: { type: 'object' as const, properties: {} } }];
    const question = [{ role: 'user' as const, content: 'get_weather please' }];
    const stream = (name: string) =>
      anthropic.messages.stream({ model: name, max_tokens: 200, messages: question, tools }).finalMessage();
    for (const name of [model, 'anthropic/claude-sonnet-4-5', 'google/gemini-3.8-flash']) {
      const before = await asked();
      const first = await stream(name);
      const second = await stream(name);
      expect(await asked()).toBe(before + 1);
      expect(second.content).toEqual(first.content);
      expect(second.content.some(({ type }) => type === 'tool_use')).toBe(true);
      expect(second).toMatchObject({ stop_reason: first.stop_reason, usage: first.usage });
    }
  });

  it('bills only what providers were asked for', async () => {
    const rows = (await test.provider.ledger()).slice(booked);
    const tokens = rows.reduce((sum, row) => sum + row.inputTokens + row.outputTokens, 0);
    const used = async () => {
      const response = await fetch(`${test.stack.baseUrl}/v1/usage`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      return ((await response.json()) as { used: number }).used;
    };
    expect(await eventually(used, (count) => count === tokens, 10_000)).toBe(tokens);
  });
}
