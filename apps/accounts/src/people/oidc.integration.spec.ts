import type { OpenedSession } from '@tollgate/contracts/accounts';
import { FakeOidcProvider } from '@tollgate/testing';
import { AccountsSettings } from '../settings';
import { AccountsRig, peopleSettings } from '../testing/accounts-rig';

let provider: FakeOidcProvider;
let rig: AccountsRig;
beforeAll(async () => {
  provider = await FakeOidcProvider.start();
  const { issuer, clientId } = provider;
  const client = { issuer, clientId, clientSecret: 'a secret of the client' };
  const oidc = { name: 'Example ID', ...client, scopes: 'openid email profile', groups: null };
  rig = await AccountsRig.start({ people: peopleSettings({ oidc }) });
});
afterAll(async () => {
  await rig.stop();
  provider.stop();
});

const client = { address: '198.51.100.1', userAgent: 'a browser' };

async function signIn(claims: Record<string, unknown>): Promise<OpenedSession> {
  provider.claims = claims;
  const { url, token } = await rig.ask('oidcBegin', {});
  return rig.ask('oidcFinish', { token, query: provider.agree(url), ...client });
}

describe('signing in with a provider', () => {
  it('is offered by name, and leads to the provider and back to us', async () => {
    expect((await rig.ask('session', { token: null })).features.oidc).toEqual({ name: 'Example ID' });
    const { url } = await rig.ask('oidcBegin', {});
    const { origin, searchParams } = new URL(url);
    expect(origin).toBe(provider.issuer);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: 'tollgate',
      redirect_uri: 'https://tollgate.example/api/auth/oidc/callback',
      code_challenge_method: 'S256',
      state: expect.stringMatching(/.{20}/),
      nonce: expect.stringMatching(/.{20}/),
    });
  });

  it('asks for access the first time, and knows the person after that, also under another address', async () => {
    const claims = { sub: 'u1', email: 'Olga@example.com', email_verified: true, name: 'Olga' };
    const first = await signIn(claims);
    expect(first).toMatchObject({
      person: { name: 'Olga', email: 'olga@example.com', emailVerified: true, role: 'user' },
      account: { status: 'pending' },
    });
    const again = await signIn({ ...claims, email: 'new-address@example.com' });
    expect(again.person).toEqual(first.person);
    expect((await rig.ask('session', { token: again.token })).signedIn?.person).toEqual(first.person);
  });

  it('joins an account that was asked for with the verified address', async () => {
    const { account } = await rig.ask('requestAccess', { name: 'Asked', email: 'asked@example.com' });
    const session = await signIn({ sub: 'u2', email: 'asked@example.com', email_verified: true });
    expect(session.account.id).toBe(account.id);
  });

  it.each([true, 'true', 1, '1'])('knows an address for which Entra vouches, in its own way: %j', async (xms_edov) => {
    const sub = `entra-${typeof xms_edov}-${String(xms_edov)}`;
    const { person } = await signIn({ sub, email: `${sub}@example.com`, xms_edov });
    expect(person).toMatchObject({ email: `${sub}@example.com`, emailVerified: true });
  });

  it('pulls nobody into an account that invited their address: an invitation is taken by its link', async () => {
    const account = await rig.activeAccount('team@example.com');
    const asked = { account: account.id, email: 'invited@example.com', actor: 'spec' };
    await rig.ask('invite', { ...asked, role: 'viewer' });
    const session = await signIn({ sub: 'u7', email: 'invited@example.com', email_verified: true });
    expect(session).toMatchObject({ person: { accountRole: 'owner' }, account: { status: 'pending' } });
    expect(session.account.id).not.toBe(account.id);
  });

  it('brings nobody back who was removed from the account that is called by their address', async () => {
    const claims = { sub: 'u8', email: 'founder@example.com', email_verified: true };
    const { person, account } = await signIn(claims);
    await rig.ask('setAccountStatus', { account: account.id, status: 'active' });
    const asked = { account: account.id, email: 'second@example.com', role: 'owner' as const, actor: 'spec' };
    const { link } = await rig.ask('invite', { ...asked, way: 'link' });
    const token = /token=(.+)/.exec(link ?? '')?.[1] ?? '';
    await rig.ask('join', { token, name: 'Second', password: 'correct horse battery', ...client });
    await rig.ask('removeMember', { account: account.id, personId: person.id, actor: 'spec' });
    await expect(signIn(claims)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('does not join a person who never verified the address: somebody else may have typed it', async () => {
    const password = 'correct horse battery';
    await rig.ask('signUp', { name: 'Mallory', email: 'victim@example.com', password, ...client });
    const claims = { sub: 'u3', email: 'victim@example.com', email_verified: true };
    await expect(signIn(claims)).rejects.toMatchObject({ code: 'conflict' });
    await rig.database.person.update({
      where: { email: 'victim@example.com' },
      data: { emailVerifiedAt: new Date() },
    });
    expect((await signIn(claims)).person.email).toBe('victim@example.com');
  });

  it.each([
    ['does not verify the address', { sub: 'u4', email: 'x@example.com' }],
    [
      'vouches for what is none, as the account of the operator has',
      { sub: 'u9', email: 'operator', email_verified: true },
    ],
    [
      'vouches for what is none, as tokens of the admin API are called',
      { sub: 'u10', email: 'token:it@example.com', email_verified: true },
    ],
    ['says that nobody verified it', { sub: 'u4', email: 'x@example.com', email_verified: false, xms_edov: true }],
    ['does not know the owner of its domain', { sub: 'u4', email: 'x@example.com', xms_edov: false }],
    ['tells no address', { sub: 'u5' }],
    ['signs for another client', { sub: 'u6', email: 'x@example.com', email_verified: true, aud: 'another' }],
    ['signs with an old nonce', { sub: 'u7', email: 'x@example.com', email_verified: true, nonce: 'old' }],
    ['signed too long ago', { sub: 'u8', email: 'x@example.com', email_verified: true, exp: 1 }],
  ])('is refused when the provider %s', async (_what, claims) => {
    await expect(signIn(claims)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is begun 300 times by a network that ends none, and by others all the while', async () => {
    const [busy, neighbour] = ['2001:db8:5:5::1', '2001:db8:5:6::1'];
    const { token, url } = await rig.ask('oidcBegin', { address: busy });
    const begun = { state: '', nonce: '', codeVerifier: '', network: '2001:db8:5:5::/64' };
    const expiresAt = new Date(Date.now() + 60_000);
    const data = Array.from({ length: 299 }, (_, n) => ({ ...begun, digest: `of the spec ${n}`, expiresAt }));
    await rig.database.oidcAttempt.createMany({ data });
    await expect(rig.ask('oidcBegin', { address: busy })).rejects.toMatchObject({ code: 'conflict' });
    await rig.ask('oidcBegin', { address: neighbour });
    provider.claims = { sub: 'u11', email: 'ends@example.com', email_verified: true };
    await rig.ask('oidcFinish', { token, query: provider.agree(url), ...client });
    await rig.ask('oidcBegin', { address: busy });
  });

  it('is refused with an answer to another question, and works once', async () => {
    provider.claims = { sub: 'u1' };
    const [mine, theirs] = [await rig.ask('oidcBegin', {}), await rig.ask('oidcBegin', {})];
    const crossed = rig.ask('oidcFinish', { token: mine.token, query: provider.agree(theirs.url), ...client });
    await expect(crossed).rejects.toMatchObject({ code: 'forbidden' });
    const again = rig.ask('oidcFinish', { token: mine.token, query: provider.agree(mine.url), ...client });
    await expect(again).rejects.toMatchObject({ code: 'invalid' });
  });
});

describe('groups of the provider', () => {
  const claims = (sub: string, groups: unknown) => ({
    ...{ sub, email: `${sub}@groups.example`, email_verified: true, groups },
  });
  let accountId: string;
  beforeAll(async () => {
    accountId = (await rig.activeAccount('all@groups.example')).id;
    const { people } = rig.newest(AccountsSettings);
    const roles = [
      ['AI ops', 'administrator'],
      ['AI users', 'developer'],
    ] as const;
    if (people.oidc) people.oidc.groups = { account: 'all@groups.example', claim: 'groups', roles };
  });
  afterAll(() => {
    const { people } = rig.newest(AccountsSettings);
    if (people.oidc) people.oidc.groups = null;
  });

  it('lead into their account, in their role, as they are at each sign-in', async () => {
    const first = await signIn(claims('ida', ['AI users', 'others']));
    expect(first).toMatchObject({ person: { accountRole: 'developer' }, account: { id: accountId, status: 'active' } });
    expect((await signIn(claims('ida', ['AI users', 'AI ops']))).person.accountRole).toBe('administrator');
    // One alone may be told as a text.
    expect((await signIn(claims('ida', 'AI users'))).person).toMatchObject({
      id: first.person.id,
      accountRole: 'developer',
    });
    const { lines } = await rig.ask('listAudit', { accountId, limit: 1 });
    expect(lines).toMatchObject([
      {
        actor: 'openid groups',
        detail: { email: 'ida@groups.example', role: 'developer', roleBefore: 'administrator' },
      },
    ]);
  });

  it('say what is wrong, without an address, where their account is not there', async () => {
    const { people } = rig.newest(AccountsSettings);
    const groups = people.oidc?.groups;
    if (!people.oidc || !groups) throw new Error('no groups are set');
    people.oidc.groups = { ...groups, account: 'nobody@groups.example' };
    const told = await signIn(claims('ilse', ['AI users'])).catch((error: unknown) => error);
    people.oidc.groups = groups;
    expect(told).toMatchObject({ code: 'not_found', message: expect.stringContaining('tell the operator') });
    expect(told).toMatchObject({ message: expect.not.stringContaining('@') });
  });

  it('lead nobody into an account that is suspended, whose people come in as they may', async () => {
    const { person } = await signIn(claims('ian', ['AI users']));
    await rig.ask('setAccountStatus', { account: accountId, status: 'suspended' });
    const told = await signIn(claims('imke', ['AI users'])).catch((error: unknown) => error);
    expect(told).toMatchObject({ code: 'forbidden', message: expect.stringContaining('suspended: tell the operator') });
    expect(await signIn(claims('ian', ['AI users']))).toMatchObject({
      person: { id: person.id, accountRole: 'billing' },
    });
    await rig.ask('setAccountStatus', { account: accountId, status: 'active' });
    expect((await signIn(claims('imke', ['AI users']))).account.id).toBe(accountId);
  });

  it('let nobody in any more who is of none of them, but owners', async () => {
    const { person } = await signIn(claims('ivo', ['AI users']));
    await expect(signIn(claims('ivo', []))).rejects.toMatchObject({ code: 'forbidden' });
    await rig.ask('setAccountRole', { account: accountId, personId: person.id, role: 'owner', actor: 'spec' });
    expect((await signIn(claims('ivo', undefined))).person.accountRole).toBe('owner');
    expect((await signIn(claims('ivo', ['AI users']))).person.accountRole).toBe('owner');
  });

  it('let nobody in whom the directory of the account took away', async () => {
    const said = { userName: 'ina', externalId: null, email: 'ina@groups.example', name: 'Ina' };
    const made = { ...said, role: 'viewer' as const, active: false, accountId, actor: 'spec' };
    await rig.ask('createDirectoryUser', made);
    await expect(signIn(claims('ina', ['AI ops']))).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('lead nobody else anywhere: who is of none asks for access, and who is elsewhere stays there', async () => {
    expect(await signIn(claims('una', ['others']))).toMatchObject({ account: { status: 'pending' } });
    const again = await signIn(claims('una', ['AI ops']));
    expect(again).toMatchObject({ person: { accountRole: 'owner' }, account: { status: 'pending' } });
  });
});
