import { EdgeRig, question } from './testing/edge-rig';

const origin = 'https://app.example.com';
let rig: EdgeRig;
let apiKey: string;
beforeAll(async () => {
  rig = await EdgeRig.start({ EDGE_CORS_ORIGINS: `${origin}, http://localhost:3000` });
  apiKey = rig.accounts.create();
});
afterAll(() => rig.stop());

const ask = (path: string, method: string, headers: Record<string, string>, body: string | null = null) =>
  fetch(`${rig.url}${path}`, { method, headers, body });
const preflight = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,x-api-key',
};

describe('pages of other origins', () => {
  it('that are configured may call what goes by keys, and read its headers', async () => {
    const asked = await ask('/v1/messages', 'OPTIONS', { origin, ...preflight });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
    expect(asked.headers.get('access-control-allow-headers')).toBe('authorization,x-api-key');
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
    const headers = { origin, authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    for (const answer of [
      await ask('/v1/chat/completions', 'POST', headers, JSON.stringify(question)),
      await ask('/v1/chat/completions', 'POST', headers, '{'),
      await ask('/v1/models', 'GET', headers),
      await ask('/v1/models', 'GET', { origin }),
    ]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
      expect(answer.headers.get('vary')).toBe('origin');
    }
  });

  it('may not call anything else, nor may others', async () => {
    for (const [path, from] of [
      ['/v1/models', 'https://evil.example.com'],
      ['/v1/models', `${origin}.evil.example.com`],
      ['/api/auth/me', origin],
    ] as const) {
      for (const method of ['GET', 'OPTIONS']) {
        const answer = await ask(path, method, { origin: from, ...preflight });
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
        expect(answer.headers.get('access-control-allow-headers')).toBeNull();
      }
    }
  });
});

it('HEAD works where GET does, without a body', async () => {
  for (const path of ['/v1/models', '/v1/models/openai/gpt-5.4-mini', '/v1/usage', '/api/metrics', '/livez']) {
    const answer = await ask(path, 'HEAD', { authorization: `Bearer ${apiKey}` });
    expect([path, answer.status]).toEqual([path, 200]);
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(0);
    expect(await answer.text()).toBe('');
  }
  expect((await ask('/v1/models', 'HEAD', {})).status).toBe(401);
});

it("the list of models is in Anthropic's shape for who names a version of its API", async () => {
  const headers = { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' };
  expect(await (await ask('/v1/models?limit=1', 'GET', headers)).json()).toEqual({
    data: [expect.objectContaining({ type: 'model', id: 'openai/gpt-5.4-mini' })],
    has_more: true,
    first_id: 'openai/gpt-5.4-mini',
    last_id: 'openai/gpt-5.4-mini',
  });
  expect(await (await ask('/v1/models/mini', 'GET', headers)).json()).toMatchObject({ type: 'model' });
  const wrong = await ask('/v1/models?limit=0', 'GET', headers);
  expect(wrong.status).toBe(400);
});
