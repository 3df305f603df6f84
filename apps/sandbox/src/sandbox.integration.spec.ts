import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { countTextTokens } from '@tollgate/dialects';
import { eventually, patience } from '@tollgate/testing';
import OpenAI from 'openai';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSandboxEnvironment } from './environment';
import type { LedgerRow } from './ledger/ledger';
import { createSandbox } from './sandbox';

let app: NestFastifyApplication;
let base: string;
let client: OpenAI;

beforeAll(async () => {
  app = await createSandbox(readSandboxEnvironment({}));
  await app.listen(0, '127.0.0.1');
  base = await app.getUrl();
  client = new OpenAI({ apiKey: 'sk-test-0123456789', baseURL: `${base}/openai-chat`, maxRetries: 0 });
});

afterAll(async () => app.close());

beforeEach(async () => {
  await fetch(`${base}/ledger`, { method: 'DELETE' });
});

const ask = (content: string, extra: object = {}) => ({
  model: 'test-model',
  messages: [{ role: 'user' as const, content }],
  ...extra,
});

function post(body: object, init: RequestInit = {}): Promise<Response> {
  return fetch(`${base}/openai-chat/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  });
}

async function ledger(): Promise<LedgerRow[]> {
  const { rows } = (await (await fetch(`${base}/ledger`)).json()) as { rows: LedgerRow[] };
  return rows;
}

async function rowWhere(holds: (row: LedgerRow) => boolean): Promise<LedgerRow> {
  const row = (await eventually(ledger, (rows) => rows.some(holds))).find(holds);
  if (!row) throw new Error('it was there a moment ago');
  return row;
}

describe('answers', () => {
  it('gives the same text to the same request, and echoes what was asked', async () => {
    const first = await client.chat.completions.create(ask('please sing about rivers'));
    const second = await client.chat.completions.create(ask('please sing about rivers'));
    const other = await client.chat.completions.create(ask('please sing about hills'));
    expect(second.choices[0]?.message.content).toBe(first.choices[0]?.message.content);
    expect(other.choices[0]?.message.content).not.toBe(first.choices[0]?.message.content);
    expect(first.choices[0]?.message.content).toContain('please sing about rivers');
  });

  it('streams exactly one token a chunk, and the stream, the plain answer and the usage agree', async () => {
    const plain = await client.chat.completions.create(ask('hello [[sandbox: tokens=40]]'));
    const chunks = [];
    const stream = await client.chat.completions.create({
      ...ask('hello [[sandbox: tokens=40]]'),
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const chunk of stream) chunks.push(chunk);
    const texts = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').filter((text) => text !== '');
    expect(texts).toHaveLength(40);
    expect(texts.join('')).toBe(plain.choices[0]?.message.content);
    expect(countTextTokens(texts.join(''))).toBe(40);
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(40);
    expect(plain.usage?.completion_tokens).toBe(40);
    expect(plain.usage?.prompt_tokens).toBe(chunks.at(-1)?.usage?.prompt_tokens);
  });

  it('honours max_tokens, max_completion_tokens, stop and n', async () => {
    const cut = await client.chat.completions.create(ask('hi', { max_tokens: 5 }));
    expect(cut.choices[0]?.finish_reason).toBe('length');
    expect(cut.usage?.completion_tokens).toBe(5);
    const newer = await client.chat.completions.create(ask('hi', { max_completion_tokens: 6 }));
    expect(newer.usage?.completion_tokens).toBe(6);
    const stopped = await client.chat.completions.create(ask('one two three', { stop: [' two'] }));
    expect(stopped.choices[0]?.message.content).toBe('The sandbox heard one');
    expect(stopped.choices[0]?.finish_reason).toBe('stop');
    const several = await client.chat.completions.create(ask('hi', { n: 3, max_tokens: 4 }));
    expect(several.choices.map((choice) => choice.index)).toEqual([0, 1, 2]);
    expect(several.usage?.completion_tokens).toBe(12);
  });

  it('calls the tool that is demanded with arguments that fit its schema, plain and streamed alike', async () => {
    const request = ask('weather?', {
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
          },
        },
      ],
      tool_choice: 'required',
    });
    const plain = await client.chat.completions.create(request);
    const call = plain.choices[0]?.message.tool_calls?.[0];
    expect(call).toMatchObject({ type: 'function', function: { name: 'get_weather' } });
    const streamed = await client.chat.completions.stream(request).finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({ id: call?.id });
    expect(streamed.choices[0]?.finish_reason).toBe('tool_calls');
  });

  it.each([
    ['no model', { messages: [{ role: 'user', content: 'x' }] }, 'model'],
    ['no messages', { model: 'm' }, 'messages'],
    ['empty messages', { model: 'm', messages: [] }, 'messages'],
    ['a temperature of 3', ask('x', { temperature: 3 }), 'temperature'],
    ['stream options without a stream', ask('x', { stream_options: { include_usage: true } }), 'stream_options'],
  ])('refuses %s as the real API does', async (_what, body, param) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', param } });
  });
});

describe('faults', () => {
  it.each([400, 401, 402, 404, 429, 500, 503, 529])(
    'answers %i with an error object and books no tokens',
    async (status) => {
      const response = await post(ask(`x [[sandbox: fault=${status} retry_after=7]]`));
      expect(response.status).toBe(status);
      expect(response.headers.get('retry-after')).toBe('7');
      expect(await response.json()).toHaveProperty('error.message');
      expect((await ledger())[0]).toMatchObject({ state: 'refused', status, inputTokens: 0, outputTokens: 0 });
    },
  );

  it('takes controls from the model name and from headers, and refuses unknown ones', async () => {
    expect((await post({ ...ask('x'), model: 'm?fault=503' })).status).toBe(503);
    expect((await post(ask('x'), { headers: { 'x-sandbox-fault': '529' } })).status).toBe(529);
    expect((await post(ask('x [[sandbox: fault=typo]]'))).status).toBe(400);
  });

  it('resets in mid-stream after the tokens that it booked', async () => {
    const response = await post(ask('x [[sandbox: tokens=20 fault=reset_mid at=4]]', { stream: true }));
    let text = '';
    const decoder = new TextDecoder();
    await expect(
      (async () => {
        for await (const bytes of response.body ?? []) text += decoder.decode(bytes as Uint8Array);
      })(),
    ).rejects.toThrow();
    expect(text.match(/"delta":\{"content":"[^"]/g)).toHaveLength(4);
    expect((await ledger())[0]).toMatchObject({ state: 'cut', outputTokens: 4, closedByPeerAt: null });
  });

  it.each([
    ['truncate', (text: string) => expect(text).not.toContain('"finish_reason":"stop"')],
    ['malformed', (text: string) => expect(text).toMatch(/"del\n\n.*\[DONE\]/s)],
    ['error_mid', (text: string) => expect(text).toMatch(/"content".*data: \{"error"/s)],
    ['error_first', (text: string) => expect(text).toMatch(/^data: \{"error"/)],
    ['empty', (text: string) => expect(text).toBe('')],
    ['html', (text: string) => expect(text).toContain('<html>')],
    ['ignore_stream', (text: string) => expect(JSON.parse(text)).toMatchObject({ object: 'chat.completion' })],
    ['no_usage', (text: string) => expect(text).not.toContain('"prompt_tokens"')],
    ['trickle', (text: string) => expect(text).toContain('data: [DONE]')],
  ])('makes the fault %s', async (fault, check) => {
    const body = ask(`x [[sandbox: tokens=5 fault=${fault}]]`, {
      stream: true,
      stream_options: { include_usage: true },
    });
    check(await (await post(body)).text());
  });

  it('resets before and after its headers', async () => {
    await expect(post(ask('x [[sandbox: fault=reset_before]]'))).rejects.toThrow();
    const response = await post(ask('x [[sandbox: fault=reset_headers]]', { stream: true }));
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  it('fails every second request of a flapping model', async () => {
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await post({ ...ask('x'), model: 'flappy?fault=flap' })).status);
    expect(statuses).toEqual([500, 200, 500, 200]);
  });
});

describe('the ledger', () => {
  it('notices a peer that leaves a stream, and keeps exactly what was written', async () => {
    const controller = new AbortController();
    const response = await post(ask('x [[sandbox: tokens=500 delay_ms=5]]', { stream: true }), {
      signal: controller.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await sleep(100);
    const leftAt = Date.now();
    controller.abort();
    const row = await rowWhere((candidate) => candidate.state === 'cut');
    expect((row.closedByPeerAt ?? Infinity) - leftAt).toBeLessThan(5_000 * patience);
    expect(row.outputTokens).toBe(row.chunks - 1);
    expect(row.outputTokens).toBeGreaterThan(0);
    expect(row.inputTokens).toBeGreaterThan(0);
  });

  it('notices a peer that leaves while it waits, silent or not, and books input only', async () => {
    for (const control of ['first_ms=60000', 'fault=hang', 'headers_ms=60000']) {
      await fetch(`${base}/ledger`, { method: 'DELETE' });
      const leaving = new AbortController();
      const asked = post(ask(`x [[sandbox: ${control}]]`), { signal: leaving.signal });
      const isLeft = expect(asked).rejects.toThrow();
      await rowWhere((candidate) => candidate.state === 'open');
      leaving.abort();
      await isLeft;
      const row = await rowWhere((candidate) => candidate.state === 'cut');
      expect(row).toMatchObject({ outputTokens: 0, stream: false });
      expect(row.closedByPeerAt).not.toBeNull();
    }
  });

  it('sums up by model and is bounded', async () => {
    await post(ask('x'));
    await post(ask('y', { max_tokens: 3 }));
    await post(ask('z [[sandbox: fault=500]]'));
    const { models } = (await (await fetch(`${base}/ledger/summary`)).json()) as { models: object[] };
    expect(models).toHaveLength(1);
    expect(models[0]).toMatchObject({ model: 'test-model', requests: 3, completed: 2, refused: 1, open: 0 });
  });

  it('books the id that the client sent', async () => {
    await post(ask('x'), { headers: { 'x-client-request-id': 'req-42' } });
    expect((await ledger())[0]?.requestId).toBe('req-42');
  });
});

describe('a pause', () => {
  it('writes and books nothing while paused, and goes on where it was', async () => {
    const response = await post(ask('x [[sandbox: tokens=60 delay_ms=5]]', { stream: true }));
    await sleep(50);
    await fetch(`${base}/control/pause`, { method: 'POST' });
    const [before] = await ledger();
    const held = post(ask('held'));
    await sleep(80);
    const during = await ledger();
    expect(during).toHaveLength(1);
    expect(during[0]?.outputTokens).toBe(before?.outputTokens);
    await fetch(`${base}/control/resume`, { method: 'POST' });
    expect((await held).status).toBe(200);
    expect((await response.text()).match(/"delta":\{"content":"[^"]/g)).toHaveLength(60);
    expect(await ledger()).toHaveLength(2);
  });

  it('forgets a request whose sender left before it was booked', async () => {
    await fetch(`${base}/control/pause`, { method: 'POST' });
    await expect(post(ask('held'), { signal: AbortSignal.timeout(50) })).rejects.toThrow();
    await sleep(50);
    await fetch(`${base}/control/resume`, { method: 'POST' });
    await sleep(50);
    expect(await ledger()).toEqual([]);
  });
});

it('ships, renames and retires models, in the list and in what it answers', async () => {
  const change = async (what: object): Promise<number> =>
    (await fetch(`${base}/control/models`, { method: 'POST', body: JSON.stringify(what) })).status;
  const listed = async (): Promise<string[]> => (await client.models.list()).data.map(({ id }) => id);
  const served = async (model: string) => (await client.chat.completions.create({ ...ask('hello'), model })).model;
  expect(await change({ ship: [{ name: 'gpt-7' }, { name: 'gpt-old' }] })).toBe(200);
  expect(await listed()).toEqual(expect.arrayContaining(['gpt-7', 'gpt-old']));
  expect(await served('gpt-7')).toBe('gpt-7');
  await change({ rename: { 'gpt-7': 'gpt-7-nova' }, retire: ['gpt-old'] });
  expect(await served('gpt-7')).toBe('gpt-7-nova');
  expect((await listed()).filter((id) => id.startsWith('gpt-'))).toEqual(['gpt-7-nova']);
  await expect(served('gpt-old')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  expect(await change({ sell: [] })).toBe(400);
});
