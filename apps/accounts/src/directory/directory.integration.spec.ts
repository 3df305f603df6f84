import type { AccountRole } from '@tollgate/contracts/accounts';
import { AccountsRig, bootstrapSecret, eventually } from '../testing/accounts-rig';

let rig: AccountsRig;
let accountId: string;
beforeAll(async () => {
  rig = await AccountsRig.start();
  accountId = (await rig.activeAccount('team@example.com')).id;
});
afterAll(() => rig.stop());

const password = 'correct horse battery';
const client = { address: '198.51.100.1', userAgent: 'a browser' };
const actor = 'token:okta';
const said = (name: string) => ({
  ...{
    userName: `${name}@example.com`,
    externalId: null,
    email: `${name}@example.com`,
    name,
    role: 'developer' as const,
  },
  ...{ active: true, accountId, actor },
});

async function create(name: string, changes: object = {}) {
  return (await rig.ask('createDirectoryUser', { ...said(name), ...changes })).user;
}
const change = async (id: string, changes: object) =>
  (await rig.ask('changeDirectoryUser', { id, accountId, actor, ...changes })).user;
const personOf = (email: string) => rig.database.person.findUnique({ where: { email }, include: { keys: true } });

/** The token of a link that `by` made. */
async function invite(email: string, role: AccountRole, by = 'spec'): Promise<string> {
  const { link } = await rig.ask('invite', { account: accountId, email, role, way: 'link', actor: by });
  return /token=(.+)/.exec(link ?? '')?.[1] ?? '';
}

/** Joins by a link, as somebody whom the directory does not know yet. */
async function invited(email: string, role: AccountRole) {
  const token = await invite(email, role);
  const reply = await rig.ask('join', { token, name: 'Invited', password, ...client });
  if (reply.outcome !== 'opened') throw new Error(reply.outcome);
  return reply.session;
}

it('makes a person of the account, whose address counts as verified, and finds the user by name and id', async () => {
  const user = await create('Joins', { externalId: '00u1', email: 'Joins@example.com' });
  expect(user).toMatchObject({ userName: 'Joins@example.com', email: 'joins@example.com', active: true });
  expect(await personOf('joins@example.com')).toMatchObject({
    ...{ accountId, name: 'Joins', role: 'user', accountRole: 'developer', passwordHash: null },
    emailVerifiedAt: expect.any(Date),
  });
  const list = (wish: object) => rig.ask('listDirectory', { accountId, ...wish });
  expect(await list({ userName: 'JOINS@example.com' })).toEqual({ users: [user], total: 1 });
  expect(await list({ externalId: '00u1' })).toEqual({ users: [user], total: 1 });
  expect(await list({ limit: 0 })).toEqual({ users: [], total: 1 });
  expect(await rig.ask('getDirectoryUser', { accountId, id: user.id })).toEqual({ user });
});

it('brings nobody into an account that is suspended, and lets them go from it', async () => {
  const [there, known] = [await create('there'), await create('known', { active: false })];
  await rig.ask('setAccountStatus', { account: accountId, status: 'suspended' });
  const refused = { code: 'forbidden', message: 'The account of team@example.com is suspended.' };
  await expect(create('late')).rejects.toMatchObject(refused);
  await expect(change(known.id, { active: true })).rejects.toMatchObject(refused);
  expect(await change(there.id, { name: 'Renamed' })).toMatchObject({ active: true });
  expect(await change(there.id, { active: false })).toMatchObject({ active: false });
  await rig.ask('setAccountStatus', { account: accountId, status: 'active' });
  expect(await change(known.id, { active: true })).toMatchObject({ active: true });
});

it('lets a leaver go: sessions end, and their keys stop on every edge within a second', async () => {
  const user = await create('leaves');
  const person = await personOf('leaves@example.com');
  const personId = person?.id ?? '';
  const { apiKey } = await rig.ask('createKey', { accountId, personId, name: 'theirs', actor: 'spec' });
  await rig.ask('forgot', { email: 'leaves@example.com', ...client });
  const [mail] = (await rig.ask('listMails', {})).mails;
  const token = /token=([\w-]+)/.exec(mail?.body ?? '')?.[1] ?? '';
  const session = await rig.ask('reset', { token, password, ...client });
  const before = rig.changes.length;
  expect(await change(user.id, { active: false })).toMatchObject({ active: false, userName: 'leaves@example.com' });
  await eventually(() => rig.changes.length > before, 1_000);
  expect(rig.changes.slice(before)).toMatchObject([{ key: { keyStatus: 'revoked' } }]);
  expect(await rig.resolve(apiKey)).toMatchObject({ keyStatus: 'revoked' });
  expect((await rig.ask('session', { token: session.token })).signedIn).toBeNull();
  expect((await rig.ask('signIn', { email: 'leaves@example.com', password, ...client })).outcome).toBe('refused');
  const { lines } = await rig.ask('listAudit', { accountId, limit: 1 });
  expect(lines).toMatchObject([
    { actor, action: 'directory-user-changed', detail: { active: false, activeBefore: true, revokedKeys: 1 } },
  ]);
  // Again changes nothing; coming back brings no key back.
  await change(user.id, { active: false });
  expect(await change(user.id, { active: true })).toMatchObject({ active: true });
  expect((await personOf('leaves@example.com'))?.keys).toEqual([]);
  expect(await rig.resolve(apiKey)).toMatchObject({ keyStatus: 'revoked' });
});

it('takes over who is in the account already, and leaves owners what they are', async () => {
  const [viewer, owner] = [await invited('was@example.com', 'viewer'), await invited('owns@example.com', 'owner')];
  await create('was');
  expect(await personOf('was@example.com')).toMatchObject({ id: viewer.person.id, accountRole: 'developer' });
  await create('owns');
  expect(await personOf('owns@example.com')).toMatchObject({ id: owner.person.id, accountRole: 'owner' });
});

it('leaves a stranger nothing who took an address before it was proven', async () => {
  const stranger = await invited('ceo@example.com', 'viewer');
  await create('ceo');
  expect(await personOf('ceo@example.com')).toMatchObject({
    ...{ id: stranger.person.id, passwordHash: null, emailVerifiedAt: expect.any(Date) },
  });
  expect((await rig.ask('session', { token: stranger.token })).signedIn).toBeNull();
  const typed = { email: 'ceo@example.com', password, ...client };
  expect((await rig.ask('signIn', typed)).outcome).toBe('refused');
});

it('leaves a stranger no way back, either, by an invitation that they made before it was proven', async () => {
  await invited('cfo@example.com', 'administrator');
  const token = await invite('stranger@example.com', 'viewer', 'cfo@example.com');
  expect(await rig.ask('invited', { token })).toMatchObject({ email: 'stranger@example.com' });
  await create('cfo', { role: 'administrator' });
  await expect(rig.ask('invited', { token })).rejects.toMatchObject({ code: 'invalid' });
});

it('keeps invitations of somebody whose address it moves', async () => {
  const user = await create('wed', { role: 'administrator' });
  const token = await invite('colleague@example.com', 'viewer', 'wed@example.com');
  await change(user.id, { email: 'wedded@example.com' });
  expect(await rig.ask('invited', { token })).toMatchObject({ invitedBy: 'wedded@example.com' });
});

it('takes away who came back by another way', async () => {
  const user = await create('returns');
  await change(user.id, { active: false });
  const back = await invited('returns@example.com', 'viewer');
  expect((await rig.ask('getDirectoryUser', { accountId, id: user.id })).user.active).toBe(true);
  // Also one whom nothing ties to the directory.
  await rig.database.directoryUser.update({ where: { id: user.id }, data: { personId: null } });
  await change(user.id, { active: false });
  expect(await personOf('returns@example.com')).toBeNull();
  expect((await rig.ask('session', { token: back.token })).signedIn).toBeNull();
});

it('brings nobody back as the owner of what is left', async () => {
  const { id: own } = await rig.activeAccount('alone@example.com');
  const user = await create('alone', { accountId: own });
  await change(user.id, { accountId: own, active: false });
  await rig.ask('forgot', { email: 'alone@example.com', ...client });
  expect(await personOf('alone@example.com')).toBeNull();
});

it('brings nobody back whom it has forgotten, either', async () => {
  const left = await rig.activeAccount('forgotten@example.com');
  const user = await create('forgotten', { accountId: left.id });
  await rig.ask('changeDirectoryUser', { id: user.id, accountId: left.id, actor, active: false });
  await rig.ask('removeDirectoryUser', { id: user.id, accountId: left.id, actor });
  await rig.ask('forgot', { email: 'forgotten@example.com', ...client });
  expect(await personOf('forgotten@example.com')).toBeNull();
});

it('changes names, addresses and roles, and leaves a role that it does not say', async () => {
  const user = await create('changes');
  const { id: personId = '' } = (await personOf('changes@example.com')) ?? {};
  await rig.ask('setAccountRole', { account: accountId, personId, role: 'viewer', actor: 'spec' });
  await change(user.id, { name: 'Changed', email: 'Changed@example.com', userName: 'changed' });
  expect(await personOf('changed@example.com')).toMatchObject({ id: personId, name: 'Changed', accountRole: 'viewer' });
  await change(user.id, { role: 'billing' });
  expect(await personOf('changed@example.com')).toMatchObject({ accountRole: 'billing' });
});

it('refuses names that are there, and addresses of other accounts', async () => {
  await create('once');
  const conflict = { code: 'conflict' };
  await expect(create('ONCE', { email: 'another@example.com' })).rejects.toMatchObject(conflict);
  await expect(create('twice', { email: 'once@example.com' })).rejects.toMatchObject(conflict);
  const { id: elsewhere } = await rig.activeAccount('elsewhere@example.com');
  await expect(create('elsewhere')).rejects.toMatchObject(conflict);
  const other = await create('movable');
  await expect(change(other.id, { email: 'elsewhere@example.com' })).rejects.toMatchObject(conflict);
  await expect(change(other.id, { userName: 'once@example.com' })).rejects.toMatchObject(conflict);
  // What is refused changes nothing.
  expect(await personOf('movable@example.com')).not.toBeNull();
  expect((await rig.ask('listDirectory', { accountId, userName: 'twice@example.com' })).total).toBe(0);
  // A directory of another account knows nobody of this one.
  for (const attempt of [
    rig.ask('getDirectoryUser', { accountId: elsewhere, id: other.id }),
    rig.ask('changeDirectoryUser', { accountId: elsewhere, id: other.id, active: false, actor }),
    rig.ask('removeDirectoryUser', { accountId: elsewhere, id: other.id, actor }),
  ])
    await expect(attempt).rejects.toMatchObject({ code: 'not_found' });
});

it('tells that somebody is gone whom an owner removed, and removes users for good', async () => {
  const user = await create('removed');
  const { id: personId = '' } = (await personOf('removed@example.com')) ?? {};
  await rig.ask('removeMember', { account: accountId, personId, actor: 'spec' });
  expect((await rig.ask('getDirectoryUser', { accountId, id: user.id })).user.active).toBe(false);
  const gone = await create('gone');
  await rig.ask('removeDirectoryUser', { accountId, id: gone.id, actor });
  expect(await personOf('gone@example.com')).toBeNull();
  const again = rig.ask('getDirectoryUser', { accountId, id: gone.id });
  await expect(again).rejects.toMatchObject({ code: 'not_found' });
});

it('lets the last owner of an account go, but not the last administrator of the gateway', async () => {
  const root = await rig.ask('firstAdministrator', {
    ...{ secret: bootstrapSecret, name: 'Root', email: 'root@example.com', password, ...client },
  });
  if (root.outcome !== 'opened') throw new Error(root.outcome);
  const own = { accountId: root.session.account.id };
  const user = await create('root', own);
  const leave = () => change(user.id, { ...own, active: false });
  await expect(leave()).rejects.toMatchObject({ code: 'forbidden' });
  await invited('second@example.com', 'owner');
  await rig.ask('setRole', { account: accountId, role: 'administrator', actor: 'spec' });
  const { apiKey } = await rig.ask('createKey', { accountId: own.accountId, name: 'a machine', actor: 'spec' });
  expect(await rig.resolve(apiKey)).toMatchObject({ operator: true });
  const before = rig.changes.length;
  expect(await leave()).toMatchObject({ active: false });
  // Edges hear that it is nobody's any more who runs the gateway.
  await eventually(() => rig.changes.length > before);
  expect(rig.changes.slice(before)).toMatchObject([{ key: { name: 'a machine', keyStatus: 'active' } }]);
  expect((await rig.resolve(apiKey))?.operator).toBeUndefined();
});

it('moves no address of an owner or an administrator of the gateway, whose password could be mailed there', async () => {
  const owner = await invited('owner@example.com', 'owner');
  const user = await create('owner');
  const moved = change(user.id, { email: 'mallory@evil.example' });
  await expect(moved).rejects.toMatchObject({ code: 'forbidden' });
  const { id: personId } = owner.person;
  await rig.database.person.update({ where: { id: personId }, data: { accountRole: 'viewer', role: 'administrator' } });
  await expect(change(user.id, { email: 'mallory@evil.example' })).rejects.toMatchObject({ code: 'forbidden' });
  expect(await personOf('owner@example.com')).toMatchObject({ id: personId, emailVerifiedAt: null });
  expect((await rig.ask('session', { token: owner.token })).signedIn).not.toBeNull();
  await rig.database.person.update({ where: { id: personId }, data: { role: 'user' } });
});

describe('a token of a directory', () => {
  const create = (wish: object) =>
    rig.ask('createToken', {
      name: 'okta',
      scopes: ['scim'],
      expiresAt: null,
      account: 'team@example.com',
      actor,
      ...wish,
    });

  it('is of one account, which it tells', async () => {
    const { adminToken } = await create({});
    expect(adminToken).toMatchObject({ scopes: ['scim'], accountId });
    const { adminToken: other } = await create({ scopes: ['keys:read'], account: undefined });
    expect(other.accountId).toBeNull();
  });

  it.each([
    [{ account: undefined }, 'invalid'],
    [{ scopes: ['keys:read'] }, 'invalid'],
    [{ scopes: ['scim', 'keys:read'] }, 'invalid'],
    [{ account: 'nobody@example.com' }, 'not_found'],
  ])('is not made with %j', async (wish, code) => {
    await expect(create(wish)).rejects.toMatchObject({ code });
  });
});
