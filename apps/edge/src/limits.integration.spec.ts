import { surfaces } from '@tollgate/dialects/surface';
import { readFileSync } from 'node:fs';
import { ModelCatalog } from './catalog/model-catalog';
import { EdgeRig, eventually, question } from './testing/edge-rig';

let rig: EdgeRig;
beforeAll(async () => {
  rig = await EdgeRig.start();
});
afterAll(() => rig.stop());

/**
 * Sends so many requests at once; nobody is answered before each of them waits for its answer or was refused.
 */
async function crowd(apiKey: string, body: object, count: number): Promise<Response[]> {
  const letGo = rig.inference.hold();
  const before = rig.inference.calls.length;
  let refused = 0;
  const answers = Array.from({ length: count }, async () => {
    const answer = await rig.chat(apiKey, body);
    if (answer.status === 429) refused++;
    return answer;
  });
  await eventually(() => rig.inference.calls.length - before + refused === count).finally(letGo);
  return Promise.all(answers);
}

/** The 429 of a window that has just begun, in its whole form: `more` is what else its error has. */
async function expectExactRefusal(refused: Response | undefined, limit: string, more: object = {}): Promise<void> {
  const retryAfter = refused?.headers.get('retry-after');
  expect(retryAfter).toMatch(/^(5\d|60)$/);
  const message = `rate limit exceeded, retry after ${retryAfter} seconds`;
  expect(await refused?.json()).toEqual({ error: { message, type: 'rate_limit_error', code: 429, ...more } });
  expect(refused?.headers.get('x-tollgate-limit')).toBe(limit);
  expect(refused?.headers.get('x-should-retry')).toBeNull();
}

interface ErrorAnswer {
  error: { message: string; type: string; code: number; details?: { reason: string } };
}

describe('requests per minute', () => {
  it('admit 60 of 61 requests at once, over all endpoints; the 429 has the exact form and its Retry-After is a whole number', async () => {
    const apiKey = rig.accounts.create({ rpm: 60 });
    const answers = await Promise.all(
      Array.from({ length: 61 }, (_, i) => (i % 2 ? rig.chat(apiKey, question) : rig.get('/v1/models', apiKey))),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    expect(refused).toHaveLength(1);
    await expectExactRefusal(refused[0], 'rpm');
    expect(refused[0]?.headers.get('x-ratelimit-remaining-requests')).toBe('0');
  });

  it('count what is answered 400, 403, 404 and 405, and no 401', async () => {
    const apiKey = rig.accounts.create({ rpm: 10, models: ['openai/*'] });
    await rig.chat(apiKey, '{');
    await rig.chat(apiKey, { ...question, model: 'anthropic/claude-sonnet-5' });
    await rig.get('/nowhere', apiKey);
    await rig.get('/v1/chat/completions', apiKey);
    await rig.get('/v1/models', 'wrong');
    const answer = await rig.get('/v1/models', apiKey);
    expect(answer.headers.get('x-ratelimit-remaining-requests')).toBe('5');
    expect(answer.headers.get('ratelimit-policy')).toBe('"requests";q=10;w=60');
  });

  it('change at once when the key changes', async () => {
    const apiKey = rig.accounts.create({ rpm: 1 });
    expect((await rig.get('/v1/models', apiKey)).status).toBe(200);
    expect((await rig.get('/v1/models', apiKey)).status).toBe(429);
    rig.accounts.change(apiKey, { rpm: 2 });
    await eventually(async () => (await rig.get('/v1/models', apiKey)).status === 200, 1_000);
  });
});

describe('the limit of generations at once', () => {
  it('refuses one too many with 429 and takes nothing for it, until another has ended', async () => {
    const apiKey = rig.accounts.create({ concurrency: 3, rpm: 100 });
    const answers = await crowd(apiKey, question, 8);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(5);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    await Promise.all(answers.map((answer) => answer.text()));
    const next = await rig.chat(apiKey, question);
    expect(next.status).toBe(200);
    expect(next.headers.get('x-ratelimit-remaining-requests')).toBe('96');
    expect((await rig.chat(apiKey, { ...question, messages: 'wrong' })).status).toBe(400);
    expect((await rig.chat(apiKey, question)).status).toBe(200);
  });
});

it.each([
  ['requests', { rpm: 0 }, 'rpm'],
  ['tokens a minute', { tpm: 0 }, 'tokens'],
  ['requests of a model', { modelLimits: [{ model: '*', rpm: 0, tpm: null }] }, 'rpm'],
])('a limit of no %s tells programs that waiting is in vain', async (_what, limits, which) => {
  const answer = await rig.chat(rig.accounts.create(limits), question);
  expect(answer.status).toBe(429);
  expect(['x-tollgate-limit', 'x-should-retry'].map((name) => answer.headers.get(name))).toEqual([which, 'false']);
});

describe('the token quota', () => {
  it('refuses with 429 until the month ends, tells so in the headers, and takes no unit of the requests per minute', async () => {
    const apiKey = rig.accounts.create({ id: 'spent', quotaTokens: 400, rpm: 10 });
    rig.metering.used.set('spent', 380);
    const answer = await rig.chat(apiKey, question);
    expect(answer.status).toBe(429);
    const seconds = Number(answer.headers.get('retry-after'));
    const { error } = (await answer.json()) as ErrorAnswer;
    expect(error.message).toBe(`rate limit exceeded, retry after ${seconds} seconds`);
    expect(new Date(Date.now() + seconds * 1_000 + 500).getUTCDate()).toBe(1);
    expect(answer.headers.get('x-ratelimit-remaining-requests')).toBe('10');
    expect(answer.headers.get('x-ratelimit-limit-tokens')).toBe('400');
    expect(answer.headers.get('x-tollgate-limit')).toBe('tokens');
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(error.details).toEqual({ reason: 'quota_exhausted' });
  });

  it('refuses with 400 what is larger than the whole of it, by its words or by its limit of output', async () => {
    const apiKey = rig.accounts.create({ quotaTokens: 1_000 });
    for (const body of [
      { ...question, max_tokens: 1_000 },
      { ...question, max_tokens: 100, n: 10 },
      { ...question, messages: [{ role: 'user', content: 'word '.repeat(2_000) }] },
    ]) {
      const answer = await rig.chat(apiKey, body);
      expect(answer.status).toBe(400);
      expect(answer.headers.get('retry-after')).toBeNull();
      expect(((await answer.json()) as ErrorAnswer).error.message).toContain('the whole token quota of this key, 1000');
    }
    const assumed = await rig.chat(apiKey, { ...question, max_tokens: undefined });
    expect(assumed.status).toBe(200);
  });

  it('says seconds where others only hold it, and which limit it was', async () => {
    const apiKey = rig.accounts.create({ quotaTokens: 3_000 });
    const body = { ...question, max_tokens: 1_000 };
    const answers = await crowd(apiKey, body, 4);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(refused?.headers.get('x-tollgate-limit')).toBe('tokens');
    expect(await refused?.json()).toMatchObject({ error: { details: { reason: 'tokens_reserved' } } });
  });

  it('admits eight prompts of 100 kB at once, each with room for 64,000 tokens, of a million', async () => {
    const apiKey = rig.accounts.create({ quotaTokens: 1_000_000 });
    const prompt = readFileSync(__filename, 'utf8').repeat(20).slice(0, 100_000);
    const body = { ...question, max_tokens: 64_000, messages: [{ role: 'user', content: prompt }] };
    const { models } = rig.catalog.snapshot;
    rig.catalog.change({ models: models.map((other) => ({ ...other, maxOutputTokens: 64_000 })) });
    await eventually(() => rig.service.get(ModelCatalog).revision === rig.catalog.snapshot.revision);
    const answers = await crowd(apiKey, body, 8);
    expect(answers.map(({ status }) => status)).toEqual(new Array(8).fill(200));
  });

  it('lets ten of 50 requests at once through where there is room for ten', async () => {
    const body = { ...question, max_tokens: 1_000 };
    const reserved = 1_000 + (surfaces[0]?.readRequest(body, JSON.stringify(body).length).inputTokensEstimate ?? 0);
    const apiKey = rig.accounts.create({ quotaTokens: 10 * reserved });
    const answers = await crowd(apiKey, body, 50);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
  });

  it('is set aside twice for a stream that may go on elsewhere, which it may not where there is not so much', async () => {
    const apiKey = rig.accounts.create({ quotaTokens: 5_000 });
    const ask = (maxTokens: number, wish: string) => {
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${apiKey}`,
        'x-tollgate-continue': wish,
      };
      const body = { ...question, stream: true, max_tokens: maxTokens };
      return rig.post('/v1/chat/completions', '', body, { headers });
    };
    await (await ask(1_000, 'off')).text();
    const plain = rig.inference.calls.at(-1)?.request;
    await (await ask(1_000, 'on')).text();
    const twice = rig.inference.calls.at(-1)?.request;
    expect([plain?.goesOn, twice?.goesOn]).toEqual([undefined, true]);
    expect(twice?.reserved).toBeGreaterThanOrEqual(2 * (plain?.reserved ?? Infinity));
    const much = await ask(3_000, 'on');
    await much.text();
    expect(much.status).toBe(200);
    expect(rig.inference.calls.at(-1)?.request.goesOn).toBeUndefined();
    expect((await ask(1_000, 'perhaps')).status).toBe(400);
  });

  it('gets back what a request reserved and did not use, and tells what is left', async () => {
    const apiKey = rig.accounts.create({ quotaTokens: 2_000 });
    for (let i = 0; i < 20; i++) {
      const answer = await rig.chat(apiKey, { ...question, max_tokens: 1_000 });
      expect(answer.status).toBe(200);
      await answer.text();
    }
    // The fake inference uses 30 tokens for each request.
    const answer = await rig.get('/v1/models', apiKey);
    expect(answer.headers.get('x-ratelimit-remaining-tokens')).toBe('1400');
  });

  it('is told by /v1/usage, also when there is none', async () => {
    const limited = rig.accounts.create({ id: 'limited', quotaTokens: 1_000 });
    rig.metering.used.set('limited', 250).set('free', 250);
    const answer = await rig.get('/v1/usage', limited);
    expect(await answer.json()).toMatchObject({ used: 250, quota: 1_000, remaining: 750 });
    const free = rig.accounts.create({ id: 'free' });
    expect(await (await rig.get('/v1/usage', free)).json()).toMatchObject({
      used: 250,
      quota: Number.MAX_SAFE_INTEGER,
      remaining: Number.MAX_SAFE_INTEGER - 250,
      resets_at: expect.stringMatching(/-01T00:00:00\.000Z$/),
    });
  });

  it('does not stop generations while metering is away', async () => {
    const apiKey = rig.accounts.create({ quotaTokens: 1_000_000 });
    rig.metering.isAway = true;
    expect((await rig.chat(apiKey, question)).status).toBe(200);
    expect((await rig.get('/v1/usage', apiKey)).status).toBe(503);
    expect((await rig.get('/api/metrics', apiKey)).headers.get('retry-after')).toMatch(/^\d+$/);
    rig.metering.isAway = false;
  });
});

describe('the limit of tokens a minute', () => {
  it('refuses what has no room in the last 60 seconds, in the exact form, and takes nothing for it', async () => {
    const body = { ...question, max_tokens: 400 };
    const reserved = 400 + (surfaces[0]?.readRequest(body, JSON.stringify(body).length).inputTokensEstimate ?? 0);
    // The fake inference uses 30 tokens for each request.
    const tpm = 2 * reserved + 30;
    const apiKey = rig.accounts.create({ rpm: 100, tpm });
    const first = await rig.chat(apiKey, body);
    expect(first.status).toBe(200);
    expect(first.headers.get('x-ratelimit-limit-tokens')).toBe(String(tpm));
    expect(first.headers.get('x-ratelimit-remaining-tokens')).toBe(String(reserved + 30));
    expect(first.headers.get('x-ratelimit-reset-tokens')).toMatch(/^(59|60)s$/);
    await first.text();
    const answers = await crowd(apiKey, body, 6);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(4);
    await expectExactRefusal(refused[0], 'tokens', { details: { reason: 'tokens_per_minute' } });
    await Promise.all(answers.map((answer) => answer.arrayBuffer().catch(() => null)));
    // What was set aside and not used is free again when an answer ends: streamed ones, too.
    await eventually(async () => (await rig.chat(apiKey, { ...question, max_tokens: 700 })).status === 200);
    const last = await rig.chat(apiKey, { ...question, max_tokens: 5, stream: true });
    expect(await last.text()).toContain('[DONE]');
    // The first, two of six, the large one, and this one: no refusal took any.
    expect(Number(last.headers.get('x-ratelimit-remaining-requests'))).toBeGreaterThanOrEqual(90);
  });

  it('is a 400 for a request that is larger than all of it, and takes nothing for one that failed', async () => {
    const apiKey = rig.accounts.create({ tpm: 1_000 });
    const large = await rig.chat(apiKey, { ...question, max_tokens: 1_000 });
    expect(large.status).toBe(400);
    expect(((await large.json()) as ErrorAnswer).error.message).toContain('may use in a minute, 1000');
    rig.inference.behaviour.failAfter = 0;
    const failed = [];
    for (let request = 0; request < 4; request++)
      failed.push((await rig.chat(apiKey, { ...question, max_tokens: 600 })).status);
    rig.inference.behaviour.failAfter = null;
    expect(failed).toEqual([502, 502, 502, 502]);
    expect((await rig.chat(apiKey, { ...question, max_tokens: 600 })).status).toBe(200);
  });

  it('of a model, and its requests, count for models of its pattern alone', async () => {
    const modelLimits = [{ model: 'openai/*', rpm: 2, tpm: null }];
    const apiKey = rig.accounts.create({ rpm: 10, modelLimits });
    expect((await rig.chat(apiKey, question)).status).toBe(200);
    expect((await rig.chat(apiKey, question)).status).toBe(200);
    const refused = await rig.chat(apiKey, question);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-tollgate-limit')).toBe('rpm');
    expect(((await refused.json()) as ErrorAnswer).error.details).toEqual({ reason: 'model_rate_limit' });
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('8');
    expect((await rig.get('/v1/models', apiKey)).status).toBe(200);
    expect((await rig.chat(apiKey, { ...question, model: 'anthropic/claude-sonnet-5' })).status).toBe(200);
  });
});
