import { AccountsRig, bootstrapSecret } from '../testing/accounts-rig';
import { newClient } from '../testing/new-client';

let rig: AccountsRig;
beforeAll(async () => {
  rig = await AccountsRig.start();
});
afterAll(() => rig.stop());

describe('the first start', () => {
  it('makes no account and no key', async () => {
    expect((await rig.ask('listAccounts', {})).accounts).toEqual([]);
    expect((await rig.ask('listKeys', {})).keys).toEqual([]);
  });
});

describe('a request for access', () => {
  it('waits for approval on the beta plan; its key exists but its account is pending', async () => {
    const { account } = await rig.ask('requestAccess', { name: 'Ada', email: 'Ada@Example.com', purpose: 'research' });
    expect(account).toMatchObject({ email: 'ada@example.com', status: 'pending', plan: 'beta' });
    const { apiKey } = await rig.ask('createKey', { email: 'ADA@example.com', name: 'early' });
    expect(await rig.resolve(apiKey)).toMatchObject({ accountStatus: 'pending' });
    await rig.ask('setAccountStatus', { account: 'ada@example.com', status: 'active' });
    expect(await rig.resolve(apiKey)).toMatchObject({ accountStatus: 'active', rpm: 60 });
  });

  it('is refused for an email that has an account, in any letter case', async () => {
    await rig.ask('requestAccess', { name: 'Bob', email: 'bob@example.com' });
    await expect(rig.ask('requestAccess', { name: 'Bob', email: 'BOB@EXAMPLE.COM' })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('made twenty times at once makes one account', async () => {
    const request = { name: 'Crowd', email: 'crowd@example.com' };
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => rig.ask('requestAccess', request)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' });
  });

  it("cannot claim the operator's account", async () => {
    await rig.ask('createKey', { name: 'makes the operator account' });
    for (const email of ['operator', 'operator@', ' operator '])
      await expect(rig.ask('requestAccess', { name: 'X', email })).rejects.toMatchObject({ code: 'invalid' });
  });

  it('keeps a name that looks like SQL as a name', async () => {
    const name = "'; UPDATE account SET status = 'active'; --";
    const { account } = await rig.ask('requestAccess', { name, email: 'sql@example.com', purpose: name });
    expect(account).toMatchObject({ name, status: 'pending' });
  });
});

describe('the status of an account', () => {
  it('stops and starts all its keys, and a plan changes their limits', async () => {
    const { email } = await rig.activeAccount('keys@example.com', 'beta');
    const keys = [
      await rig.ask('createKey', { email, name: '1' }),
      await rig.ask('createKey', { email, name: '2', rpm: 5 }),
    ];
    await rig.ask('setAccountStatus', { account: email, status: 'suspended' });
    for (const { apiKey } of keys) expect(await rig.resolve(apiKey)).toMatchObject({ accountStatus: 'suspended' });
    await rig.ask('setAccountStatus', { account: email, status: 'active', plan: 'pro' });
    const [first, second] = await Promise.all(keys.map(({ apiKey }) => rig.resolve(apiKey)));
    expect(first).toMatchObject({ accountStatus: 'active', plan: 'pro', rpm: 250, quotaTokens: 50_000_000 });
    expect(second).toMatchObject({ accountStatus: 'active', plan: 'pro', rpm: 5, quotaTokens: 50_000_000 });
  });

  it('forbids new keys while suspended or declined', async () => {
    const { email } = await rig.activeAccount('stopped@example.com');
    await rig.ask('setAccountStatus', { account: email, status: 'suspended' });
    await rig.ask('requestAccess', { name: 'No', email: 'declined@example.com' });
    await rig.ask('setAccountStatus', { account: 'declined@example.com', status: 'declined' });
    for (const owner of [email, 'declined@example.com'])
      await expect(rig.ask('createKey', { email: owner, name: 'x' })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('has people who see what it owes while it is suspended, and do nothing else in it', async () => {
    const [email, password] = ['ended@example.com', 'correct horse battery'];
    const signedUp = await rig.ask('signUp', { name: 'Eve', email, password, ...newClient() });
    if (signedUp.outcome !== 'opened') throw new Error(signedUp.outcome);
    const { token } = signedUp.session;
    const role = async () => (await rig.ask('session', { token })).signedIn?.person.accountRole;
    expect(await role()).toBe('owner');
    await rig.ask('setAccountStatus', { account: email, status: 'active' });
    await rig.ask('setAccountStatus', { account: email, status: 'suspended' });
    expect(await role()).toBe('billing');
    const again = await rig.ask('signIn', { email, password, ...newClient() });
    expect(again).toMatchObject({ session: { person: { accountRole: 'billing' } } });
    await rig.ask('setAccountStatus', { account: email, status: 'active' });
    expect(await role()).toBe('owner');
  });

  it('does not go back to pending, nor is an active account declined', async () => {
    const { email } = await rig.activeAccount('settled@example.com');
    for (const status of ['pending', 'declined'] as const)
      await expect(rig.ask('setAccountStatus', { account: email, status })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('that is so already changes nothing: no new version, no line in the audit log', async () => {
    const { email, id } = await rig.activeAccount('same@example.com');
    const { key } = await rig.ask('createKey', { email, name: 'x' });
    const lines = await rig.database.accountAudit.count({ where: { accountId: id } });
    await rig.ask('setAccountStatus', { account: email, status: 'active', plan: 'pro' });
    expect((await rig.ask('listKeys', { accountId: id })).keys).toEqual([key]);
    expect(await rig.database.accountAudit.count({ where: { accountId: id } })).toBe(lines);
  });

  it.each([
    ['an unknown account', { account: 'nobody@example.com', status: 'active' }, 'not_found'],
    ['an unknown plan', { account: 'bob@example.com', status: 'active', plan: 'gold' }, 'invalid'],
    ['NUL', { account: '\0', status: 'active' }, 'invalid'],
  ] as const)('is not set with %s', async (_what, request, code) => {
    await expect(rig.ask('setAccountStatus', request)).rejects.toMatchObject({ code });
  });
});

describe('the list of accounts', () => {
  it('can be restricted to those that wait', async () => {
    await rig.ask('requestAccess', { name: 'Waiting', email: 'waiting@example.com' });
    const { accounts } = await rig.ask('listAccounts', { status: 'pending' });
    expect(accounts[0]).toMatchObject({ email: 'waiting@example.com' });
    expect(new Set(accounts.map(({ status }) => status))).toEqual(new Set(['pending']));
  });
});

describe('the audit log', () => {
  it('says who did what to whom, for every change', async () => {
    const { id, email } = await rig.activeAccount('audited@example.com');
    const { key } = await rig.ask('createKey', { email, name: 'x', actor: 'cli:grace' });
    const rotated = await rig.ask('rotateKey', { keyId: key.id, overlapS: 60, actor: 'cli:grace' });
    await rig.ask('revokeKey', { keyId: rotated.key.id, actor: 'cli:linus' });
    await rig.ask('setAccountStatus', { account: email, status: 'suspended', actor: 'cli:linus' });
    const lines = await rig.database.accountAudit.findMany({ where: { accountId: id }, orderBy: { id: 'asc' } });
    expect(lines.map(({ actor, action, keyId }) => [actor, action, keyId])).toEqual([
      [email, 'access-requested', null],
      ['operator', 'account-changed', null],
      ['cli:grace', 'key-created', key.id],
      ['cli:grace', 'key-rotated', key.id],
      ['cli:linus', 'key-revoked', rotated.key.id],
      ['cli:linus', 'account-changed', null],
    ]);
    expect(lines.at(-1)?.detail).toMatchObject({ statusBefore: 'active', status: 'suspended' });
  });

  it('keeps what an operator did elsewhere without an account, under the operator', async () => {
    await rig.ask('recordAct', { actor: 'cli:ada', action: 'deployment-closed', detail: { deployment: 'a@eu' } });
    const [line] = await rig.database.accountAudit.findMany({ orderBy: { id: 'desc' }, take: 1 });
    const { id } = await rig.database.account.findUniqueOrThrow({ where: { email: 'operator' } });
    expect(line).toMatchObject({ actor: 'cli:ada', action: 'deployment-closed', accountId: id });
  });

  it('cannot be changed or shortened', async () => {
    const { database } = rig;
    await expect(database.$executeRaw`UPDATE account_audit SET actor = 'nobody'`).rejects.toThrow('append-only');
    await expect(database.$executeRaw`DELETE FROM account_audit`).rejects.toThrow('append-only');
    await expect(database.$executeRaw`TRUNCATE account_audit`).rejects.toThrow('append-only');
  });
});

describe('administrators', () => {
  const root = { name: 'Root', email: 'root@example.com', password: 'correct horse battery' };

  it('are told by mail of who asks for access, once an hour', async () => {
    await rig.ask('firstAdministrator', { ...root, secret: bootstrapSecret, ...newClient() });
    const ask = (name: string, actor?: string) =>
      rig.ask('requestAccess', { name, email: `asks-${name}@example.com`, purpose: 'research', actor });
    const isOfAccess = { recipient: root.email, subject: { endsWith: ' asks for access' } };
    const anHourPasses = () =>
      rig.database.mail.updateMany({ where: isOfAccess, data: { createdAt: new Date(Date.now() - 3_600_001) } });
    // What an operator asks for somebody is no news to operators.
    await ask('Sent', root.email);
    for (const name of ['First', 'Second']) await ask(name);
    await anHourPasses();
    await ask('Third');
    const { mails } = await rig.ask('listMails', {});
    const told = mails.filter(({ recipient, subject }) => recipient === root.email && subject.endsWith('access'));
    const body = expect.stringContaining('/admin/accounts?status=pending') as string;
    expect(told.map(({ subject }) => subject).sort()).toEqual(['First asks for access', 'Third asks for access']);
    expect(told).toMatchObject([{ body }, { body }]);
  });

  it('find out who signs in to which account, and how many do', async () => {
    const search = async (query: string) => (await rig.ask('searchAccounts', { query, signsIn: true })).accounts;
    expect(await search('ada@example.com')).toEqual([]);
    const found = await search(root.email);
    expect(found).toMatchObject([{ people: 1, role: 'administrator' }]);
    expect(await search(found[0]?.id ?? '')).toEqual(found);
  });
});
