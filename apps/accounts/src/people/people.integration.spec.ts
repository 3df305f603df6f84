import { AccountsRig, bootstrapSecret } from '../testing/accounts-rig';
import { newClient } from '../testing/new-client';
import { Passwords } from './passwords';
import type { OpenedSession } from '@tollgate/contracts/accounts';

let rig: AccountsRig;
beforeAll(async () => {
  rig = await AccountsRig.start();
});
afterAll(() => rig.stop());

const password = 'correct horse battery';

async function signUp(email: string, changes: { password?: string } = {}): Promise<OpenedSession> {
  const reply = await rig.ask('signUp', {
    name: 'Ada',
    email,
    password,
    purpose: 'research',
    ...newClient(),
    ...changes,
  });
  if (reply.outcome !== 'opened') throw new Error(reply.outcome);
  return reply.session;
}

const signIn = (email: string, typed = password, from = newClient()) =>
  rig.ask('signIn', { email, password: typed, ...from });

/** The token of the newest mail to somebody. */
async function mailedToken(recipient: string): Promise<string> {
  const { mails } = await rig.ask('listMails', {});
  const token = /[?]token=([\w-]+)/.exec(mails.find((mail) => mail.recipient === recipient)?.body ?? '')?.[1];
  if (token === undefined) throw new Error(`no mail with a link to ${recipient}`);
  return token;
}

describe('signing up', () => {
  it('makes a pending account with its person, signed in, and mails a link', async () => {
    const session = await signUp('Ada@Example.com');
    expect(session).toMatchObject({
      person: { email: 'ada@example.com', role: 'user', emailVerified: false },
      account: { status: 'pending', plan: 'beta', purpose: 'research', rpm: 60, quotaTokens: 1_000_000 },
    });
    expect((await rig.ask('session', { token: session.token })).signedIn).toMatchObject({ person: session.person });
    const { lines } = await rig.ask('listAudit', { accountId: session.account.id });
    expect(lines).toMatchObject([{ actor: 'ada@example.com', action: 'access-requested' }]);
    await rig.ask('verifyEmail', { token: await mailedToken('ada@example.com') });
    const { signedIn } = await rig.ask('session', { token: session.token });
    expect(signedIn?.person.emailVerified).toBe(true);
  });

  it('keeps neither password nor token', async () => {
    const { token, person } = await signUp('secret@example.com');
    const stored = await rig.database.person.findUnique({ where: { id: person.id }, include: { sessions: true } });
    expect(stored?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(JSON.stringify(stored)).not.toContain(password);
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  it('is refused for an address that is taken, whether or not somebody signs in for it', async () => {
    await signUp('taken@example.com');
    await rig.ask('requestAccess', { name: 'Asked', email: 'asked@example.com' });
    for (const email of ['TAKEN@example.com', 'asked@example.com'])
      await expect(signUp(email)).rejects.toMatchObject({ code: 'conflict' });
  });

  it.each([
    ['too short', 'short', 'password: must have at least 12 characters'],
    ['the address', 'Own-Address@example.com', 'password: must not be your e-mail address.'],
  ])('is refused with a password that is %s', async (_what, typed, message) => {
    const refusal = signUp('own-address@example.com', { password: typed });
    await expect(refusal).rejects.toMatchObject({ code: 'invalid', message });
  });

  it('made ten times at once makes one account and one person', async () => {
    const tries = Array.from({ length: 10 }, () => signUp('crowd@example.com'));
    const results = await Promise.allSettled(tries);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('slows down one who makes accounts by the dozen', async () => {
    const from = newClient();
    const outcomes: string[] = [];
    while (outcomes.length < 20 && outcomes.at(-1) !== 'throttled') {
      const email = `n${outcomes.length}@example.com`;
      outcomes.push((await rig.ask('signUp', { name: 'N', email, password, ...from })).outcome);
    }
    expect(outcomes.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 'opened'));
    expect(outcomes.at(-1)).toBe('throttled');
  });
});

/** A counter of this instance, 0 while it never counted. */
async function counted(series: string): Promise<number> {
  const text = await (await fetch(`${rig.internalUrl}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length) ?? 0);
}

describe('signing in', () => {
  it('is counted by how it ended, and so is everybody who has to wait', async () => {
    const series = (outcome: string) => `tollgate_accounts_sign_ins_total{method="password",outcome="${outcome}"}`;
    const all = async () => ({
      opened: await counted(series('opened')),
      refused: await counted(series('refused')),
      throttled: await counted(series('throttled')),
      waiting: await counted('tollgate_accounts_throttled_total'),
    });
    await signUp('counted@example.com');
    const before = await all();
    await signIn('counted@example.com');
    for (let tries = 0; tries < 7; tries++) await signIn('counted@example.com', 'a wrong password');
    const after = await all();
    expect(after.opened - before.opened).toBe(1);
    const [refused, throttled] = [after.refused - before.refused, after.throttled - before.throttled];
    expect(refused).toBeGreaterThanOrEqual(5);
    expect(throttled).toBeGreaterThanOrEqual(1);
    expect(refused + throttled).toBe(7);
    expect(after.waiting - before.waiting).toBe(throttled);
  });

  it('opens a session of its own each time, in any letter case of the address', async () => {
    const first = await signUp('twice@example.com');
    const reply = await signIn('TWICE@Example.COM');
    expect(reply).toMatchObject({ outcome: 'opened', session: { person: first.person } });
    expect(reply.outcome === 'opened' && reply.session.token).not.toBe(first.token);
  });

  it('refuses a wrong password and an unknown address alike, each after the work that a password takes', async () => {
    await signUp('known@example.com');
    const matches = jest.spyOn(Passwords.prototype, 'matches');
    for (const who of ['known', 'unknown'])
      expect(await signIn(`${who}@example.com`, 'a wrong password')).toEqual({ outcome: 'refused' });
    expect(matches.mock.calls).toEqual([
      ['a wrong password', expect.stringMatching(/^\$argon2id\$/)],
      ['a wrong password', null],
    ]);
    matches.mockRestore();
  });

  it('is slowed down after five wrong passwords, also for the right one, in whatever network and instance, until the wait is over', async () => {
    await signUp('guessed@example.com');
    for (let n = 0; n < 5; n++)
      expect(await signIn('guessed@example.com', `wrong ${n}`)).toEqual({ outcome: 'refused' });
    const where = { subject: 'sign-in:guessed@example.com' };
    const waitS = async () => {
      const { blockedUntil, lastTryAt } = await rig.database.throttle.findUniqueOrThrow({ where });
      return (blockedUntil.getTime() - lastTryAt.getTime()) / 1_000;
    };
    expect(await waitS()).toBeCloseTo(1, 1);
    await rig.database.throttle.update({ where, data: { blockedUntil: new Date(Date.now() + 60_000) } });
    await rig.startInstance();
    for (let n = 0; n < 5; n++) {
      const refused = await signIn('guessed@example.com');
      expect(refused).toEqual({ outcome: 'throttled', retryAfterS: expect.any(Number) });
      expect(refused.outcome === 'throttled' && refused.retryAfterS).toBeGreaterThan(30);
    }
    await rig.database.throttle.update({ where, data: { tries: 30, blockedUntil: new Date(0) } });
    expect(await signIn('guessed@example.com', 'wrong again')).toEqual({ outcome: 'refused' });
    expect(await waitS()).toBeCloseTo(900, 1);
    await rig.database.throttle.update({ where, data: { blockedUntil: new Date() } });
    expect(await signIn('guessed@example.com')).toMatchObject({ outcome: 'opened' });
    expect(await rig.database.throttle.findUnique({ where })).toBeNull();
  });

  it('is refused as invalid with what no database takes', async () => {
    await expect(signIn('a\0@example.com')).rejects.toMatchObject({ code: 'invalid' });
  });

  it('counts guesses that come at the same time', async () => {
    await signUp('parallel@example.com');
    const tries = Array.from({ length: 20 }, (_, n) => signIn('parallel@example.com', `wrong ${n}`));
    const outcomes = (await Promise.all(tries)).map(({ outcome }) => outcome);
    // Five are free; a slow machine may let a wait of a second pass.
    expect(outcomes.filter((outcome) => outcome === 'throttled').length).toBeGreaterThan(10);
    expect(outcomes).not.toContain('opened');
  });

  it('does not slow down a network from which many people sign in', async () => {
    await signUp('colleague@example.com');
    const from = newClient();
    for (let n = 0; n < 35; n++)
      expect(await signIn('colleague@example.com', password, from)).toMatchObject({ outcome: 'opened' });
  });

  it('is slowed down for a network that tries many addresses', async () => {
    const from = { address: '2001:db8:1:2:aaaa::1', userAgent: '' };
    for (let n = 0; n < 30; n++) await signIn(`spray${n}@example.com`, 'Password1234!', from);
    const neighbour = { address: '2001:db8:1:2:bbbb::9', userAgent: '' };
    const outcomes = new Set<string>();
    for (let n = 30; n < 36; n++)
      outcomes.add((await signIn(`spray${n}@example.com`, 'Password1234!', neighbour)).outcome);
    expect(outcomes).toContain('throttled');
  });
});

describe('a session', () => {
  it('ends when it is signed out', async () => {
    const { token } = await signUp('leaves@example.com');
    await rig.ask('signOut', { token });
    expect((await rig.ask('session', { token })).signedIn).toBeNull();
    await rig.ask('signOut', { token });
  });

  it.each([
    ['after seven days unused', { lastSeenAt: new Date(Date.now() - 7 * 86_400_000 - 1) }],
    ['after thirty days however much it is used', { expiresAt: new Date() }],
  ])('ends %s', async (_when, data) => {
    const { token, sessionId } = await signUp(`ends-${Math.random()}@example.com`);
    await rig.database.session.update({ where: { id: sessionId }, data });
    expect((await rig.ask('session', { token })).signedIn).toBeNull();
  });

  it('notes its use, at most once a minute', async () => {
    const { token, sessionId } = await signUp('seen@example.com');
    const seenAt = async () =>
      (await rig.database.session.findUniqueOrThrow({ where: { id: sessionId } })).lastSeenAt.getTime();
    const openedAt = await seenAt();
    await rig.ask('session', { token });
    expect(await seenAt()).toBe(openedAt);
    const before = new Date(openedAt - 120_000);
    await rig.database.session.update({ where: { id: sessionId }, data: { lastSeenAt: before } });
    await rig.ask('session', { token });
    expect(await seenAt()).toBeGreaterThanOrEqual(openedAt);
  });

  it('is listed for its owner, who may end it; another person may not', async () => {
    const { person, sessionId, token } = await signUp('many@example.com');
    const other = await signUp('other@example.com');
    await signIn('many@example.com');
    const { sessions } = await rig.ask('listSessions', { personId: person.id });
    expect(sessions).toHaveLength(2);
    expect(sessions[1]).toMatchObject({ id: sessionId, userAgent: 'a browser' });
    const foreign = rig.ask('revokeSession', { personId: other.person.id, sessionId });
    await expect(foreign).rejects.toMatchObject({ code: 'not_found' });
    await rig.ask('revokeSession', { personId: person.id, sessionId });
    expect((await rig.ask('session', { token })).signedIn).toBeNull();
  });
});

describe('a password', () => {
  it('is changed by who knows it; all other sessions end, and this one has a new token', async () => {
    const { person, sessionId, token } = await signUp('changes@example.com');
    const next = 'another good password';
    const wrong = rig.ask('changePassword', { personId: person.id, sessionId, current: 'no', next, ...newClient() });
    await expect(wrong).rejects.toMatchObject({ code: 'forbidden' });
    const reply = await rig.ask('changePassword', {
      personId: person.id,
      sessionId,
      current: password,
      next,
      ...newClient(),
    });
    expect((await rig.ask('session', { token })).signedIn).toBeNull();
    expect((await rig.ask('listSessions', { personId: person.id })).sessions).toHaveLength(1);
    expect(reply).toMatchObject({ outcome: 'opened' });
    expect(await signIn('changes@example.com')).toEqual({ outcome: 'refused' });
    expect(await signIn('changes@example.com', next)).toMatchObject({ outcome: 'opened' });
  });

  it('is set anew by a mailed link, once; all sessions end, and the address is verified', async () => {
    const { token } = await signUp('forgets@example.com');
    await rig.ask('forgot', { email: 'Forgets@example.com', ...newClient() });
    const link = await mailedToken('forgets@example.com');
    const weak = rig.ask('reset', { token: link, password: 'forgets@example.com', ...newClient() });
    await expect(weak).rejects.toMatchObject({ code: 'invalid' });
    const session = await rig.ask('reset', { token: link, password: 'remembered this time', ...newClient() });
    expect(session).toMatchObject({ person: { emailVerified: true } });
    expect((await rig.ask('session', { token })).signedIn).toBeNull();
    expect(await signIn('forgets@example.com', 'remembered this time')).toMatchObject({ outcome: 'opened' });
    const again = rig.ask('reset', { token: link, password: 'remembered this time', ...newClient() });
    await expect(again).rejects.toMatchObject({ code: 'invalid' });
  });

  it('is not set by a link that is an hour old, or for another purpose', async () => {
    await signUp('late@example.com');
    const verification = await mailedToken('late@example.com');
    const misused = rig.ask('reset', { token: verification, password: 'remembered this time', ...newClient() });
    await expect(misused).rejects.toMatchObject({ code: 'invalid' });
    await rig.ask('forgot', { email: 'late@example.com', ...newClient() });
    await rig.database.oneTimeToken.updateMany({ where: { purpose: 'reset' }, data: { expiresAt: new Date() } });
    const late = rig.ask('reset', { token: await mailedToken('late@example.com'), password, ...newClient() });
    await expect(late).rejects.toMatchObject({ code: 'invalid' });
  });

  it('of an account that was asked for without one comes by mail; nobody is told whether there is such an account', async () => {
    await rig.ask('requestAccess', { name: 'Grace', email: 'grace@example.com' });
    expect(await rig.ask('forgot', { email: 'grace@example.com', ...newClient() })).toEqual({});
    expect(await rig.ask('forgot', { email: 'nobody@example.com', ...newClient() })).toEqual({});
    const session = await rig.ask('reset', { token: await mailedToken('grace@example.com'), password, ...newClient() });
    expect(session).toMatchObject({ person: { name: 'Grace' }, account: { status: 'pending' } });
    await expect(mailedToken('nobody@example.com')).rejects.toThrow('no mail');
  });
});

describe('administrators', () => {
  const first = (secret: string, email = 'root@example.com') =>
    rig.ask('firstAdministrator', { secret, name: 'Root', email, password, ...newClient() });

  it('begin with one, made once by who holds the bootstrap secret', async () => {
    expect((await rig.ask('session', { token: null })).features.needsFirstAdministrator).toBe(true);
    await expect(first('a guess')).rejects.toMatchObject({ code: 'forbidden' });
    const results = await Promise.allSettled([
      first(bootstrapSecret),
      first(bootstrapSecret, 'second@example.com'),
      first(bootstrapSecret, 'third@example.com'),
    ]);
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(made).toMatchObject([
      { outcome: 'opened', session: { person: { role: 'administrator' }, account: { status: 'active' } } },
    ]);
    await expect(first(bootstrapSecret, 'late-root@example.com')).rejects.toMatchObject({ code: 'not_found' });
    expect((await rig.ask('session', { token: null })).features.needsFirstAdministrator).toBe(false);
  });

  it('make others, and one always stays', async () => {
    const { accounts } = await rig.ask('searchAccounts', {});
    const root = accounts.find(({ role }) => role === 'administrator');
    const { account } = await signUp('promoted@example.com');
    const alone = rig.ask('setRole', { account: root?.id ?? '', role: 'user', actor: 'root@example.com' });
    await expect(alone).rejects.toMatchObject({ code: 'conflict' });
    await rig.ask('setRole', { account: account.id, role: 'administrator', actor: 'root@example.com' });
    const { lines } = await rig.ask('listAudit', { accountId: account.id, limit: 1 });
    expect(lines).toMatchObject([
      { action: 'role-changed', actor: 'root@example.com', detail: { role: 'administrator', roleBefore: ['user'] } },
    ]);
    // The account is still pending: the role does nothing yet.
    const early = rig.ask('setRole', { account: root?.id ?? '', role: 'user', actor: 'promoted@example.com' });
    await expect(early).rejects.toMatchObject({ code: 'conflict' });
    await rig.ask('setAccountStatus', { account: account.id, status: 'active' });
    await rig.ask('setRole', { account: root?.id ?? '', role: 'user', actor: 'promoted@example.com' });
  });

  it('cannot be suspended when they are the last, and administer nothing while they are', async () => {
    const { accounts } = await rig.ask('searchAccounts', { query: 'promoted@' });
    const last = accounts[0]?.id ?? '';
    const alone = rig.ask('setAccountStatus', { account: last, status: 'suspended' });
    await expect(alone).rejects.toMatchObject({ code: 'conflict' });
    const { token, account } = await signUp('suspended-root@example.com');
    await rig.ask('setAccountStatus', { account: account.id, status: 'active' });
    await rig.ask('setRole', { account: account.id, role: 'administrator', actor: 'promoted@example.com' });
    const role = async () => (await rig.ask('session', { token })).signedIn?.person.role;
    expect(await role()).toBe('administrator');
    await rig.ask('setAccountStatus', { account: account.id, status: 'suspended' });
    expect(await role()).toBe('user');
  });

  it('make a link that sets a password once, which nobody finds in the audit log', async () => {
    const { account } = await signUp('lost@example.com');
    const make = async () =>
      (await rig.ask('makeResetLinks', { account: account.id, actor: 'root@example.com' })).links;
    const tokenOf = (link = '') => new URL(link).searchParams.get('token') ?? '';
    const [former] = await make();
    const [made] = await make();
    expect(made).toMatchObject({ email: 'lost@example.com', link: expect.stringContaining('/reset?token=') });
    expect(made?.expiresAt).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    const reset = (link?: string) =>
      rig.ask('reset', { token: tokenOf(link), password: 'remembered this time', ...newClient() });
    await expect(reset(former?.link)).rejects.toMatchObject({ code: 'invalid' });
    expect(await reset(made?.link)).toMatchObject({ person: { email: 'lost@example.com' } });
    await expect(reset(made?.link)).rejects.toMatchObject({ code: 'invalid' });
    const { lines } = await rig.ask('listAudit', { accountId: account.id });
    expect(lines[0]).toMatchObject({ actor: 'root@example.com', action: 'reset-link-made' });
    expect(JSON.stringify(lines)).not.toContain(tokenOf(made?.link));
    await rig.ask('requestAccess', { name: 'Nobody', email: 'nobody-signs-in@example.com' });
    await expect(
      rig.ask('makeResetLinks', { account: 'nobody-signs-in@example.com', actor: 'root@example.com' }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('find accounts by a part of a name or an address, with the number of their keys', async () => {
    await rig.activeAccount('needle_100+@example.com');
    await rig.ask('createKey', { email: 'needle_100+@example.com', name: 'one' });
    const { key } = await rig.ask('createKey', { email: 'needle_100+@example.com', name: 'two' });
    await rig.ask('revokeKey', { keyId: key.id });
    expect((await rig.ask('searchAccounts', { query: 'NEEDLE_100+' })).accounts).toMatchObject([
      { keys: 1, role: null },
    ]);
    expect((await rig.ask('searchAccounts', { query: 'needle_' })).accounts).toHaveLength(1);
    expect((await rig.ask('searchAccounts', { query: 'n__dle' })).accounts).toEqual([]);
  });
});

describe('the outbox', () => {
  it('tells how a request was decided, and nothing about later changes', async () => {
    const { account } = await signUp('decided@example.com');
    await rig.ask('setAccountStatus', { account: account.id, status: 'pending', plan: 'pro' });
    await rig.ask('setAccountStatus', { account: account.id, status: 'active' });
    await rig.ask('setAccountStatus', { account: account.id, status: 'suspended' });
    const { mails } = await rig.ask('listMails', {});
    const subjects = mails.filter(({ recipient }) => recipient === 'decided@example.com').map((mail) => mail.subject);
    expect(subjects).toEqual(['Your access is approved', 'Confirm your e-mail address']);
    expect(mails[0]).toMatchObject({ sentAt: null, problem: null });
  });
});
