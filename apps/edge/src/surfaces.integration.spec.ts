import { modelKindOf } from '@tollgate/contracts';
import { surfaces } from '@tollgate/dialects/surface';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelCatalog } from './catalog/model-catalog';
import { EdgeRig, eventually } from './testing/edge-rig';
import { model } from './testing/catalog-fixture';
import { surfaceSamples } from './testing/surface-samples';

let rig: EdgeRig;
let apiKey: string;
beforeAll(async () => {
  rig = await EdgeRig.start({ EDGE_KEEP_ALIVE_S: '1', EDGE_BODY_LIMIT: '100000' });
  apiKey = rig.accounts.create();
});
afterAll(() => rig.stop());
afterEach(() => {
  Object.assign(rig.inference.behaviour, { chunks: 3, pauseMs: 0, waitMs: 0, failAfter: null, chunkBytes: 0 });
});

const rows = surfaces.map((surface) => ({ name: surface.name, surface, sample: surfaceSamples[surface.name] }));
const streaming = rows.filter(({ name }) => modelKindOf(name) === 'generation');
const json = { 'content-type': 'application/json' };

/** Does something while sources disagree on every price. */
async function doubted(work: () => Promise<void>): Promise<void> {
  const { models } = rig.catalog.snapshot;
  rig.catalog.change({ models: models.map((each) => ({ ...each, priceUnconfirmed: true })) });
  await work();
  rig.catalog.change({ models });
  await eventually(() => rig.service.get(ModelCatalog).revision === rig.catalog.snapshot.revision);
}

describe.each(rows)('$name', ({ surface, sample: { request, answer } }) => {
  const { path } = surface;

  it('answers with the bytes of inference, and counts what was used', async () => {
    const key = rig.accounts.create();
    const got = await rig.post(path, key, request);
    expect(got.status).toBe(200);
    expect(await got.json()).toEqual(answer);
    const call = rig.inference.calls.at(-1);
    expect(call?.request).toMatchObject({ surface: surface.name, model: request.model, stream: false });
    expect(Buffer.from(call?.body ?? []).toString()).toBe(JSON.stringify(request));
    await eventually(() => rig.metering.used.get(call?.request.keyId ?? '') === 30);
  });

  it('tells the charge in a header to who asks for it, and nothing of it to others', async () => {
    const headers = { ...json, authorization: `Bearer ${apiKey}`, 'x-tollgate-cost': 'on' };
    const got = await rig.post(path, '', request, { headers });
    expect(await got.json()).toEqual(answer);
    expect(got.headers.get('x-tollgate-cost')).toBe('0.00003');
    expect((await rig.post(path, apiKey, request)).headers.get('x-tollgate-cost')).toBeNull();
    rig.metering.quoted = null;
    expect((await rig.post(path, '', request, { headers })).headers.get('x-tollgate-cost')).toBe('unpriced');
    rig.metering.quoted = 1_500n;
    const wrong = await rig.post(path, '', request, { headers: { ...headers, 'x-tollgate-cost': 'yes' } });
    expect(wrong.status).toBe(400);
    expect(got.headers.get('x-tollgate-cost-unconfirmed')).toBeNull();
  });

  it('says beside the charge that its price is unconfirmed', async () => {
    const headers = { ...json, authorization: `Bearer ${apiKey}`, 'x-tollgate-cost': 'on' };
    const told = async () =>
      (await rig.post(path, '', request, { headers })).headers.get('x-tollgate-cost-unconfirmed');
    await doubted(async () => {
      expect(await eventually(told, (mark) => mark !== null)).toBe('true');
      if (modelKindOf(surface.name) !== 'generation') return;
      const stream = await (await rig.post(path, '', { ...request, stream: true }, { headers })).text();
      expect(stream).toContain('"x_tollgate_cost":"0.00003","x_tollgate_cost_unconfirmed":true}');
    });
  });

  it('tells the charge to a key that is set so, unless the request says that it must not', async () => {
    rig.metering.quoted = 1_500n;
    const key = rig.accounts.create({ tellCost: true });
    expect((await rig.post(path, key, request)).headers.get('x-tollgate-cost')).toBe('0.00003');
    const headers = { ...json, authorization: `Bearer ${key}`, 'x-tollgate-cost': 'off' };
    expect((await rig.post(path, '', request, { headers })).headers.get('x-tollgate-cost')).toBeNull();
  });

  it('takes the key as x-api-key too', async () => {
    const got = await rig.post(path, '', request, { headers: { ...json, 'x-api-key': apiKey } });
    expect(got.status).toBe(200);
  });

  it('tells every error before the answer in the shape of its own clients', async () => {
    const authorization = `Bearer ${apiKey}`;
    const calls = rig.inference.calls.length;
    const send = (
      body: object | string,
      headers: Record<string, string> = { ...json, authorization },
      method = 'POST',
    ) =>
      fetch(`${rig.url}${path}`, {
        method,
        headers,
        ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
    const limited = rig.accounts.create({ rpm: 1 });
    await send(request, { ...json, authorization: `Bearer ${limited}` });
    const answers: [number, Response][] = [
      [400, await send('{')],
      [400, await send({ ...request, model: 1 })],
      [401, await send(request, json)],
      [401, await send(request, { ...json, 'x-api-key': 'wrong' })],
      [403, await send(request, { ...json, authorization: `Bearer ${rig.accounts.create({ models: ['no/*'] })}` })],
      [
        403,
        await send(request, { ...json, authorization: `Bearer ${rig.accounts.create({ accountStatus: 'pending' })}` }),
      ],
      [404, await send({ ...request, model: 'no/such' })],
      [404, await fetch(`${rig.url}${path}/no/such`, { headers: { authorization } })],
      [405, await send('', { authorization }, 'GET')],
      [413, await send({ ...request, user: 'x'.repeat(100_000) })],
      [415, await send(request, { authorization, 'content-type': 'text/plain' })],
      [429, await send(request, { ...json, authorization: `Bearer ${limited}` })],
    ];
    for (const [status, got] of answers) {
      const body = (await got.json()) as { error: { message: string; type: string } };
      expect([status, got.status]).toEqual([status, status]);
      const requestId = got.headers.get('x-request-id') ?? '';
      expect(body.error).toMatchObject({ message: expect.any(String), type: expect.any(String) });
      // Anthropic's clients read the error inside a frame of their own; all others read the gateway's as it
      // is.
      const frame = surface.name === 'anthropic-messages' ? { type: 'error', request_id: requestId } : {};
      expect(body).toEqual({ ...frame, error: body.error });
      if (status === 429) expect(got.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    expect(rig.inference.calls.length).toBe(calls + 1);
  });
});

describe.each(streaming)('a stream of $name', ({ surface, sample }) => {
  const { path } = surface;
  const streamed = { ...sample.request, stream: true };

  it('is passed on and ends as its dialect ends', async () => {
    const got = await rig.post(path, apiKey, streamed);
    expect(got.headers.get('content-type')).toContain('text/event-stream');
    const text = await got.text();
    expect(text.startsWith(sample.streamStart + sample.streamPiece('t0 '))).toBe(true);
    expect(text.endsWith(sample.streamEnd)).toBe(true);
  });

  it('tells the charge in an event of its own in front of the last one, where it is asked for', async () => {
    const headers = { ...json, authorization: `Bearer ${apiKey}`, 'x-tollgate-cost': 'on' };
    const plain = await (await rig.post(path, apiKey, streamed)).text();
    const text = await (await rig.post(path, '', streamed, { headers })).text();
    const events = text.trimEnd().split('\n\n');
    const [told] = events.splice(-2, 1);
    expect(JSON.parse(/^data: (.*)$/m.exec(told ?? '')?.[1] ?? '')).toMatchObject({ x_tollgate_cost: '0.00003' });
    expect(events).toEqual(plain.trimEnd().split('\n\n'));
  });

  it('that fails half-way ends with an error of its dialect, never as if it were whole', async () => {
    Object.assign(rig.inference.behaviour, { failAfter: 2, chunks: 5 });
    const got = await rig.post(path, apiKey, streamed);
    const text = await got.text();
    expect(text).toContain(sample.streamPiece('t1 '));
    expect(text).toContain('openai answered 500');
    expect(text).not.toContain(sample.streamEnd);
    const last = text.trimEnd().split('\n\n').at(-1) ?? '';
    if (surface.name === 'anthropic-messages') expect(last).toMatch(/^event: error\ndata: \{"type":"error","error":\{/);
    if (surface.name === 'openai-chat') expect(last).toMatch(/^data: \{"error":\{/);
    if (surface.name === 'openai-responses') expect(last).toMatch(/^event: (response\.failed|error)\n/);
  });

  it('that fails before its first byte is a plain error in the shape of its clients', async () => {
    rig.inference.behaviour.failAfter = 0;
    const got = await rig.post(path, apiKey, streamed);
    expect(got.status).toBe(502);
    const body = (await got.json()) as { type?: string };
    expect(body.type).toBe(surface.name === 'anthropic-messages' ? 'error' : undefined);
  });

  it('is kept open in its own way while the model thinks', async () => {
    rig.inference.behaviour.waitMs = 2_600;
    const text = await (await rig.post(path, apiKey, streamed)).text();
    const keepAlive = Buffer.from(surface.keepAlive).toString();
    expect(text.startsWith(keepAlive)).toBe(true);
    expect(text.replaceAll(keepAlive, '').startsWith(sample.streamStart + sample.streamPiece('t0 '))).toBe(true);
    expect(text.endsWith(sample.streamEnd)).toBe(true);
  });

  it('does not pile up for a reader that reads nothing', async () => {
    Object.assign(rig.inference.behaviour, { chunks: 2_000, chunkBytes: 16_384 });
    const before = rig.inference.bytesWritten;
    const stops = rig.inference.stops.size;
    const body = JSON.stringify(streamed);
    const socket = connect(rig.port, '127.0.0.1');
    socket.pause();
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    await rig.inference.isHeldBack();
    expect(rig.inference.bytesWritten - before).toBeLessThan(12_000_000);
    socket.destroy();
    await eventually(() => rig.inference.stops.size > stops);
  });
});

describe('what a model cannot do', () => {
  const tool = { name: 'f', description: 'd', input_schema: { type: 'object' } };
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const recording = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
  const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' };
  const schema = { type: 'json_schema', name: 's', schema: { type: 'object' } };
  const able = { streaming: true, reasoning: false, temperature: true, vision: false, structuredOutput: false };

  beforeAll(async () => {
    const plain = model('acme/plain', { capabilities: { ...able, tools: false } });
    rig.catalog.change({
      models: [...rig.catalog.snapshot.models, plain],
      available: [...rig.catalog.snapshot.available, plain.id],
    });
    await eventually(async () => (await rig.get('/v1/models/acme/plain', apiKey)).status === 200);
  });

  it.each([
    ['/v1/messages', { max_tokens: 5, messages: [{ role: 'user', content: 'x' }], tools: [tool] }, 'tools'],
    ['/v1/messages/count_tokens', { messages: [{ role: 'user', content: 'x' }], tools: [tool] }, 'tools'],
    ['/v1/chat/completions', { messages: [{ role: 'user', content: [image] }] }, 'images'],
    ['/v1/chat/completions', { messages: [{ role: 'user', content: [recording] }] }, 'audio'],
    ['/v1/responses', { input: [{ role: 'user', content: [file] }] }, 'files'],
    ['/v1/responses', { input: 'x', text: { format: schema } }, 'structured output'],
  ])(
    'is a 400 at %s that names the model and the need, counts as a request and reaches nobody',
    async (path, body, need) => {
      const key = rig.accounts.create({ rpm: 2 });
      const calls = rig.inference.calls.length;
      const got = await rig.post(path, key, { model: 'acme/plain', ...body });
      const { error } = (await got.json()) as { error: { message: string } };
      expect(got.status).toBe(400);
      expect(error.message).toContain('acme/plain');
      expect(error.message).toContain(need);
      expect(error.message).toContain('GET /v1/models');
      expect(got.headers.get('x-ratelimit-remaining-requests')).toBe('1');
      expect(rig.inference.calls.length).toBe(calls);
    },
  );

  it('is a 400 too for a chat with a model that embeds, and for embeddings of one that chats', async () => {
    const embedding = surfaceSamples['openai-embeddings'].request.model;
    const chat = await rig.chat(apiKey, { ...surfaceSamples['openai-chat'].request, model: embedding });
    expect([chat.status, await chat.text()]).toEqual([400, expect.stringContaining('POST /v1/embeddings')]);
    const vectors = await rig.post('/v1/embeddings', apiKey, { model: 'openai/gpt-5.4-mini', input: 'x' });
    expect([vectors.status, await vectors.text()]).toEqual([400, expect.stringContaining('POST /v1/chat/completions')]);
  });
});

describe('the headers of Anthropic clients', () => {
  const { request } = surfaceSamples['anthropic-messages'];
  const headers = { ...json, 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' };

  it('travel with messages, and with nothing else', async () => {
    await rig.post('/v1/messages', '', request, { headers: { ...headers, 'x-api-key': apiKey } });
    const passed = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' };
    expect(rig.inference.calls.at(-1)?.request.headers).toEqual(passed);
    const chat = surfaceSamples['openai-chat'].request;
    await rig.post('/v1/chat/completions', '', chat, { headers: { ...headers, 'x-api-key': apiKey } });
    expect(rig.inference.calls.at(-1)?.request.headers).toEqual({});
  });

  it.each(['/v1/files?beta=true', '/v1/models/none'])('decide how errors are told at %s', async (path) => {
    const found = async (given: Readonly<Record<string, string>>): Promise<unknown> => {
      const got = await fetch(`${rig.url}${path}`, { headers: { ...given, authorization: `Bearer ${apiKey}` } });
      return [got.status, await got.json()];
    };
    expect(await found(headers)).toEqual([404, expect.objectContaining({ type: 'error' })]);
    expect(await found(json)).toEqual([404, { error: expect.any(Object) }]);
  });

  it.each(['2023-6-1', '2023-13-01', 'latest', ''])(
    'are refused for a version that is no date: %j',
    async (version) => {
      const given = { ...headers, 'anthropic-version': version, 'x-api-key': apiKey };
      const got = await rig.post('/v1/messages', '', request, { headers: given });
      expect([got.status, await got.text()]).toEqual([400, expect.stringContaining('anthropic-version')]);
    },
  );
});

describe('counting tokens', () => {
  const { max_tokens: _, ...body } = surfaceSamples['anthropic-messages'].request;

  it('costs one request and no quota, and leaves no usage', async () => {
    const key = rig.accounts.create({ id: 'counts', rpm: 3, quotaTokens: 1 });
    for (const remaining of ['2', '1']) {
      const got = await rig.post('/v1/messages/count_tokens', key, body);
      expect(await got.json()).toEqual({ input_tokens: 12 });
      expect(got.headers.get('x-ratelimit-remaining-requests')).toBe(remaining);
    }
    expect(rig.inference.calls.at(-1)?.request).toMatchObject({ kind: 'count_tokens', lease: null });
    await sleep(100);
    expect(rig.metering.events.filter(({ keyId }) => keyId === 'counts')).toEqual([]);
  });

  it('checks the request as a message, but for the length of the answer', async () => {
    const got = await rig.post('/v1/messages/count_tokens', apiKey, { ...body, messages: [] });
    expect([got.status, await got.text()]).toEqual([400, expect.stringContaining('messages')]);
  });
});

describe('asking a tokenizer', () => {
  it.each(['tokenize', 'detokenize'])(
    'costs one request and no quota, leaves no usage, and passes every body as it came: %s',
    async (tokenizer) => {
      const key = rig.accounts.create({ id: tokenizer, rpm: 3, quotaTokens: 1 });
      const texts = [
        `{"model" :"home/reranker", "content":"H\\u00e9","with_pieces":true}`,
        `{"model":"openai/gpt-5.4-mini","tokens":[1, 2],"input":"","messages":7}`,
      ];
      for (const [index, text] of texts.entries()) {
        const got = await rig.post(`/v1/${tokenizer}`, key, text);
        expect([got.status, got.headers.get('x-ratelimit-remaining-requests')]).toEqual([200, String(2 - index)]);
        const call = rig.inference.calls.at(-1);
        expect(call?.request).toMatchObject({ kind: tokenizer, lease: null });
        expect(Buffer.from(call?.body ?? []).toString()).toBe(text);
      }
      await sleep(100);
      expect(rig.metering.events.filter(({ keyId }) => keyId === tokenizer)).toEqual([]);
    },
  );

  it.each([
    ['{"content":"x"}', 400, 'model'],
    ['[1]', 400, 'must be a JSON object'],
    ['{"model":"nobody/none"}', 404, 'nobody/none'],
  ])('is refused for %s', async (body, status, words) => {
    const got = await rig.post('/v1/tokenize', apiKey, body);
    expect([got.status, await got.text()]).toEqual([status, expect.stringContaining(words)]);
  });

  it('needs a key', async () => {
    expect((await rig.post('/v1/tokenize', 'sk-nobody', { model: 'home/reranker' })).status).toBe(401);
  });
});

describe('compacting a conversation', () => {
  it('is metered and reserves like an answer, is never a stream, and never comes from the cache', async () => {
    const key = rig.accounts.create({ rpm: 3, quotaTokens: 100_000 });
    const body = { ...surfaceSamples['openai-responses'].request, stream: true, store: false };
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-tollgate-cache': 'on' };
    for (const remaining of ['2', '1']) {
      const calls = rig.inference.calls.length;
      const got = await rig.post('/v1/responses/compact', key, body, { headers });
      expect([got.status, got.headers.get('x-ratelimit-remaining-requests')]).toEqual([200, remaining]);
      expect(rig.inference.calls.slice(calls).map(({ request }) => request)).toMatchObject([
        { kind: 'compact', stream: false, lease: expect.any(String) as string },
      ]);
    }
  });
});

describe('GET /v1/models', () => {
  it('tells which models embed', async () => {
    const got = await rig.get('/v1/models/openai/text-embedding-3-small', apiKey);
    expect(await got.json()).toMatchObject({ output_modalities: ['embedding'] });
  });
});

describe.each(rows)('odd values in a request of $name', ({ surface, sample: { request } }) => {
  const odd: unknown[] = [
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    '',
    ' ',
    [],
    {},
    [null],
    [[]],
    { a: 1 },
    '\u0000',
    [{ a: [1] }],
  ];
  const fields = [...Object.keys(request), 'stream', 'temperature', 'tools', 'system', 'metadata', 'stop', 'n'];

  it('are answered or refused in the shape of its errors, never by a 5xx', async () => {
    for (const field of fields) {
      for (const value of odd) {
        const got = await rig.post(surface.path, apiKey, { ...request, [field]: value });
        const text = await got.text();
        expect([field, value, got.status < 500]).toEqual([field, value, true]);
        if (got.status !== 200) expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) } });
      }
    }
  });
});
