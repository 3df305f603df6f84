import { eventually } from '@tollgate/testing';
import OpenAI from 'openai';
import { z } from 'zod';
import type { TestStack } from '../test-stack';

const model = 'openai/gpt-5.4-mini';
let test: TestStack;
let client: OpenAI;
let apiKey: string;
/** How many rows the provider's books had before. */
let booked: number;

const get = async (path: string): Promise<Record<string, unknown>> => {
  const response = await fetch(`${test.stack.baseUrl}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
  return (await response.json()) as Record<string, unknown>;
};

export function openaiSdk(shared: () => TestStack): void {
  beforeAll(async () => {
    test = shared();
    booked = (await test.provider.ledger()).length;
    apiKey = (await test.stack.createKey({ name: 'sdk', plan: 'enterprise', rpm: null, quotaTokens: 1_000_000 }))
      .apiKey;
    client = new OpenAI({ baseURL: `${test.stack.baseUrl}/v1`, apiKey, maxRetries: 0 });
  });

  it('answers a plain chat completion', async () => {
    const { data, response } = await client.chat.completions
      .create({ model, messages: [{ role: 'user', content: 'Name three gates.' }] })
      .withResponse();
    expect(data.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant' } });
    expect(data.choices[0]?.message.content).toContain('gates');
    expect(data.usage?.total_tokens).toBe((data.usage?.prompt_tokens ?? 0) + (data.usage?.completion_tokens ?? 0));
    expect(response.headers.get('x-gateway-sandbox')).toBe('true');
    expect(response.headers.get('x-gateway-model')).toBe(model);
    expect(response.headers.get('x-request-id')).toBeTruthy();
  });

  it('streams the same text, and shows usage to who asks for it', async () => {
    const messages = [{ role: 'user' as const, content: 'Name three bridges.' }];
    const plain = await client.chat.completions.create({ model, messages });
    const stream = await client.chat.completions.create({
      model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage = null;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(plain.choices[0]?.message.content);
    expect(usage).toMatchObject({ completion_tokens: plain.usage?.completion_tokens });
  });

  it('lists the models, and finds each by its id and by its bare name', async () => {
    const ids: string[] = [];
    for await (const one of client.models.list()) ids.push(one.id);
    expect(ids.length).toBeGreaterThanOrEqual(25);
    expect(ids).toContain(model);
    await expect(client.models.retrieve(model)).resolves.toMatchObject({ id: model, owned_by: 'openai' });
    const bare = await client.chat.completions.create({
      model: 'gpt-5.4-mini',
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(bare.choices).toHaveLength(1);
  });

  it('refuses an unknown model and a wrong key the way the SDK understands', async () => {
    const ask = (sdk: OpenAI, name: string) =>
      sdk.chat.completions.create({ model: name, messages: [{ role: 'user', content: 'Hi' }] });
    await expect(ask(client, 'nobody/nothing')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const stranger = new OpenAI({ baseURL: `${test.stack.baseUrl}/v1`, apiKey: 'tg_sk_wrong', maxRetries: 0 });
    await expect(ask(stranger, model)).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });

  it('compacts a conversation, and goes on with what is left of it', async () => {
    const { output } = await client.responses.compact({ model, input: 'Name three roads.' });
    expect(output.map(({ type }) => type)).toEqual(['message', 'compaction']);
    const input = [...output, { role: 'user', content: 'And now?' }] as OpenAI.Responses.ResponseInput;
    expect((await client.responses.create({ model, input, store: false })).status).toBe('completed');
  });

  it('has images made smaller by OpenAI, which alone refuses what it does not know', async () => {
    const ask = (context_compression: string) => {
      const members = { model, input: 'Name a pier.', store: false, image: { context_compression } };
      return client.responses.create(members as OpenAI.Responses.ResponseCreateParamsNonStreaming);
    };
    await expect(ask('enabled')).resolves.toMatchObject({ status: 'completed' });
    await expect(ask('half')).rejects.toThrow(/'half'/);
  });

  it('shows in usage and metrics, within 2 s of the last answer, what the provider booked', async () => {
    const rows = (await test.provider.ledger()).slice(booked);
    const input = rows.reduce((sum, row) => sum + row.inputTokens, 0);
    const output = rows.reduce((sum, row) => sum + row.outputTokens, 0);
    const usage = await eventually(
      () => get('/v1/usage'),
      ({ used }) => used === input + output,
      2_000,
    );
    expect(usage).toMatchObject({ used: input + output, quota: 1_000_000, remaining: 1_000_000 - input - output });
    const totals = { requests: rows.length, input_tokens: input, output_tokens: output, total_tokens: input + output };
    // The last request, which was refused, has no tokens: it is waited for, too.
    const metrics = await eventually(
      () => get('/api/metrics'),
      (told) => z.object({ requests: z.number() }).parse(told.totals).requests === rows.length,
      2_000,
    );
    expect(metrics).toMatchObject({ period: 'day', totals, by_model: [{ model }] });
  });
}
