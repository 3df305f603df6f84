import { modelKindOf, surfaceNames } from '@tollgate/contracts';
import { surfaces } from '@tollgate/dialects/surface';
import { patience } from '@tollgate/testing';
import { EdgeRig, eventually, question } from '../testing/edge-rig';
import { surfaceSamples } from '../testing/surface-samples';

let rig: EdgeRig;
beforeAll(async () => {
  rig = await EdgeRig.start({ EDGE_CACHE_ENTRY_LIMIT: '4096' });
});
afterAll(() => rig.stop());
beforeEach(() => Object.assign(rig.inference.behaviour, { chunks: 3, pauseMs: 0, failAfter: null, chunkBytes: 0 }));

const on = { 'x-tollgate-cache': 'on' };

async function ask(apiKey: string, body: object | string, headers: Record<string, string> = {}, path?: string) {
  const response = await fetch(`${rig.url}${path ?? '/v1/chat/completions'}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text().catch(() => 'cut');
  return { status: response.status, text, headers: response.headers, cache: response.headers.get('x-tollgate-cache') };
}

const pathOf = (name: string) => surfaces.find((surface) => surface.name === name)?.path;
const cacheOf = async (...args: Parameters<typeof ask>) => (await ask(...args)).cache;

describe('a request that asks for the cache', () => {
  it.each(surfaceNames)('is answered by a provider once, at %s, streaming or not', async (name) => {
    const apiKey = rig.accounts.create({ accountId: `once-${name}` });
    const sample = { ...surfaceSamples[name].request, ...(name === 'openai-responses' && { store: false }) };
    for (const body of modelKindOf(name) !== 'generation' ? [sample] : [sample, { ...sample, stream: true }]) {
      const before = rig.inference.calls.length;
      const first = await ask(apiKey, body, on, pathOf(name));
      const second = await ask(apiKey, body, on, pathOf(name));
      expect([first.status, first.cache, second.status, second.cache]).toEqual([200, 'miss', 200, 'hit']);
      expect(second.text).toBe(first.text);
      expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
      expect(second.headers.get('x-gateway-model')).toBe(first.headers.get('x-gateway-model'));
      expect(Number(second.headers.get('age') ?? NaN)).toBeLessThan(patience);
      expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
      expect(rig.inference.calls.length).toBe(before + 1);
    }
  });

  it('takes a unit of requests and no token, and leaves one usage event without tokens', async () => {
    const apiKey = rig.accounts.create({ id: 'ledger', accountId: 'ledger', rpm: 3, quotaTokens: 100_000 });
    await ask(apiKey, question, on);
    const hit = await ask(apiKey, question, on);
    expect(hit.headers.get('x-ratelimit-remaining-requests')).toBe('1');
    await ask(apiKey, question, on);
    expect((await ask(apiKey, question, on)).status).toBe(429);
    const events = () => rig.metering.events.filter(({ keyId, cached }) => keyId === 'ledger' && cached);
    await eventually(() => events().length === 2);
    expect(events()[0]).toMatchObject({
      requestId: hit.headers.get('x-request-id'),
      state: 'completed',
      status: 200,
      model: 'openai/gpt-5.4-mini',
      usage: { input: 0, output: 0 },
      attempts: [],
      lease: null,
      reportedBy: 'edge',
    });
  });

  it('is served also when the quota is used up', async () => {
    const apiKey = rig.accounts.create({ id: 'poor', accountId: 'poor', quotaTokens: 1_000_000 });
    await ask(apiKey, question, on);
    rig.accounts.change(apiKey, { quotaTokens: 0 });
    await eventually(async () => (await ask(apiKey, question)).status === 429);
    expect(await ask(apiKey, question, on)).toMatchObject({ status: 200, cache: 'hit' });
  });
});

describe('who may be given an answer again', () => {
  it('is its account, over all its keys, and nobody else', async () => {
    const [one, sibling, stranger] = ['mine', 'mine', 'theirs'].map((accountId) => rig.accounts.create({ accountId }));
    if (!one || !sibling || !stranger) throw new Error('no keys');
    expect(await cacheOf(one, question, on)).toBe('miss');
    expect(await cacheOf(sibling, question, on)).toBe('hit');
    expect(await cacheOf(stranger, question, on)).toBe('miss');
  });

  it('is nobody who does not ask, or whose key may not use the model', async () => {
    const apiKey = rig.accounts.create({ accountId: 'asks' });
    await ask(apiKey, question, on);
    expect(await cacheOf(apiKey, question)).toBeNull();
    const narrow = rig.accounts.create({ accountId: 'asks', models: ['anthropic/*'] });
    expect(await ask(narrow, question, on)).toMatchObject({ status: 403, cache: null });
  });

  it('is who has a key that always asks, unless the request says off', async () => {
    const apiKey = rig.accounts.create({ accountId: 'always', cacheTtlS: 60 });
    expect(await cacheOf(apiKey, question)).toBe('miss');
    expect(await cacheOf(apiKey, question)).toBe('hit');
    expect(await cacheOf(apiKey, question, { 'x-tollgate-cache': 'off' })).toBeNull();
    expect(await cacheOf(apiKey, question, { 'x-tollgate-cache': 'refresh' })).toBe('refresh');
    expect(await cacheOf(apiKey, JSON.stringify(question, null, 2))).toBe('hit');
    expect(await cacheOf(apiKey, { ...question, temperature: 0 })).toBe('miss');
    expect((await ask(apiKey, question, { 'x-tollgate-cache': 'maybe' })).status).toBe(400);
  });

  it('is who asks in time', async () => {
    const apiKey = rig.accounts.create({ accountId: 'late' });
    const briefly = { ...on, 'x-tollgate-cache-ttl': '1' };
    expect(await cacheOf(apiKey, question, briefly)).toBe('miss');
    await eventually(async () => (await cacheOf(apiKey, question, briefly)) === 'miss', 10_000);
  });
});

describe('what is never kept', () => {
  it('is an answer that failed, or was cut', async () => {
    const apiKey = rig.accounts.create({ accountId: 'failures' });
    for (const [failAfter, body] of [
      [0, question],
      [0, { ...question, stream: true }],
      [2, { ...question, stream: true, seed: 2 }],
    ] as const) {
      rig.inference.behaviour.failAfter = failAfter;
      expect(await cacheOf(apiKey, body, on)).toBe('miss');
      rig.inference.behaviour.failAfter = null;
      expect(await ask(apiKey, body, on)).toMatchObject({ status: 200, cache: 'miss' });
      expect(await cacheOf(apiKey, body, on)).toBe('hit');
    }
  });

  it('is an answer whose caller left before its end', async () => {
    const apiKey = rig.accounts.create({ accountId: 'leaves' });
    const body = { ...question, stream: true };
    Object.assign(rig.inference.behaviour, { chunks: 5_000, pauseMs: 20 });
    const leaving = new AbortController();
    const response = await rig.chat(apiKey, body, {
      signal: leaving.signal,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...on },
    });
    await response.body?.getReader().read();
    leaving.abort();
    await eventually(() => rig.inference.stops.size > 0);
    Object.assign(rig.inference.behaviour, { chunks: 3, pauseMs: 0 });
    expect(await cacheOf(apiKey, body, on)).toBe('miss');
  });

  it('is an answer of a fallback: the model that was asked is asked again', async () => {
    const apiKey = rig.accounts.create({ accountId: 'fallbacks' });
    for (const body of [question, { ...question, stream: true }]) {
      rig.inference.behaviour.fallback = 'anthropic/claude-sonnet-4-6';
      expect(await cacheOf(apiKey, body, on)).toBe('miss');
      rig.inference.behaviour.fallback = null;
      expect(await cacheOf(apiKey, body, on)).toBe('miss');
      expect(await cacheOf(apiKey, body, on)).toBe('hit');
    }
  });

  it('is an answer that is too large', async () => {
    const apiKey = rig.accounts.create({ accountId: 'large' });
    rig.inference.behaviour.chunkBytes = 2_000;
    const body = { ...question, stream: true };
    expect(await cacheOf(apiKey, body, on)).toBe('miss');
    expect(await cacheOf(apiKey, body, on)).toBe('miss');
  });

  it.each([
    ['/v1/chat/completions', { ...question, store: true }],
    ['/v1/chat/completions', { ...question, modalities: ['text'], audio: { voice: 'alloy', format: 'wav' } }],
    ['/v1/responses', { model: question.model, input: 'Hello?' }],
    ['/v1/responses', { model: question.model, input: 'Hello?', store: false, previous_response_id: 'resp_1' }],
    ['/v1/messages', { ...question, container: 'container_1' }],
  ])('is one that depends on kept state: %s %j', async (path, body) => {
    const apiKey = rig.accounts.create({ accountId: 'state' });
    expect(await cacheOf(apiKey, body, on, path)).toBe('bypass');
    expect(await cacheOf(apiKey, body, on, path)).toBe('bypass');
  });
});

it('tells how it is used to Prometheus', async () => {
  const text = await (await fetch(`http://127.0.0.1:${rig.internalPort}/metrics`)).text();
  expect(text).toMatch(/edge_cache_requests_total\{[^}]*result="hit"[^}]*\} [1-9]/);
  expect(text).toMatch(/edge_cache_bytes(\{[^}]*\})? [1-9]/);
});
