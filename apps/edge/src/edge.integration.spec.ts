import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { model } from './testing/catalog-fixture';
import { EdgeRig, eventually, question } from './testing/edge-rig';

let rig: EdgeRig;
beforeAll(async () => {
  rig = await EdgeRig.start();
});
afterAll(() => rig.stop());

describe('the official OpenAI client', () => {
  it('gets a completion', async () => {
    const client = new OpenAI({ apiKey: rig.accounts.create(), baseURL: `${rig.url}/v1`, maxRetries: 0 });
    const completion = await client.chat.completions.create({
      model: 'mini',
      messages: [{ role: 'user', content: 'Hello?' }],
    });
    expect(completion.choices[0]?.message.content).toBe('Hello.');
    expect(completion._request_id).toBeTruthy();
  });

  it('gets a stream to its end', async () => {
    const client = new OpenAI({ apiKey: rig.accounts.create(), baseURL: `${rig.url}/v1`, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: 'gpt-5.4-mini',
      messages: [{ role: 'user', content: 'Hello?' }],
      stream: true,
    });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe('t0 t1 t2 ');
  });

  it('reads our errors as its own', async () => {
    const client = new OpenAI({ apiKey: 'wrong', baseURL: `${rig.url}/v1`, maxRetries: 0 });
    await expect(client.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    const known = new OpenAI({ apiKey: rig.accounts.create(), baseURL: `${rig.url}/v1`, maxRetries: 0 });
    await expect(
      known.chat.completions.create({ model: 'no/such', messages: question.messages as never }),
    ).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    expect((await known.models.list()).data).toHaveLength(4);
    expect((await known.models.retrieve('openai/gpt-5.4-mini')).id).toBe('openai/gpt-5.4-mini');
  });

  it('gets embeddings, which it asks for in base64 by itself', async () => {
    const client = new OpenAI({ apiKey: rig.accounts.create(), baseURL: `${rig.url}/v1`, maxRetries: 0 });
    const { data } = await client.embeddings.create({ model: 'text-embedding-3-small', input: 'Hello?' });
    expect(data[0]?.embedding).toEqual([0.5, -0.25]);
  });
});

describe('clients whose address was made for another gateway', () => {
  it.each(['', '/api/v1', '/openai', '/openai/v1', '/litellm'])('the OpenAI client at "%s"', async (base) => {
    const client = new OpenAI({ apiKey: rig.accounts.create(), baseURL: `${rig.url}${base}`, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hello?' }];
    const completion = await client.chat.completions.create({ model: 'mini', messages });
    expect(completion.choices[0]?.message.content).toBe('Hello.');
    expect((await client.models.list()).data).toHaveLength(4);
    expect((await client.models.retrieve('openai/gpt-5.4-mini')).id).toBe('openai/gpt-5.4-mini');
  });

  it('is told thoughts and usage unasked at that of OpenRouter, and nowhere else', async () => {
    const told = async (base: string, stream: boolean) => {
      const client = new OpenAI({ apiKey: rig.accounts.create(), baseURL: `${rig.url}${base}`, maxRetries: 0 });
      const messages = [{ role: 'user' as const, content: 'Hello?' }];
      const answer = await client.chat.completions.create({ model: 'mini', messages, stream });
      if ('controller' in answer) for await (const chunk of answer) expect(chunk.object).toMatch('chunk');
      const { tellThoughts, includeUsage } = rig.inference.calls.at(-1)?.request ?? {};
      return [tellThoughts, includeUsage];
    };
    expect(await told('/api/v1', false)).toEqual([true, false]);
    expect(await told('//api//v1', true)).toEqual([true, true]);
    expect(await told('/v1', true)).toEqual([undefined, false]);
    expect(await told('/openai/v1', false)).toEqual([undefined, false]);
  });

  it.each(['/v1', '/anthropic', '/api'])('the Anthropic client at "%s"', async (base) => {
    const client = new Anthropic({ apiKey: rig.accounts.create(), baseURL: `${rig.url}${base}`, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hello?' }];
    const message = await client.messages.create({ model: 'anthropic/claude-sonnet-5', max_tokens: 50, messages });
    expect(message.content).toEqual([{ type: 'text', text: 'Hello.' }]);
  });
});

describe('the official Anthropic client', () => {
  const messages = [{ role: 'user' as const, content: 'Hello?' }];
  const asked = { model: 'anthropic/claude-sonnet-5', max_tokens: 50, messages };
  const clientOf = (apiKey: string) => new Anthropic({ apiKey, baseURL: rig.url, maxRetries: 0 });

  it('gets a message, and the number of its tokens', async () => {
    const client = clientOf(rig.accounts.create());
    expect((await client.messages.create(asked)).content).toEqual([{ type: 'text', text: 'Hello.' }]);
    expect(await client.messages.countTokens({ model: asked.model, messages })).toEqual({ input_tokens: 12 });
  });

  it('reads our errors as its own, also where the body was never looked at', async () => {
    const refusal: unknown = await clientOf('wrong')
      .messages.create(asked)
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(refusal).toMatchObject({ type: 'authentication_error', requestID: expect.stringMatching(/./) });
    const client = clientOf(rig.accounts.create({ rpm: 1 }));
    await expect(client.messages.create({ ...asked, model: 'no/such' })).rejects.toBeInstanceOf(
      Anthropic.NotFoundError,
    );
    await expect(client.messages.create(asked)).rejects.toBeInstanceOf(Anthropic.RateLimitError);
  });
});

describe('the metrics', () => {
  it('counts generations, tokens and first tokens by surface and model of the catalog', async () => {
    const apiKey = rig.accounts.create();
    const figures = async () => (await fetch(`http://127.0.0.1:${rig.internalPort}/metrics`)).text();
    const counted = async (series: string) => {
      const line = (await figures()).split('\n').find((one) => one.startsWith(`${series} `));
      return Number(line?.slice(series.length) ?? 0);
    };
    const of = 'surface="openai-chat",model="openai/gpt-5.4-mini"';
    const series = [
      `edge_generations_total{${of},state="completed"}`,
      `edge_tokens_total{${of}}`,
      'edge_first_token_seconds_count{surface="openai-chat"}',
      'edge_requests_total{route="/v1/chat/completions",status="200"}',
      'edge_request_duration_seconds_count{route="/v1/chat/completions"}',
      'edge_requests_total{route="/v1/models",status="200"}',
    ];
    const before = await Promise.all(series.map(counted));
    await (await rig.chat(apiKey, question)).text();
    await (await rig.chat(apiKey, { ...question, stream: true })).text();
    const grown = async () =>
      (await Promise.all(series.map(counted))).map((count, index) => count - (before[index] ?? 0));
    await (await rig.get('/v1/models', apiKey)).text();
    await eventually(async () => (await grown()).join() === '2,60,1,2,2,1');
    await eventually(async () => (await counted('edge_open_streams')) === 0);
    expect(await counted('edge_inference_instances')).toBe(0);
    expect(await figures()).toContain('tollgate_event_loop_delay_seconds_bucket');
  });
});

describe('a change of the catalog', () => {
  it('reaches callers within a second', async () => {
    const apiKey = rig.accounts.create();
    rig.catalog.change({ models: [model('mistral/new')], available: ['mistral/new'], sandbox: false });
    await eventually(async () => (await rig.get('/v1/models/mistral/new', apiKey)).status === 200, 1_000);
    const answer = await rig.get('/v1/models', apiKey);
    expect(answer.headers.get('x-gateway-sandbox')).toBeNull();
    expect(await answer.json()).toMatchObject({ object: 'list', data: [{ id: 'mistral/new' }] });
  });
});

describe('the internal port', () => {
  it('serves metrics and readiness, which the public port does not', async () => {
    const internal = `http://127.0.0.1:${rig.internalPort}`;
    const text = await (await fetch(`${internal}/metrics`)).text();
    expect(text).toMatch(/edge_requests_total\{route="\/v1\/chat\/completions",status="200"\} [1-9]/);
    expect((await fetch(`${internal}/readyz`)).status).toBe(200);
    expect((await fetch(`${rig.url}/metrics`)).status).toBe(404);
  });
});
