import type { OpenedSession } from '@tollgate/contracts/accounts';
import { AccountsSettings } from '../settings';
import { AccountsRig } from '../testing/accounts-rig';
import { newClient } from '../testing/new-client';
import { SoftPasskey } from '../testing/soft-passkey';

let rig: AccountsRig;
beforeAll(async () => {
  rig = await AccountsRig.start();
});
afterAll(() => rig.stop());

const password = 'correct horse battery';

async function signUp(email: string): Promise<OpenedSession> {
  const reply = await rig.ask('signUp', { name: 'Ada', email, password, purpose: '', ...newClient() });
  if (reply.outcome !== 'opened') throw new Error(reply.outcome);
  return reply.session;
}

interface Holder extends OpenedSession {
  device: SoftPasskey;
  passkeyId: string;
  recoveryCodes: string[] | null;
}

type Proof = Parameters<typeof beginAdding>[1];

async function beginAdding(personId: string, proof: { code?: string; passkey?: Awaited<ReturnType<typeof proveBy>> }) {
  const reply = await rig.ask('beginPasskey', { personId, password, ...proof });
  if (reply.outcome !== 'asked') throw new Error(reply.outcome);
  return { token: reply.token, challenge: reply.options.challenge };
}

/** Adds a passkey of a new device. */
async function add({ person, sessionId }: OpenedSession, name = 'Laptop', proof: Proof = {}) {
  const device = new SoftPasskey();
  const { token, challenge } = await beginAdding(person.id, proof);
  const request = { personId: person.id, sessionId, token, name, made: device.make(challenge) };
  const added = await rig.ask('addPasskey', request);
  if (added.outcome !== 'added') throw new Error(added.outcome);
  return { device, passkeyId: added.passkey.id, recoveryCodes: added.recoveryCodes };
}

async function holder(email: string): Promise<Holder> {
  const session = await signUp(email);
  return { ...session, ...(await add(session)) };
}

/** Asks for a passkey: anybody's, or one of somebody who is signed in or in the middle of signing in. */
async function ask(of: { personId?: string; attempt?: string } = {}) {
  const request = { personId: of.personId ?? null, attempt: of.attempt ?? null, address: newClient().address };
  const reply = await rig.ask('askPasskey', request);
  if (reply.outcome !== 'asked') throw new Error(reply.outcome);
  return { token: reply.token, challenge: reply.options.challenge, options: reply.options };
}

async function proveBy(device: SoftPasskey, personId: string) {
  const { token, challenge } = await ask({ personId });
  return { token, answer: device.answer(challenge) };
}

type Answer = ReturnType<SoftPasskey['answer']>;
const signIn = (token: string, answer: Answer) => rig.ask('signInWithPasskey', { token, answer, ...newClient() });

/** The token of a sign-in that the right password begins. */
async function beginWithPassword(email: string): Promise<string> {
  const reply = await rig.ask('signIn', { email, password, ...newClient() });
  if (reply.outcome !== 'second-factor') throw new Error(reply.outcome);
  return reply.token;
}

const newestMail = async () => (await rig.ask('listMails', {})).mails[0];

describe('adding one', () => {
  it('makes it a second factor: other sessions end, recovery codes are told once, and mail and audit say so', async () => {
    const session = await signUp('adds@example.com');
    const other = await rig.ask('signIn', { email: 'adds@example.com', password, ...newClient() });
    if (other.outcome !== 'opened') throw new Error(other.outcome);
    const { recoveryCodes } = await add(other.session, 'Phone');
    expect(recoveryCodes).toHaveLength(10);
    expect((await rig.ask('session', { token: session.token })).signedIn).toBeNull();
    expect((await rig.ask('session', { token: other.session.token })).signedIn).not.toBeNull();
    const { id: personId } = session.person;
    expect(await rig.ask('secondFactorState', { personId })).toEqual({ enabledAt: null, recoveryCodes: 10 });
    expect((await rig.ask('listPasskeys', { personId })).passkeys).toEqual([
      { id: expect.any(String), name: 'Phone', isSynced: false, createdAt: expect.any(Number), lastUsedAt: null },
    ]);
    expect(await newestMail()).toMatchObject({
      recipient: 'adds@example.com',
      body: expect.stringContaining('a passkey (Phone) was added to your account: it signs you in'),
    });
    const { lines } = await rig.ask('listAudit', { accountId: session.account.id, limit: 1 });
    const detail = { email: 'adds@example.com', name: 'Phone' };
    expect(lines).toMatchObject([{ actor: 'adds@example.com', action: 'passkey-added', detail }]);
  });

  it('takes the password, and for another one a factor that is there', async () => {
    const { person, sessionId, device, recoveryCodes, ...session } = await holder('another@example.com');
    const personId = person.id;
    const begin = (proof: object) => rig.ask('beginPasskey', { personId, password, ...proof });
    expect(await begin({ password: 'a wrong password' })).toEqual({ outcome: 'refused' });
    expect(await begin({})).toEqual({ outcome: 'refused' });
    expect(await begin({ passkey: await proveBy(new SoftPasskey(), personId) })).toEqual({ outcome: 'refused' });
    const proof = { passkey: await proveBy(device, personId) };
    const second = await add({ ...session, person, sessionId }, 'Phone', proof);
    expect(second.recoveryCodes).toBeNull();
    await add({ ...session, person, sessionId }, 'Key', { code: recoveryCodes?.[0] ?? '' });
    expect((await rig.ask('listPasskeys', { personId })).passkeys.map(({ name }) => name)).toEqual([
      'Laptop',
      'Phone',
      'Key',
    ]);
    // The browser is told which devices have one already.
    const asked = await begin({ passkey: await proveBy(device, personId) });
    if (asked.outcome !== 'asked') throw new Error(asked.outcome);
    expect(asked.options).toMatchObject({
      rp: { id: 'tollgate.example' },
      user: { name: 'another@example.com' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ transports: ['internal'] }, {}, {}],
    });
  });

  it.each([
    ['of another page', { origin: 'https://evil.example' }],
    ['for another name', { rpId: 'evil.example' }],
    ['without having verified who made it', { isVerified: false }],
    ['for another challenge', { challenge: 'YW5vdGhlcg' }],
  ])('refuses what was made %s', async (what, changes) => {
    const { person, sessionId } = await signUp(`refused-${what.replaceAll(' ', '-')}@example.com`);
    const personId = person.id;
    const { token, challenge } = await beginAdding(personId, {});
    const made = new SoftPasskey().make(challenge, changes);
    const request = { personId, sessionId, token, name: 'Laptop', made };
    expect(await rig.ask('addPasskey', request)).toEqual({ outcome: 'refused' });
    expect((await rig.ask('listPasskeys', { personId })).passkeys).toEqual([]);
    // The challenge is taken, whatever was answered.
    await expect(rig.ask('addPasskey', request)).rejects.toMatchObject({ code: 'invalid' });
  });

  it('takes no challenge that nobody proved anything for, and signs nobody in by one that is for adding', async () => {
    const { person, sessionId, device } = await holder('purpose@example.com');
    const personId = person.id;
    const asked = await ask({ personId });
    const intruder = new SoftPasskey();
    const request = { personId, sessionId, token: asked.token, name: 'Mine', made: intruder.make(asked.challenge) };
    await expect(rig.ask('addPasskey', request)).rejects.toMatchObject({ code: 'invalid' });
    expect((await rig.ask('listPasskeys', { personId })).passkeys).toHaveLength(1);
    const adding = await beginAdding(personId, { passkey: await proveBy(device, personId) });
    await expect(signIn(adding.token, device.answer(adding.challenge))).rejects.toMatchObject({ code: 'invalid' });
  });

  it('takes no challenge of somebody else, and no passkey twice', async () => {
    const one = await holder('one@example.com');
    const other = await signUp('other@example.com');
    const { token, challenge } = await beginAdding(other.person.id, {});
    const made = new SoftPasskey().make(challenge);
    const stolen = { personId: one.person.id, sessionId: one.sessionId, token, name: 'x', made };
    expect(await rig.ask('addPasskey', stolen)).toEqual({ outcome: 'refused' });
    const again = await beginAdding(other.person.id, {});
    const same = { personId: other.person.id, sessionId: other.sessionId, name: 'x' };
    const twice = { ...same, token: again.token, made: one.device.make(again.challenge) };
    expect(await rig.ask('addPasskey', twice)).toEqual({ outcome: 'refused' });
  });
});

describe('signing in', () => {
  it('takes a passkey alone, notes when, and opens a session of whose it is', async () => {
    const { person, device } = await holder('alone@example.com');
    const { token, challenge, options } = await ask();
    expect(options).toMatchObject({ rpId: 'tollgate.example', userVerification: 'required', allowCredentials: [] });
    const userHandle = Buffer.from(person.id.replaceAll('-', ''), 'hex').toString('base64url');
    const reply = await signIn(token, device.answer(challenge, { userHandle }));
    expect(reply).toMatchObject({ outcome: 'opened', session: { person: { id: person.id } } });
    const { passkeys } = await rig.ask('listPasskeys', { personId: person.id });
    expect(passkeys[0]?.lastUsedAt).toEqual(expect.any(Number));
  });

  it('stands beside the password, where those of its person alone are asked for', async () => {
    const { person, device, recoveryCodes } = await holder('beside@example.com');
    const other = await holder('not-beside@example.com');
    const attempt = await beginWithPassword('beside@example.com');
    const foreign = await ask({ attempt });
    expect(foreign.options).toMatchObject({ allowCredentials: [{ transports: ['internal'] }] });
    expect(await signIn(foreign.token, other.device.answer(foreign.challenge))).toEqual({ outcome: 'refused' });
    const own = await ask({ attempt });
    expect(await signIn(own.token, device.answer(own.challenge))).toMatchObject({
      session: { person: { id: person.id } },
    });
    // Recovery codes stand in for it, as they do for an authenticator; six digits do not.
    const finish = (code: string) => rig.ask('finishSecondFactor', { token: attempt, code, ...newClient() });
    expect(await finish('123456')).toEqual({ outcome: 'refused' });
    expect(await finish(recoveryCodes?.[0] ?? '')).toMatchObject({ outcome: 'opened' });
    await expect(ask({ attempt: 'unknown' })).rejects.toMatchObject({ code: 'invalid' });
  });

  it.each([
    ['for a page of somebody else', { origin: 'https://evil.example' }],
    ['for another name', { rpId: 'evil.example' }],
    ['without having verified who uses it', { isVerified: false }],
    ['to another challenge', { challenge: 'YW5vdGhlcg' }],
    ['as of somebody else', { userHandle: 'c29tZWJvZHk' }],
  ])('refuses an answer %s', async (what, changes) => {
    const { device } = await holder(`answers-${what.replaceAll(' ', '-')}@example.com`);
    const { token, challenge } = await ask();
    expect(await signIn(token, device.answer(challenge, changes))).toEqual({ outcome: 'refused' });
    await expect(signIn(token, device.answer(challenge))).rejects.toMatchObject({ code: 'invalid' });
  });

  it('refuses a signature of another key, and a passkey that nobody has', async () => {
    const { device } = await holder('forged@example.com');
    const thief = new SoftPasskey();
    const forged = await ask();
    const signature = thief.answer(forged.challenge).response.signature;
    const answer = device.answer(forged.challenge);
    const wrong = { ...answer, response: { ...answer.response, signature } };
    expect(await signIn(forged.token, wrong)).toEqual({ outcome: 'refused' });
    const unknown = await ask();
    expect(await signIn(unknown.token, thief.answer(unknown.challenge))).toEqual({ outcome: 'refused' });
  });

  it('takes an answer once of ten who have it at the same time', async () => {
    const { device } = await holder('crowd@example.com');
    const { token, challenge } = await ask();
    const answer = device.answer(challenge);
    const replies = await Promise.allSettled(Array.from({ length: 10 }, () => signIn(token, answer)));
    const opened = replies.filter((one) => one.status === 'fulfilled' && one.value.outcome === 'opened');
    expect(opened).toHaveLength(1);
  });

  it('refuses a counter that went back, as that of a copy would, and writes to whose it is', async () => {
    const { device } = await holder('copied@example.com');
    const signInWith = async (counter: number) => {
      const { token, challenge } = await ask();
      return (await signIn(token, device.answer(challenge, { counter }))).outcome;
    };
    expect([await signInWith(7), await signInWith(7), await signInWith(0)]).toEqual(['opened', 'refused', 'refused']);
    expect(await newestMail()).toMatchObject({
      recipient: 'copied@example.com',
      body: expect.stringContaining('a passkey of your account (Laptop) was refused: it counted fewer signatures'),
    });
    expect(await signInWith(8)).toBe('opened');
  });

  it('takes those that do not count', async () => {
    const { device } = await holder('counts-not@example.com');
    for (let times = 0; times < 2; times++) {
      const { token, challenge } = await ask();
      expect(await signIn(token, device.answer(challenge, { counter: 0 }))).toMatchObject({ outcome: 'opened' });
    }
  });

  it('is over after five minutes', async () => {
    const { device } = await holder('late@example.com');
    const { token, challenge } = await ask();
    await rig.database.passkeyChallenge.updateMany({ data: { expiresAt: new Date() } });
    await expect(signIn(token, device.answer(challenge))).rejects.toMatchObject({ code: 'invalid' });
  });

  it('goes on for a network in which many asked and answered nothing, until it has 300 such challenges', async () => {
    const { device } = await holder('often@example.com');
    const client = newClient();
    const asks = (replaces?: string) =>
      rig.ask('askPasskey', { personId: null, attempt: null, address: client.address, replaces });
    for (let times = 0; times < 40; times++) expect((await asks()).outcome).toBe('asked');
    const asked = await asks();
    if (asked.outcome !== 'asked') throw new Error(asked.outcome);
    const answer = device.answer(asked.options.challenge);
    const reply = await rig.ask('signInWithPasskey', { token: asked.token, answer, ...client });
    expect(reply).toMatchObject({ outcome: 'opened' });
    const kept = await rig.database.passkeyChallenge.findMany({ where: { network: client.address } });
    expect(kept).toHaveLength(40);
    const more = Array.from({ length: 260 }, (_, n) => ({ ...kept[0], ...{ digest: `more ${n}` } }));
    await rig.database.passkeyChallenge.createMany({ data: more as typeof kept });
    expect(await asks()).toEqual({ outcome: 'throttled', retryAfterS: expect.any(Number) });
    await rig.database.passkeyChallenge.deleteMany({ where: { digest: 'more 0' } });
    const last = await asks();
    if (last.outcome !== 'asked') throw new Error(last.outcome);
    // A browser that asks once more has one all the same, soon.
    expect([(await asks(last.token)).outcome, (await asks()).outcome]).toEqual(['asked', 'throttled']);
    const where = { challenge: last.options.challenge };
    const replaced = await rig.database.passkeyChallenge.findFirstOrThrow({ where });
    expect(replaced.expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 10_000);
  });

  it('has a network wait from which answers are refused, longer and longer, and counts nobody who signs in', async () => {
    const { device } = await holder('refused-often@example.com');
    const client = newClient();
    const answers = async (changes: object) => {
      const { token, challenge } = await ask();
      const answer = device.answer(challenge, changes);
      return (await rig.ask('signInWithPasskey', { token, answer, ...client })).outcome;
    };
    for (let times = 0; times < 5; times++) expect(await answers({})).toBe('opened');
    // Thirty are free; a slow machine may let a wait of a second or two pass.
    let refused = 0;
    while (refused < 60 && (await answers({ origin: 'https://evil.example' })) === 'refused') refused++;
    expect(refused).toBeGreaterThanOrEqual(30);
    expect(refused).toBeLessThan(60);
  });

  it('is nothing for somebody who was removed from their account, and of a removed passkey', async () => {
    const { device, person, account } = await holder('leaves@example.com');
    await rig.ask('setAccountStatus', { account: account.id, status: 'active', plan: 'pro' });
    const invited = await rig.ask('invite', {
      ...{ account: account.id, email: 'stays@example.com', role: 'owner', way: 'link', actor: 'spec' },
    });
    const token = /token=([\w-]+)/.exec(invited.link ?? '')?.[1] ?? '';
    await rig.ask('join', { token, name: 'Stays', password, ...newClient() });
    const asked = await ask();
    await rig.ask('removeMember', { account: account.id, personId: person.id, actor: 'spec' });
    expect(await signIn(asked.token, device.answer(asked.challenge))).toEqual({ outcome: 'refused' });
    expect(await rig.database.passkey.count({ where: { personId: person.id } })).toBe(0);
  });
});

it('takes another name from whose it is, which the audit log tells, and from nobody else', async () => {
  const { person, account, passkeyId } = await holder('renames@example.com');
  const rename = (personId: string, name: string) => rig.ask('renamePasskey', { personId, passkeyId, name });
  expect(await rename(person.id, ' Work laptop ')).toMatchObject({ passkey: { id: passkeyId, name: 'Work laptop' } });
  await rename(person.id, 'Work laptop');
  expect((await rig.ask('listPasskeys', { personId: person.id })).passkeys).toMatchObject([{ name: 'Work laptop' }]);
  const { lines } = await rig.ask('listAudit', { accountId: account.id, limit: 2 });
  expect(lines).toMatchObject([
    { action: 'passkey-renamed', detail: { before: 'Laptop', name: 'Work laptop' } },
    { action: 'passkey-added' },
  ]);
  const stranger = await holder('renames-not@example.com');
  await expect(rename(stranger.person.id, 'Mine')).rejects.toMatchObject({ code: 'not_found' });
});

describe('removing one', () => {
  it('takes the password and a factor; the last one leaves the password alone', async () => {
    const { person, account, device, passkeyId, recoveryCodes, ...session } = await holder('removes@example.com');
    const personId = person.id;
    const two = await add({ ...session, person, account }, 'Phone', { passkey: await proveBy(device, personId) });
    const remove = async (id: string, proof: object) =>
      rig.ask('removePasskey', { personId, passkeyId: id, password, ...proof });
    expect(await remove(passkeyId, {})).toEqual({ outcome: 'refused' });
    expect(await remove(passkeyId, { code: recoveryCodes?.[0], password: 'a wrong password' })).toEqual({
      outcome: 'refused',
    });
    const stranger = await holder('stranger@example.com');
    const foreign = remove(stranger.passkeyId, { passkey: await proveBy(device, personId) });
    await expect(foreign).rejects.toMatchObject({ code: 'not_found' });
    expect(await remove(passkeyId, { passkey: await proveBy(device, personId) })).toEqual({ outcome: 'removed' });
    expect((await newestMail())?.body).toContain('a passkey of your account (Laptop) was removed: it signs nobody');
    const asked = await ask();
    expect(await signIn(asked.token, device.answer(asked.challenge))).toEqual({ outcome: 'refused' });
    await beginWithPassword('removes@example.com');
    const last = await remove(two.passkeyId, { passkey: await proveBy(two.device, personId) });
    expect(last).toEqual({ outcome: 'removed' });
    expect(await newestMail()).toMatchObject({ body: expect.stringContaining('the password alone signs you in') });
    expect(await rig.ask('signIn', { email: 'removes@example.com', password, ...newClient() })).toMatchObject({
      outcome: 'opened',
    });
    expect(await rig.ask('secondFactorState', { personId })).toEqual({ enabledAt: null, recoveryCodes: 0 });
    await expect(ask({ personId })).rejects.toMatchObject({ code: 'conflict' });
    const { lines } = await rig.ask('listAudit', { accountId: account.id, limit: 2 });
    expect(lines.map(({ action }) => action)).toEqual(['passkey-removed', 'passkey-removed']);
  });

  it('is what an operator does, with all factors, for who lost them', async () => {
    const { person, account, device, token } = await holder('lost@example.com');
    await rig.ask('resetSecondFactor', { account: account.id, personId: person.id, actor: 'cli:ada' });
    expect((await rig.ask('session', { token })).signedIn).toBeNull();
    const asked = await ask();
    expect(await signIn(asked.token, device.answer(asked.challenge))).toEqual({ outcome: 'refused' });
    expect(await rig.ask('signIn', { email: 'lost@example.com', password, ...newClient() })).toMatchObject({
      outcome: 'opened',
    });
  });
});

it('an authenticator beside a passkey takes the passkey as a proof', async () => {
  const { person, device } = await holder('both@example.com');
  const personId = person.id;
  expect(await rig.ask('beginSecondFactor', { personId, password })).toEqual({ outcome: 'refused' });
  const proof = { personId, password, passkey: await proveBy(device, personId) };
  expect(await rig.ask('beginSecondFactor', proof)).toMatchObject({ outcome: 'begun' });
  const renewal = { personId, password, passkey: await proveBy(device, personId) };
  expect(await rig.ask('renewRecoveryCodes', renewal)).toMatchObject({ outcome: 'renewed' });
});

it('tells where they work, and refuses them plainly where browsers give none', async () => {
  expect((await rig.ask('session', { token: null })).features.passkeys).toEqual({ origin: 'https://tollgate.example' });
  const { person } = await signUp('nowhere@example.com');
  const settings = rig.newest(AccountsSettings);
  const { people } = settings;
  Object.assign(settings, { people: { ...people, publicUrl: 'http://10.0.0.5:8080' } });
  try {
    expect((await rig.ask('session', { token: null })).features.passkeys).toBeNull();
    await expect(rig.ask('beginPasskey', { personId: person.id, password })).rejects.toMatchObject({
      code: 'conflict',
    });
  } finally {
    Object.assign(settings, { people });
  }
});
