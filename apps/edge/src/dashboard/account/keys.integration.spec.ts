import { accountsOperations } from '@tollgate/contracts/accounts';
import { Browser } from '../../testing/browser';
import { EdgeRig } from '../../testing/edge-rig';

let rig: EdgeRig;
let user: Browser;
beforeAll(async () => {
  rig = await EdgeRig.start();
  rig.accounts.create({ id: 'own-key', accountId: 'account-1' });
  rig.accounts.create({ id: 'foreign-key', accountId: 'account-2' });
  user = await Browser.withSession(rig.url, rig.people.open('user').token);
});
afterAll(() => rig.stop());

describe('the keys of who is signed in', () => {
  it('are listed with what they used, and when that begins anew', async () => {
    rig.metering.used.set('key-1', 42);
    const response = await user.get('/api/keys?limit=10');
    expect(await response.json()).toEqual({
      data: [expect.objectContaining({ id: 'key-1', display: 'tg_sk_…abcd', usedTokens: 42, lastUsedAt: 7_000 })],
      next: null,
      resetsAt: expect.any(Number),
    });
    expect(rig.people.askedOf(accountsOperations.listKeys)).toEqual([{ accountId: 'account-1', limit: 10 }]);
  });

  it('are listed without that while metering is away', async () => {
    rig.metering.isAway = true;
    const response = await user.get('/api/keys');
    rig.metering.isAway = false;
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      data: [expect.not.objectContaining({ usedTokens: 0 })],
      next: null,
      useUnknown: true,
    });
  });

  it('are made for their own account, whatever is asked for', async () => {
    const made = await user.post('/api/keys', { name: 'new', models: ['openai/*'], expiresAt: null });
    expect([made.status, await made.json()]).toMatchObject([201, { apiKey: 'tg_sk_told_once', key: { name: 'new' } }]);
    expect(rig.people.askedOf(accountsOperations.createKey)).toEqual([
      {
        ...{ name: 'new', models: ['openai/*'], expiresAt: null, accountId: 'account-1' },
        // It ends with its maker.
        personId: 'person-user',
        actor: 'user@example.com',
      },
    ]);
    for (const more of [{ accountId: 'account-2' }, { plan: 'enterprise' }, { rpm: null }])
      expect((await user.post('/api/keys', { name: 'new', ...more })).status).toBe(400);
  });

  it('are made once under an Idempotency-Key, whose answer is told again to the same person', async () => {
    const asked = () => rig.people.askedOf(accountsOperations.createKey).length;
    const once = { 'idempotency-key': 'dialog-1' };
    const make = (body: object, browser = user) => browser.ask('POST', '/api/keys', body, once);
    const before = asked();
    const [first, again] = [await make({ name: 'once' }), await make({ name: 'once' })];
    expect([first.status, again.status, await again.json()]).toEqual([201, 201, await first.json()]);
    expect([first, again].map((one) => one.headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    expect(asked()).toBe(before + 1);
    const other = await make({ name: 'another' });
    expect([other.status, await other.json()]).toMatchObject([
      ...[409, { error: { details: { reason: 'idempotency_key_reused' } } }],
    ]);
    const somebody = await Browser.withSession(rig.url, rig.people.open('administrator').token);
    const others = await make({ name: 'once' }, somebody);
    expect([others.status, others.headers.get('idempotent-replayed'), asked()]).toEqual([201, null, before + 2]);
    expect((await user.ask('POST', '/api/keys', { name: 'x' }, { 'idempotency-key': 'a b' })).status).toBe(400);
  });

  it('are rotated once under an Idempotency-Key', async () => {
    const asked = () => rig.people.askedOf(accountsOperations.rotateKey).length;
    const rotate = () =>
      user.ask('POST', '/api/keys/own-key/rotate', { overlapS: 60 }, { 'idempotency-key': 'dialog-2' });
    const before = asked();
    const [first, again] = [await rotate(), await rotate()];
    expect([first.status, again.status, asked()]).toEqual([200, 200, before + 1]);
    expect(await again.json()).toEqual(await first.json());
  });

  it('are renamed and switched to be logged, and nothing else of them is changed', async () => {
    const change = (id: string, body: object) => user.ask('PATCH', `/api/keys/${id}`, body);
    expect((await change('own-key', { logContent: true })).status).toBe(200);
    expect(rig.people.askedOf(accountsOperations.updateKey)).toEqual([
      { keyId: 'own-key', accountId: 'account-1', logContent: true, actor: 'user@example.com' },
    ]);
    expect((await change('own-key', { name: ' Deploys ' })).status).toBe(200);
    expect(rig.people.askedOf(accountsOperations.updateKey).at(-1)).toEqual({
      ...{ keyId: 'own-key', accountId: 'account-1', name: 'Deploys', actor: 'user@example.com' },
    });
    for (const body of [
      {},
      { name: ' ' },
      { name: 'x'.repeat(101) },
      { rpm: null },
      { logContent: true, plan: 'enterprise' },
      { logContent: 'yes' },
    ])
      expect((await change('own-key', body)).status).toBe(400);
    expect((await change('foreign-key', { logContent: true })).status).toBe(404);
  });

  it.each([
    ['rotate', { overlapS: 60 }],
    ['revoke', {}],
  ])('%s; the keys of others are not found', async (act, body) => {
    expect((await user.post(`/api/keys/own-key/${act}`, body)).status).toBe(200);
    const foreign = await user.post(`/api/keys/foreign-key/${act}`, body);
    expect([foreign.status, await foreign.json()]).toMatchObject([404, { error: { type: 'not_found_error' } }]);
  });
});
