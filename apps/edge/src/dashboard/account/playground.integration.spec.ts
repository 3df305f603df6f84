import { Browser } from '../../testing/browser';
import { EdgeRig, eventually, question } from '../../testing/edge-rig';

let rig: EdgeRig;
let user: Browser;
beforeAll(async () => {
  rig = await EdgeRig.start();
  rig.accounts.create({ id: 'own', accountId: 'account-1', rpm: 100, quotaTokens: 1_000_000 });
  user = await Browser.withSession(rig.url, rig.people.open('user').token);
});
afterAll(() => rig.stop());

const chat = (keyId: string, body: object = question, headers: Record<string, string | undefined> = {}) =>
  user.post(`/api/playground/chat/completions?keyId=${keyId}`, body, headers);

describe('the playground', () => {
  it('answers as the API does, with the same headers, metered as the key', async () => {
    const response = await chat('own');
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ object: 'chat.completion' });
    expect(response.headers.get('x-gateway-provider')).toBe('openai');
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('99');
    expect(rig.inference.calls.at(-1)?.request).toMatchObject({ keyId: 'own', accountId: 'account-1' });
    await eventually(() => rig.metering.used.get('own') === 30);
  });

  it('streams', async () => {
    const response = await chat('own', { ...question, stream: true });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const text = await response.text();
    expect(text).toContain('t2 ');
    expect(text.trimEnd()).toMatch(/data: \[DONE\]$/);
  });

  it("finds no key of somebody else's", async () => {
    rig.accounts.create({ id: 'foreign', accountId: 'account-2' });
    expect((await chat('foreign')).status).toBe(404);
    expect((await chat('')).status).toBe(400);
  });

  it('takes the body that the API takes, and refuses what it refuses', async () => {
    const refused = await chat('own', { ...question, model: 'no/such' });
    expect(refused.status).toBe(404);
    const limited = rig.accounts.create({ id: 'limited', accountId: 'account-1', models: ['anthropic/*'] });
    expect(limited).toBeTruthy();
    expect((await chat('limited')).status).toBe(403);
    const large = await chat('own', { ...question, messages: [{ role: 'user', content: 'x'.repeat(200_000) }] });
    expect(large.status).toBe(200);
  });

  it.each([
    ['revoked', { keyStatus: 'revoked' as const }],
    ['expired', { expiresAt: 1 }],
    ['of a pending account', { accountStatus: 'pending' as const }],
  ])('with a key that is %s is 403: the session is fine', async (_what, changes) => {
    const id = `stopped-${Math.random()}`;
    rig.accounts.create({ id, accountId: 'account-1', ...changes });
    expect((await chat(id)).status).toBe(403);
  });

  it('takes from the requests per minute of the key', async () => {
    rig.accounts.create({ id: 'slow', accountId: 'account-1', rpm: 1 });
    expect((await chat('slow')).status).toBe(200);
    const refused = await chat('slow');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  });

  it('is no way around the CSRF token', async () => {
    const before = rig.inference.calls.length;
    expect((await chat('own', question, { 'x-csrf-token': undefined })).status).toBe(403);
    expect(rig.inference.calls).toHaveLength(before);
  });

  it('stops when the key is revoked in the middle', async () => {
    const apiKey = rig.accounts.create({ id: 'cut', accountId: 'account-1' });
    Object.assign(rig.inference.behaviour, { chunks: 1_000, pauseMs: 50 });
    const response = await chat('cut', { ...question, stream: true });
    const reading = response.text();
    rig.accounts.change(apiKey, { keyStatus: 'revoked' });
    expect(await reading).toContain('revoked');
    Object.assign(rig.inference.behaviour, { chunks: 3, pauseMs: 0 });
  });
});
