import { patience } from '@tollgate/testing';
import { peopleOperations, secondFactorOperations } from '@tollgate/contracts/accounts';
import { Browser } from '../../testing/browser';
import { EdgeRig } from '../../testing/edge-rig';
import { rightCode, rightPassword } from '../../testing/fake-people';

let rig: EdgeRig;
beforeAll(async () => {
  rig = await EdgeRig.start({ TRUST_PROXY: '127.0.0.1' });
});
afterAll(() => rig.stop());

const credentials = { email: 'user@example.com', password: rightPassword };

async function visitor(): Promise<Browser> {
  const browser = new Browser(rig.url);
  await browser.visit();
  return browser;
}

describe('a visitor', () => {
  it('is told within five seconds to come again when accounts hangs', async () => {
    const browser = await visitor();
    rig.people.isSilent = true;
    rig.controlPatience = 1;
    const beganMs = performance.now();
    const response = await browser.post('/api/auth/sign-in', credentials);
    rig.people.isSilent = false;
    rig.controlPatience = patience;
    expect(performance.now() - beganMs).toBeLessThan(5_000 * patience);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  });

  it('is told what the installation offers, and is nobody', async () => {
    const response = await new Browser(rig.url).get('/api/auth/me');
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({
      user: null,
      account: null,
      csrfToken: expect.stringMatching(/^[\w-]{43}$/),
      waiting: null,
      needsSecondFactor: false,
      wantsSecondFactor: false,
      features: {
        ...{ oidc: null, mail: false, needsFirstAdministrator: false, passkeys: null },
        ...{ sandbox: true, contentLog: null },
      },
    });
  });

  it('signs in: the cookie is for the server only and for our own pages, and holds nothing but the token', async () => {
    const browser = await visitor();
    const response = await browser.post('/api/auth/sign-in', credentials);
    expect(response.status).toBe(200);
    expect(await response.clone().json()).toMatchObject({
      user: { email: 'user@example.com', role: 'user' },
      account: { status: 'active', quotaTokens: null },
    });
    const [cookie = ''] = response.headers.getSetCookie().filter((line) => line.startsWith('tollgate_session='));
    expect(cookie).toMatch(/^tollgate_session=session-token-[\w-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(browser.cookies.has('tollgate_visitor')).toBe(false);
    expect((await browser.get('/api/keys')).status).toBe(200);
  });

  it('gets cookies that only HTTPS carries where the page came over HTTPS', async () => {
    const https = { 'x-forwarded-proto': 'https' };
    const [cookie] = (await new Browser(rig.url).ask('GET', '/api/auth/me', undefined, https)).headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-tollgate_visitor=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  });

  it('is refused with a wrong password, and slowed down where accounts says so', async () => {
    const browser = await visitor();
    const wrong = await browser.post('/api/auth/sign-in', { ...credentials, password: 'wrong' });
    expect(wrong.status).toBe(401);
    expect(await wrong.json()).toMatchObject({ error: { type: 'authentication_error', code: 401 } });
    rig.people.throttledS = 8;
    const throttled = await browser.post('/api/auth/sign-in', credentials);
    rig.people.throttledS = 0;
    expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '8']);
  });

  it('signs up, from the address that the proxy tells', async () => {
    const browser = await visitor();
    const body = { name: ' Ada ', email: 'new@example.com', password: rightPassword, purpose: 'tests' };
    const response = await browser.post('/api/auth/sign-up', body, { 'x-forwarded-for': '203.0.113.7' });
    expect(response.status).toBe(201);
    expect(rig.people.askedOf(peopleOperations.signUp).at(-1)).toMatchObject({ name: 'Ada', address: '203.0.113.7' });
  });

  it.each([
    [{ email: 'x', password: rightPassword, name: 'A' }, 'email: must be an e-mail address'],
    [{ email: 'a@example.com', password: 'short', name: 'A' }, 'password: must have at least 12 characters'],
    [{ email: 'a@example.com', password: rightPassword, name: ' ' }, 'name: must not be empty'],
    [{ email: 'a@example.com', password: rightPassword, name: 'A', role: 'administrator' }, /role/],
  ])('is told which field is wrong: %j', async (body, message) => {
    const response = await (await visitor()).post('/api/auth/sign-up', body);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toMatch(message);
  });
});

describe('a change', () => {
  const attempts: [string, Record<string, string | undefined>][] = [
    ['without the CSRF token', { 'x-csrf-token': undefined }],
    ['with a wrong CSRF token', { 'x-csrf-token': 'a'.repeat(43) }],
    ['from a page of another site', { origin: 'https://evil.example' }],
    ['that the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['that the browser calls same-site', { 'sec-fetch-site': 'same-site' }],
    ['from an opaque origin', { origin: 'null' }],
    ['that does not say where it is from', { origin: undefined }],
  ];

  it.each(attempts)('%s is refused, for visitors and for who is signed in', async (_what, headers) => {
    const { token } = rig.people.open('user');
    const person = await Browser.withSession(rig.url, token);
    expect((await person.post('/api/auth/sign-out', {}, headers)).status).toBe(403);
    expect(rig.people.sessions.has(token)).toBe(true);
    expect((await (await visitor()).post('/api/auth/sign-in', credentials, headers)).status).toBe(403);
  });

  it("with another browser's CSRF token is refused", async () => {
    const [one, other] = [await visitor(), await visitor()];
    one.csrfToken = other.csrfToken;
    expect((await one.post('/api/auth/sign-in', credentials)).status).toBe(403);
  });

  it('in the form of a form is refused', async () => {
    const response = await (await visitor()).post('/api/auth/sign-in', credentials, { 'content-type': 'text/plain' });
    expect(response.status).toBe(415);
  });

  it('that is too large is refused', async () => {
    const response = await (await visitor()).post('/api/auth/sign-in', { ...credentials, x: 'x'.repeat(70_000) });
    expect(response.status).toBe(413);
  });
});

describe('a session', () => {
  it('that has ended is 401 everywhere, and forgotten by the browser at the next page', async () => {
    const { token } = rig.people.open('user');
    const browser = await Browser.withSession(rig.url, token);
    rig.people.sessions.delete(token);
    const refused = await browser.get('/api/keys');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBeNull();
    expect(await (await browser.visit()).json()).toMatchObject({ user: null });
    expect(browser.cookies.has('tollgate_session')).toBe(false);
    expect((await browser.post('/api/auth/sign-in', credentials)).status).toBe(200);
  });

  it('ends with the sign-out', async () => {
    const { token } = rig.people.open('user');
    const browser = await Browser.withSession(rig.url, token);
    const response = await browser.post('/api/auth/sign-out');
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(rig.people.sessions.has(token)).toBe(false);
    expect(browser.cookies.has('tollgate_session')).toBe(false);
  });

  it('is listed, and the one that asks is marked', async () => {
    const browser = await Browser.withSession(rig.url, rig.people.open('user').token);
    const body: unknown = await (await browser.get('/api/auth/sessions')).json();
    expect(body).toMatchObject({ data: [{ id: 'session-1', current: false }], next: null });
  });

  it('cannot be resolved while accounts is away: 503 with a time to come back', async () => {
    const browser = await Browser.withSession(rig.url, rig.people.open('user').token);
    rig.people.isAway = true;
    const response = await browser.get('/api/keys');
    rig.people.isAway = false;
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
  });
});

describe('signing in with a provider', () => {
  it('goes there and comes back with a session, in the browser that began it only', async () => {
    const browser = await visitor();
    const there = await browser.get('/api/auth/oidc');
    expect(rig.people.askedOf(peopleOperations.oidcBegin)).toEqual([{ address: '127.0.0.1' }]);
    expect([there.status, there.headers.get('location')]).toEqual([303, 'https://login.example/authorize']);
    const stranger = await (await visitor()).get('/api/auth/oidc/callback?code=c&state=s');
    expect(stranger.headers.get('location')).toMatch(/^\/sign-in\?error=/);
    const back = await browser.get('/api/auth/oidc/callback?code=c&state=s');
    expect([back.status, back.headers.get('location')]).toEqual([303, '/']);
    expect(rig.people.askedOf(peopleOperations.oidcFinish).at(-1)).toMatchObject({
      token: 'attempt-of-this-browser',
      query: 'code=c&state=s',
    });
    expect((await browser.get('/api/keys')).status).toBe(200);
  });
});

describe('a second factor', () => {
  const cookieName = 'tollgate_second_factor';
  beforeAll(() => void (rig.people.wantsSecondFactor = true));
  afterAll(() => void (rig.people.wantsSecondFactor = false));

  it.each([
    ['a password', '/api/auth/sign-in', credentials],
    ['a mailed link for a new password', '/api/auth/reset', { token: 'x', password: rightPassword }],
  ])('is wanted after %s, which alone opens nothing', async (_what, path, body) => {
    const browser = await visitor();
    const response = await browser.post(path, body);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ user: null, account: null, wantsSecondFactor: true });
    expect(browser.cookies.has('tollgate_session')).toBe(false);
    const [cookie] = response.headers.getSetCookie().filter((line) => line.startsWith(cookieName));
    expect(cookie).toMatch(/^tollgate_second_factor=[\w-]+; Max-Age=300; Path=\/; HttpOnly; SameSite=Lax$/);
    expect((await browser.get('/api/keys')).status).toBe(401);
    // The page that is loaded again still knows.
    expect(await (await browser.visit()).json()).toMatchObject({ wantsSecondFactor: true });

    const wrong = await browser.post('/api/auth/second-factor', { code: '000000' });
    expect(wrong.status).toBe(401);
    const right = await browser.post('/api/auth/second-factor', { code: rightCode });
    expect(await right.json()).toMatchObject({ user: { email: 'user@example.com' }, wantsSecondFactor: false });
    expect(browser.cookies.has(cookieName)).toBe(false);
    expect((await browser.get('/api/keys')).status).toBe(200);
  });

  it('is wanted from nobody who told no password, and from nobody any more who begins again', async () => {
    const browser = await visitor();
    expect((await browser.post('/api/auth/second-factor', { code: rightCode })).status).toBe(400);
    await browser.post('/api/auth/sign-in', credentials);
    await browser.post('/api/auth/sign-out');
    expect(await (await browser.visit()).json()).toMatchObject({ wantsSecondFactor: false });
    expect((await browser.post('/api/auth/second-factor', { code: rightCode })).status).toBe(400);
  });

  it('is set up, renewed and removed by who is signed in, who proves it anew', async () => {
    const session = rig.people.open('user');
    const browser = await Browser.withSession(rig.url, session.token);
    const post = (path: string, body: object) => browser.post(`/api/auth/second-factor/${path}`, body);
    expect((await post('begin', { password: 'wrong' })).status).toBe(403);
    const begun = await post('begin', { password: rightPassword });
    expect([begun.status, await begun.json()]).toEqual([201, { secret: 'GEZDGNBV', uri: 'otpauth://totp/x' }]);
    expect((await post('confirm', { code: '000000' })).status).toBe(403);
    expect(await (await post('confirm', { code: rightCode })).json()).toEqual({
      recoveryCodes: ['AAAA-BBBB-CCCC-DDDD'],
    });
    const proof = { password: rightPassword, code: rightCode };
    expect((await post('recovery-codes', proof)).status).toBe(200);
    expect((await post('remove', { ...proof, code: '000000' })).status).toBe(403);
    expect((await post('remove', proof)).status).toBe(204);
    const [confirmed] = rig.people.askedOf(secondFactorOperations.confirm);
    expect(confirmed).toMatchObject({ personId: session.person.id, sessionId: session.sessionId });
  });
});

describe('who has to set up a second factor', () => {
  it('can do that, see who they are and leave, and nothing else', async () => {
    rig.people.needsSecondFactor = true;
    const browser = await Browser.withSession(rig.url, rig.people.open('administrator').token);
    rig.people.needsSecondFactor = false;
    expect(await (await browser.get('/api/auth/me')).json()).toMatchObject({ needsSecondFactor: true, waiting: null });
    for (const path of ['/api/keys', '/api/auth/sessions', '/api/admin/accounts', '/api/admin/models']) {
      const response = await browser.get(path);
      expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('second factor')]);
    }
    const proof = { password: rightPassword };
    expect((await browser.post('/api/auth/second-factor/remove', proof)).status).toBe(403);
    for (const path of ['/api/auth/second-factor', '/api/auth/passkeys'])
      expect((await browser.get(path)).status).toBe(200);
    expect((await browser.post('/api/auth/second-factor/begin', proof)).status).toBe(201);
    expect((await browser.post('/api/auth/passkeys/begin', proof)).status).toBe(200);
    expect((await browser.post('/api/auth/sign-out')).status).toBe(204);
  });
});
