import {
  accountsOperations,
  memberOperations,
  secondFactorOperations,
  type AccountRole,
} from '@tollgate/contracts/accounts';
import { Browser } from '../../testing/browser';
import { EdgeRig } from '../../testing/edge-rig';
import { rightPassword } from '../../testing/fake-people';

let rig: EdgeRig;
beforeAll(async () => {
  rig = await EdgeRig.start();
  rig.accounts.create({ id: 'key-1', accountId: 'account-1' });
});
afterAll(() => rig.stop());

const browserOf = (role: AccountRole) => Browser.withSession(rig.url, rig.people.open('user', 'account-1', role).token);
const acting = { account: 'account-1', by: 'person-user', actor: 'user@example.com' };

it('shows the people of the own account, whatever the address says', async () => {
  const browser = await browserOf('viewer');
  const response = await browser.get('/api/people');
  expect(await response.json()).toMatchObject({
    people: [{ email: 'user@example.com', accountRole: 'owner', keys: 1 }],
    invitations: [{ email: 'new@example.com', role: 'viewer' }],
  });
  expect(rig.people.askedOf(memberOperations.list).at(-1)).toEqual({ account: 'account-1' });
  expect((await browser.get('/api/people?account=account-2')).status).toBe(400);
});

it.each([
  ['owner', true],
  ['viewer', undefined],
] as const)('tells %s whether somebody has a second factor: %s', async (role, told) => {
  const { people } = (await (await (await browserOf(role)).get('/api/people')).json()) as { people: object[] };
  expect(people.map((one) => ('hasSecondFactor' in one ? one.hasSecondFactor : undefined))).toEqual([told]);
});

it('changes people of the own account only, in the name of who asks', async () => {
  const browser = await browserOf('administrator');
  const wanted = { email: 'new@example.com', role: 'viewer', way: 'link' };
  const invited = await browser.post('/api/people/invitations', wanted);
  expect([invited.status, await invited.json()]).toMatchObject([
    201,
    { link: expect.stringContaining('/join?token=') },
  ]);
  expect(rig.people.askedOf(memberOperations.invite).at(-1)).toEqual({ ...wanted, ...acting });
  expect((await browser.post('/api/people/invitations', { ...wanted, account: 'account-2' })).status).toBe(400);

  await browser.post('/api/people/invitations/invitation-1/withdraw');
  expect(rig.people.askedOf(memberOperations.withdraw)).toEqual([{ invitationId: 'invitation-1', ...acting }]);
  await browser.ask('PATCH', '/api/people/person-2', { role: 'billing' });
  expect(rig.people.askedOf(memberOperations.setRole)).toEqual([{ personId: 'person-2', role: 'billing', ...acting }]);
  const removed = await browser.post('/api/people/person-2/remove');
  expect(await removed.json()).toMatchObject({ person: { email: 'user@example.com' }, revokedKeys: 1 });
  expect(rig.people.askedOf(memberOperations.remove)).toEqual([{ personId: 'person-2', ...acting }]);
  const reset = await browser.post('/api/people/person-2/reset-second-factor');
  expect([reset.status, await reset.json()]).toMatchObject([200, { person: { email: 'user@example.com' } }]);
  expect(rig.people.askedOf(secondFactorOperations.reset)).toEqual([{ personId: 'person-2', ...acting }]);
});

it('lets a visitor see and take an invitation, and signs them in', async () => {
  const browser = new Browser(rig.url);
  await browser.visit();
  const token = 'of-the-link';
  expect(await (await browser.post('/api/auth/invitation', { token })).json()).toEqual({
    ...{ accountName: 'Ada', email: 'new@example.com', role: 'viewer', invitedBy: 'ada' },
  });
  const joined = await browser.post('/api/auth/join', { token, name: 'New', password: rightPassword });
  expect(await joined.json()).toMatchObject({ user: { role: 'user' } });
  expect((await browser.get('/api/keys')).status).toBe(200);
});

it('tells a page what its role may do', async () => {
  const told = await (await (await browserOf('billing')).get('/api/auth/me')).json();
  expect(told).toMatchObject({ user: { accountRole: 'billing', may: ['keys:read', 'usage'] } });
});

describe('keys', () => {
  const whoseOf = (operation: { subject: string }) => {
    const { personId } = rig.people.askedOf(operation).at(-1) as { personId?: string };
    return personId;
  };

  it.each([
    ['owner', undefined],
    ['administrator', undefined],
    ['developer', 'person-user'],
  ] as const)('of %s that are changed are those of: %s', async (role, personId) => {
    const browser = await browserOf(role);
    await browser.post('/api/keys/key-1/rotate', { overlapS: 0 });
    await browser.post('/api/keys/key-1/revoke');
    await browser.ask('PATCH', '/api/keys/key-1', { logContent: true });
    await browser.post('/api/playground/chat/completions?keyId=key-1', {});
    const { rotateKey, revokeKey, updateKey, keyDigest } = accountsOperations;
    expect([rotateKey, revokeKey, updateKey, keyDigest].map(whoseOf)).toEqual(Array(4).fill(personId));
  });

  it('are their maker’s, or a machine’s where who makes them may change all', async () => {
    const make = async (role: AccountRole, body: object) =>
      (await (await browserOf(role)).post('/api/keys', { name: 'x', ...body })).status;
    expect(await make('developer', {})).toBe(201);
    expect(whoseOf(accountsOperations.createKey)).toBe('person-user');
    expect(await make('developer', { forMachine: true })).toBe(403);
    expect(await make('administrator', { forMachine: true })).toBe(201);
    expect(whoseOf(accountsOperations.createKey)).toBeUndefined();
    expect(await make('administrator', { personId: 'person-2' })).toBe(400);
  });
});

it('lets who pays download sums, and no single requests', async () => {
  const browser = await browserOf('billing');
  const window = 'format=json&startAt=1700000000000&endAt=1700003600000';
  const requests = await browser.get(`/api/reports/export?what=requests&${window}`);
  expect(requests.status).toBe(403);
  const series = await browser.get(`/api/reports/export?what=series&${window}`);
  expect(series.status).not.toBe(403);
});
