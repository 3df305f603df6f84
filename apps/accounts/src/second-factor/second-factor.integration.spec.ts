import type { OpenedSession } from '@tollgate/contracts/accounts';
import { Secret, TOTP } from 'otpauth';

import { AccountsSettings } from '../settings';
import { AccountsRig, peopleSettings } from '../testing/accounts-rig';
import { newClient } from '../testing/new-client';
import { SoftPasskey } from '../testing/soft-passkey';
import { SecondFactors } from './second-factors';
import { triesOf } from './tries';

let rig: AccountsRig;
beforeAll(async () => {
  // Nobody listens there: what is mailed stays to be read.
  rig = await AccountsRig.start({
    people: peopleSettings({ smtp: { url: 'smtp://127.0.0.1:1', from: 'x@y.example' } }),
  });
});
afterAll(() => rig.stop());

const password = 'correct horse battery';

async function signUp(email: string): Promise<OpenedSession> {
  const reply = await rig.ask('signUp', { name: 'Ada', email, password, purpose: '', ...newClient() });
  if (reply.outcome !== 'opened') throw new Error(reply.outcome);
  return reply.session;
}

interface Holder extends OpenedSession {
  /** As people type it (Base32). */
  secret: string;
  recoveryCodes: string[];
}

/** A code that was not used yet: of the next step, where that of now was. */
const codeAt = ({ secret }: Pick<Holder, 'secret'>, stepsAhead = 0) =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + stepsAhead * 30_000 });

const tokenIn = (text: string | undefined) => /[?]token=([\w-]+)/.exec(text ?? '')?.[1] ?? '';
const newestMail = async () => (await rig.ask('listMails', {})).mails[0]?.body;
const setBy = (link: string | undefined) =>
  rig.ask('reset', { token: tokenIn(link), password: 'remembered this time', ...newClient() });

/** Sets a new password by the link that is mailed for it. */
async function setByMail(email: string) {
  await rig.ask('forgot', { email, ...newClient() });
  return setBy(await newestMail());
}

async function signUpAndConfirm(email: string): Promise<OpenedSession> {
  const session = await signUp(email);
  await rig.ask('verifyEmail', { token: tokenIn(await newestMail()) });
  return session;
}

/** Somebody with a second factor, of which the code of now is used up. */
async function holder(email: string, signedUp?: OpenedSession): Promise<Holder> {
  const session = signedUp ?? (await signUp(email));
  const personId = session.person.id;
  const begun = await rig.ask('beginSecondFactor', { personId, password });
  if (begun.outcome !== 'begun') throw new Error(begun.outcome);
  const { secret } = begun;
  const asked = { personId, sessionId: session.sessionId, code: codeAt({ secret }) };
  const confirmed = await rig.ask('confirmSecondFactor', asked);
  if (confirmed.outcome !== 'enabled') throw new Error(confirmed.outcome);
  // The rest of the spec may use the code of now again.
  await forgetUsed(personId);
  return { ...session, secret, recoveryCodes: confirmed.recoveryCodes };
}

async function forgetUsed(personId: string): Promise<void> {
  await rig.database.secondFactor.update({ where: { personId }, data: { lastStep: 0 } });
}

/** The token of a sign-in that the right password begins. */
async function begin(email: string): Promise<string> {
  const reply = await rig.ask('signIn', { email, password, ...newClient() });
  if (reply.outcome !== 'second-factor') throw new Error(reply.outcome);
  return reply.token;
}

const finish = (token: string, code: string) => rig.ask('finishSecondFactor', { token, code, ...newClient() });

describe('setting it up', () => {
  it('takes the password, and asks for no code until one was told', async () => {
    const { person, sessionId } = await signUp('begins@example.com');
    const personId = person.id;
    const early = rig.ask('confirmSecondFactor', { personId, sessionId, code: '123456' });
    await expect(early).rejects.toMatchObject({ code: 'conflict' });
    expect(await rig.ask('beginSecondFactor', { personId, password: 'a wrong password' })).toEqual({
      outcome: 'refused',
    });
    const begun = await rig.ask('beginSecondFactor', { personId, password });
    expect(begun).toMatchObject({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      uri: expect.stringMatching(
        /^otpauth:\/\/totp\/tollgate\.example:begins%40example\.com\?issuer=tollgate\.example&secret=[A-Z2-7]{32}&/,
      ),
    });
    expect(await rig.ask('signIn', { email: person.email, password, ...newClient() })).toMatchObject({
      outcome: 'opened',
    });
    expect(await rig.ask('secondFactorState', { personId })).toEqual({ enabledAt: null, recoveryCodes: 0 });
  });

  it('ends all other sessions, tells ten recovery codes once, and writes to whose it is', async () => {
    const { person, token } = await signUp('sets-up@example.com');
    const other = await rig.ask('signIn', { email: person.email, password, ...newClient() });
    if (other.outcome !== 'opened') throw new Error(other.outcome);
    const begun = await rig.ask('beginSecondFactor', { personId: person.id, password });
    if (begun.outcome !== 'begun') throw new Error(begun.outcome);
    const asked = { personId: person.id, sessionId: other.session.sessionId };
    expect(await rig.ask('confirmSecondFactor', { ...asked, code: '000000' })).toEqual({ outcome: 'refused' });
    const code = codeAt(begun);
    const confirmed = await rig.ask('confirmSecondFactor', { ...asked, code });
    if (confirmed.outcome !== 'enabled') throw new Error(confirmed.outcome);
    expect(new Set(confirmed.recoveryCodes).size).toBe(10);
    for (const one of confirmed.recoveryCodes) expect(one).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
    expect((await rig.ask('session', { token })).signedIn).toBeNull();
    expect((await rig.ask('session', { token: other.session.token })).signedIn).not.toBeNull();
    const { mails } = await rig.ask('listMails', {});
    expect(mails[0]).toMatchObject({ recipient: person.email, subject: 'Your second factor' });
    const again = rig.ask('beginSecondFactor', { personId: person.id, password });
    await expect(again).rejects.toMatchObject({ code: 'conflict' });
  });

  it('keeps neither secret nor codes', async () => {
    const { person, secret, recoveryCodes } = await holder('kept@example.com');
    const stored = await rig.database.person.findUnique({
      where: { id: person.id },
      include: { secondFactor: true, recoveryCodes: true },
    });
    const text = JSON.stringify(stored, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    expect(stored?.recoveryCodes).toHaveLength(10);
    for (const clear of [
      secret,
      Buffer.from(Secret.fromBase32(secret).bytes).toString('base64'),
      ...recoveryCodes,
      ...recoveryCodes.map((one) => one.replaceAll('-', '')),
    ])
      expect(text).not.toContain(clear);
  });
});

describe('signing in', () => {
  it('takes the code of now after the password, once, and the sign-in once', async () => {
    const person = await holder('signs-in@example.com');
    const token = await begin('signs-in@example.com');
    const code = codeAt(person);
    expect(await finish(token, '000000')).toEqual({ outcome: 'refused' });
    expect(await finish(token, code)).toMatchObject({
      outcome: 'opened',
      session: { person: { id: person.person.id } },
    });
    await expect(finish(token, codeAt(person, 1))).rejects.toMatchObject({ code: 'invalid' });
    // Who looked over a shoulder comes too late.
    expect(await finish(await begin('signs-in@example.com'), code)).toEqual({ outcome: 'refused' });
  });

  it('takes a code once of ten who tell it at the same time', async () => {
    const person = await holder('crowd@example.com');
    const tokens = await Promise.all(Array.from({ length: 4 }, () => begin('crowd@example.com')));
    const code = codeAt(person);
    const replies = await Promise.all(tokens.map((token) => finish(token, code)));
    expect(replies.filter(({ outcome }) => outcome === 'opened')).toHaveLength(1);
  });

  it('takes each recovery code once, as people type it, and writes to whose it is', async () => {
    const { recoveryCodes, person } = await holder('recovers@example.com');
    const [first = ''] = recoveryCodes;
    const typed = ` ${first.toLowerCase().replaceAll('-', ' ')} `;
    expect(await finish(await begin('recovers@example.com'), typed)).toMatchObject({ outcome: 'opened' });
    expect(await finish(await begin('recovers@example.com'), first)).toEqual({ outcome: 'refused' });
    expect(await rig.ask('secondFactorState', { personId: person.id })).toMatchObject({ recoveryCodes: 9 });
    const { mails } = await rig.ask('listMails', {});
    expect(mails[0]?.body).toContain('a recovery code was used');
  });

  it('takes no recovery code of somebody else', async () => {
    const other = await holder('other@example.com');
    await holder('mine@example.com');
    expect(await finish(await begin('mine@example.com'), other.recoveryCodes[0] ?? '')).toEqual({ outcome: 'refused' });
  });

  it('waits, after five wrong codes, longer and longer, whatever they are told for', async () => {
    const person = await holder('guessed@example.com');
    const token = await begin('guessed@example.com');
    const outcomes = [];
    for (let tries = 0; tries < 7; tries++) outcomes.push((await finish(token, '000000')).outcome);
    expect(outcomes.slice(0, 5)).toEqual(Array(5).fill('refused'));
    expect(outcomes).toContain('throttled');
    // A wait of a second may be over before the next password was hashed.
    const where = { subject: triesOf(person.person.id).subject };
    await rig.database.throttle.update({ where, data: { blockedUntil: new Date(Date.now() + 60_000) } });
    // Another sign-in, from elsewhere, and another purpose wait, too; the right code is no exception.
    const elsewhere = await finish(await begin('guessed@example.com'), codeAt(person));
    expect(elsewhere).toMatchObject({ outcome: 'throttled', retryAfterS: expect.any(Number) });
    const removal = { personId: person.person.id, password, code: codeAt(person) };
    expect(await rig.ask('removeSecondFactor', removal)).toMatchObject({ outcome: 'throttled' });
  });

  it('is over after five minutes, and with another password', async () => {
    const person = await holder('late@example.com');
    const late = await begin('late@example.com');
    await rig.database.secondFactorAttempt.updateMany({ data: { expiresAt: new Date() } });
    await expect(finish(late, codeAt(person))).rejects.toMatchObject({ code: 'invalid' });
    const token = await begin('late@example.com');
    const { id: personId } = person.person;
    const change = { personId, sessionId: person.sessionId, current: password, next: 'remembered this time' };
    await rig.ask('changePassword', { ...change, ...newClient() });
    await expect(finish(token, codeAt(person))).rejects.toMatchObject({ code: 'invalid' });
  });

  it('by a mailed link for a new password wants the code all the same', async () => {
    const person = await holder('forgets@example.com', await signUpAndConfirm('forgets@example.com'));
    const reply = await setByMail('forgets@example.com');
    if (!('outcome' in reply)) throw new Error('a link alone signed in');
    expect(await finish(reply.token, codeAt(person))).toMatchObject({ outcome: 'opened' });
  });

  it('by a link that somebody handed over wants the code, whether the address was proven or not', async () => {
    const person = await holder('handed@example.com');
    const { links } = await rig.ask('makeResetLinks', { account: 'handed@example.com', actor: 'root' });
    const reply = await setBy(links[0]?.link);
    if (!('outcome' in reply)) throw new Error('a link alone signed in');
    expect(await finish(reply.token, codeAt(person))).toMatchObject({ outcome: 'opened' });
  });

  it('is none that was set up by who typed in an address before its owner proved it by mail, nor is a passkey', async () => {
    const stranger = await holder('hers@example.com');
    const [personId, device] = [stranger.person.id, new SoftPasskey()];
    const begun = await rig.ask('beginPasskey', { personId, password, code: codeAt(stranger) });
    if (begun.outcome !== 'asked') throw new Error(begun.outcome);
    const made = device.make(begun.options.challenge);
    await rig.ask('addPasskey', { ...stranger, personId, token: begun.token, name: 'Laptop', made });

    await rig.ask('createKey', { accountId: stranger.account.id, personId, name: 'a key', actor: 'hers@example.com' });

    const opened = await setByMail('hers@example.com');
    const told = await newestMail();
    expect(told).toContain('The authenticator, passkeys and recovery codes that were set up before that are gone.');
    expect(told).toContain('An API key that was made before that goes on.');
    const { lines } = await rig.ask('listAudit', { accountId: stranger.account.id, limit: 1 });
    expect(lines).toMatchObject([{ actor: 'hers@example.com', action: 'second-factor-reset' }]);
    expect(opened).toMatchObject({ person: { email: 'hers@example.com', emailVerified: true } });
    expect((await rig.ask('secondFactorState', { personId })).enabledAt).toBeNull();
    expect((await rig.ask('session', { token: stranger.token })).signedIn).toBeNull();
    const asked = await rig.ask('askPasskey', { personId: null, attempt: null, address: newClient().address });
    if (asked.outcome !== 'asked') throw new Error(asked.outcome);
    const answer = device.answer(asked.options.challenge);
    const signIn = rig.ask('signInWithPasskey', { token: asked.token, answer, ...newClient() });
    expect(await signIn).toEqual({ outcome: 'refused' });
  });

  it('works under a new pepper while the former one is named, and afterwards, as it was sealed anew', async () => {
    const person = await holder('pepper@example.com');
    const sealed = async () =>
      (await rig.database.secondFactor.findUnique({ where: { personId: person.person.id } }))?.sealedSecret;
    const before = await sealed();
    const factors = rig.newest(SecondFactors);
    const settings = rig.newest(AccountsSettings);
    const next = 'another pepper that is long enough for it';
    const under = (keyPepper: string, formerPeppers: string[]) => Object.assign(settings, { keyPepper, formerPeppers });
    const take = (code: string) =>
      rig.database.$transaction(async (queries) => {
        const found = await queries.person.findUnique({ where: { id: person.person.id } });
        if (!found) throw new Error('nobody');
        return factors.take(queries, found, code);
      });
    under(next, []);
    await expect(take(codeAt(person))).rejects.toMatchObject({ code: 'conflict' });
    under(next, [rig.pepper]);
    expect(await take(codeAt(person))).toBe(true);
    expect(await sealed()).not.toBe(before);
    under(next, []);
    expect(await take(codeAt(person, 1))).toBe(true);
    under(rig.pepper, []);
  });
});

describe('losing it', () => {
  it('takes password and code to remove it, or to make new recovery codes', async () => {
    const person = await holder('removes@example.com');
    const { id: personId } = person.person;
    const [old = ''] = person.recoveryCodes;
    for (const wrong of [
      { password: 'a wrong password', code: codeAt(person) },
      { password, code: '000000' },
    ]) {
      expect(await rig.ask('removeSecondFactor', { personId, ...wrong })).toEqual({ outcome: 'refused' });
      expect(await rig.ask('renewRecoveryCodes', { personId, ...wrong })).toEqual({ outcome: 'refused' });
    }
    await rig.database.throttle.deleteMany();
    const renewed = await rig.ask('renewRecoveryCodes', { personId, password, code: codeAt(person) });
    expect(renewed).toMatchObject({ outcome: 'renewed' });
    expect(await finish(await begin('removes@example.com'), old)).toEqual({ outcome: 'refused' });
    await forgetUsed(personId);
    const removal = { personId, password, code: codeAt(person) };
    expect(await rig.ask('removeSecondFactor', removal)).toEqual({ outcome: 'removed' });
    const opened = await rig.ask('signIn', { email: 'removes@example.com', password, ...newClient() });
    expect(opened).toMatchObject({ outcome: 'opened' });
    const { lines } = await rig.ask('listAudit', { accountId: person.account.id });
    expect(lines.map(({ action }) => action).slice(0, 3)).toEqual([
      'second-factor-removed',
      'recovery-codes-renewed',
      'second-factor-enabled',
    ]);
  });

  it('lets an operator take it away, who is written down; sessions end, and the password stays', async () => {
    const { person, account, token } = await holder('lost@example.com');
    const asked = { account: account.id, personId: person.id, actor: 'cli:ada' };
    const elsewhere = await signUp('elsewhere@example.com');
    const foreign = rig.ask('resetSecondFactor', { ...asked, account: elsewhere.account.id });
    await expect(foreign).rejects.toMatchObject({ code: 'not_found' });
    await rig.ask('resetSecondFactor', asked);
    expect((await rig.ask('session', { token })).signedIn).toBeNull();
    const opened = await rig.ask('signIn', { email: 'lost@example.com', password, ...newClient() });
    expect(opened).toMatchObject({ outcome: 'opened' });
    const { lines } = await rig.ask('listAudit', { accountId: account.id, limit: 1 });
    expect(lines).toMatchObject([{ actor: 'cli:ada', action: 'second-factor-reset', detail: { email: person.email } }]);
    await expect(rig.ask('resetSecondFactor', asked)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('reset by people of the account', () => {
  const roleOf = (id: string, accountRole: 'owner' | 'administrator' | 'developer') =>
    rig.database.person.update({ where: { id }, data: { accountRole } });
  /** Somebody new in an account. */
  const joined = async (email: string, accountId: string, accountRole: 'owner' | 'administrator' | 'developer') => {
    const someone = await holder(email);
    const data = { accountId, accountRole };
    await rig.database.person.update({ where: { id: someone.person.id }, data });
    return someone.person;
  };

  it('is for those who may change them, and never for themselves nor an administrator of the gateway', async () => {
    const { person: owner, account } = await holder('resets@example.com');
    const keeper = await joined('resets-keeper@example.com', account.id, 'administrator');
    const maker = await joined('resets-maker@example.com', account.id, 'developer');
    const reset = (personId: string, by: string) =>
      rig.ask('resetSecondFactor', { account: account.id, personId, by, actor: 'somebody' });
    const hasOne = async () => {
      const { people } = await rig.ask('listMembers', { account: account.id });
      return Object.fromEntries(people.map(({ email, hasSecondFactor }) => [email, hasSecondFactor]));
    };
    const all = { [owner.email]: true, [keeper.email]: true, [maker.email]: true };
    await expect(reset(keeper.id, maker.id)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(reset(owner.id, keeper.id)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(reset(keeper.id, keeper.id)).rejects.toMatchObject({ code: 'conflict' });
    await expect(reset(maker.id, (await signUp('resets-elsewhere@example.com')).person.id)).rejects.toMatchObject({
      code: 'forbidden',
    });
    await rig.database.person.update({ where: { id: owner.id }, data: { role: 'administrator' } });
    await roleOf(keeper.id, 'owner');
    await expect(reset(owner.id, keeper.id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await hasOne()).toEqual(all);
    await roleOf(keeper.id, 'administrator');
    await reset(maker.id, keeper.id);
    expect(await hasOne()).toEqual({ ...all, [maker.email]: false });
    const { mails } = await rig.ask('listMails', {});
    expect(mails.find(({ recipient }) => recipient === maker.email)?.subject).toBe('Your second factor');
  });
});

describe('where one is demanded', () => {
  const demand = (of: 'administrators' | 'everybody' | null) => {
    rig.newest(AccountsSettings).people.secondFactorRequired = of;
  };
  const needs = async ({ token }: OpenedSession) => (await rig.ask('session', { token })).signedIn?.needsSecondFactor;
  afterEach(() => demand(null));

  it('of everybody, holds for sessions that are open, until there is one, and again after it was lost', async () => {
    const session = await signUp('demanded@example.com');
    expect([session.needsSecondFactor, await needs(session)]).toEqual([false, false]);
    demand('everybody');
    expect(await needs(session)).toBe(true);
    expect((await signUp('demanded-too@example.com')).needsSecondFactor).toBe(true);
    const held = await holder('demanded-held@example.com');
    expect(await needs(held)).toBe(false);
    const { person, account } = held;
    await rig.ask('resetSecondFactor', { account: account.id, personId: person.id, actor: 'cli:ada' });
    const again = await rig.ask('signIn', { email: person.email, password, ...newClient() });
    expect(again).toMatchObject({ outcome: 'opened', session: { needsSecondFactor: true } });
  });

  it('is not asked of who has no password, nor of others than administrators where it is theirs alone', async () => {
    const session = await signUp('demanded-not@example.com');
    const { id } = session.person;
    demand('administrators');
    expect(await needs(session)).toBe(false);
    await rig.database.person.update({ where: { id }, data: { role: 'administrator' } });
    await rig.database.account.update({ where: { id: session.account.id }, data: { status: 'active' } });
    expect(await needs(session)).toBe(true);
    await rig.database.person.update({ where: { id }, data: { passwordHash: null } });
    expect(await needs(session)).toBe(false);
  });
});
