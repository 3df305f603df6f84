import { passkeyOperations } from '@tollgate/contracts/accounts';
import { Browser } from '../../testing/browser';
import { EdgeRig } from '../../testing/edge-rig';
import { rightPassword, rightSignature } from '../../testing/fake-people';

let rig: EdgeRig;
beforeAll(async () => {
  rig = await EdgeRig.start();
});
afterAll(() => rig.stop());

const answerOf = (signature: string) => ({
  ...{ id: 'aWQ', rawId: 'aWQ', type: 'public-key', authenticatorAttachment: 'platform', clientExtensionResults: {} },
  response: { clientDataJSON: 'e30', authenticatorData: 'ZGF0YQ', signature, userHandle: 'aGFuZGxl' },
});
const made = {
  ...{ id: 'aWQ', rawId: 'aWQ', type: 'public-key', clientExtensionResults: { credProps: { rk: true } } },
  response: { clientDataJSON: 'e30', attestationObject: 'ZGF0YQ', transports: ['internal', 'of-tomorrow'] },
};

async function visitor(): Promise<Browser> {
  const browser = new Browser(rig.url);
  await browser.visit();
  return browser;
}

/** Asks, so that this browser has a challenge. */
const begin = (browser: Browser) => browser.post('/api/auth/passkey/begin');
const answer = (browser: Browser, signature: string) =>
  browser.post('/api/auth/passkey', { answer: answerOf(signature) });

describe('signing in with a passkey', () => {
  it('opens a session for the right answer, in the browser that was asked, once', async () => {
    const browser = await visitor();
    const begun = await begin(browser);
    expect([begun.status, await begun.json()]).toEqual([200, { options: { challenge: 'Y2hhbGxlbmdl' } }]);
    const [cookie = ''] = begun.headers.getSetCookie();
    expect(cookie).toMatch(/^tollgate_passkey=[\w-]+; Max-Age=300; Path=\/; HttpOnly; SameSite=Lax$/);
    expect((await answer(await visitor(), rightSignature)).status).toBe(400);
    const opened = await answer(browser, rightSignature);
    expect(await opened.json()).toMatchObject({ user: { email: 'user@example.com' } });
    expect(browser.cookies.has('tollgate_passkey')).toBe(false);
    expect((await browser.get('/api/keys')).status).toBe(200);
  });

  it('refuses a wrong answer, and asks anew before another one', async () => {
    const browser = await visitor();
    await begin(browser);
    expect((await answer(browser, 'd3Jvbmc')).status).toBe(401);
    expect((await answer(browser, rightSignature)).status).toBe(400);
  });

  it('takes the place of what the same browser was asked before', async () => {
    const browser = await visitor();
    await begin(browser);
    const token = browser.cookies.get('tollgate_passkey');
    await begin(browser);
    const asked = rig.people.askedOf(passkeyOperations.ask).slice(-2);
    expect(asked).toEqual([
      expect.not.objectContaining({ replaces: expect.anything() }),
      expect.objectContaining({ replaces: token }),
    ]);
    expect((await answer(browser, rightSignature)).status).toBe(200);
  });

  it('tells who asks too often to wait', async () => {
    rig.people.throttledS = 8;
    const response = await begin(await visitor());
    rig.people.throttledS = 0;
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '8']);
  });

  it('after a password asks for those of its person, and ends that sign-in', async () => {
    rig.people.wantsSecondFactor = true;
    const browser = await visitor();
    await browser.post('/api/auth/sign-in', { email: 'user@example.com', password: rightPassword });
    rig.people.wantsSecondFactor = false;
    await begin(browser);
    const [asked] = rig.people.askedOf(passkeyOperations.ask).slice(-1);
    expect(asked).toMatchObject({ personId: null, attempt: 'sign-in-that-wants-a-code' });
    expect((await answer(browser, rightSignature)).status).toBe(200);
    expect(browser.cookies.has('tollgate_second_factor')).toBe(false);
  });

  it.each([
    ['no answer', {}],
    ['an answer that is no base64url', { answer: { ...answerOf('+/=') } }],
    ['an answer that is too long', { answer: { ...answerOf('x'.repeat(9_000)) } }],
  ])('refuses %s as a bad request', async (_what, body) => {
    const browser = await visitor();
    await begin(browser);
    expect((await browser.post('/api/auth/passkey', body)).status).toBe(400);
  });
});

describe('passkeys of who is signed in', () => {
  it('are added with a proof, listed and removed with another', async () => {
    const session = rig.people.open('user');
    const browser = await Browser.withSession(rig.url, session.token);
    const post = (path: string, body: object) => browser.post(`/api/auth/passkeys${path}`, body);
    expect((await post('/begin', { password: 'wrong' })).status).toBe(403);
    expect((await post('', { name: 'Laptop', made })).status).toBe(400);
    expect((await post('/begin', { password: rightPassword })).status).toBe(200);
    const added = await post('', { name: ' Laptop ', made });
    expect([added.status, await added.json()]).toMatchObject([
      201,
      { passkey: { name: 'Laptop' }, recoveryCodes: null },
    ]);
    const [asked] = rig.people.askedOf(passkeyOperations.add);
    expect(asked).toMatchObject({
      ...{ personId: session.person.id, sessionId: session.sessionId },
      // What browsers of tomorrow say of how to reach it is no reason to refuse it.
      made: { response: { transports: [] } },
    });
    expect(await (await browser.get('/api/auth/passkeys')).json()).toMatchObject({ data: [{ id: 'passkey-1' }] });

    const renamed = await browser.ask('PATCH', '/api/auth/passkeys/passkey-1', { name: ' Phone ' });
    expect([renamed.status, await renamed.json()]).toMatchObject([200, { passkey: { name: 'Phone' } }]);
    expect((await browser.ask('PATCH', '/api/auth/passkeys/passkey-1', { name: ' ' })).status).toBe(400);

    expect((await post('/prove', {})).status).toBe(200);
    const proof = { password: rightPassword, passkey: answerOf(rightSignature) };
    expect((await post('/passkey-1/remove', { ...proof, passkey: answerOf('d3Jvbmc') })).status).toBe(403);
    await post('/prove', {});
    expect((await post('/passkey-1/remove', proof)).status).toBe(204);
  });

  it('stand in for a code where the authenticator or recovery codes are touched', async () => {
    const browser = await Browser.withSession(rig.url, rig.people.open('user').token);
    await browser.post('/api/auth/passkeys/prove');
    const proof = { password: rightPassword, passkey: answerOf(rightSignature) };
    expect((await browser.post('/api/auth/second-factor/begin', proof)).status).toBe(201);
    expect((await browser.post('/api/auth/second-factor/begin', proof)).status).toBe(400);
  });
});
