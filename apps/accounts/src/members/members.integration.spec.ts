import { accountRole, type AccountRole, type OpenedSession } from '@tollgate/contracts/accounts';
import { addressesOf } from '../people/person-rows';
import { AccountsRig, bootstrapSecret, eventually } from '../testing/accounts-rig';
import { newClient } from '../testing/new-client';

let rig: AccountsRig;
beforeAll(async () => {
  rig = await AccountsRig.start();
});
afterAll(() => rig.stop());

const password = 'correct horse battery';
const tokenOf = (text: string | null | undefined) => /[?]token=([\w-]+)/.exec(text ?? '')?.[1] ?? 'no token';

/** An account that is let in, and its owner, signed in. */
async function ownerOf(name: string): Promise<OpenedSession> {
  const email = `owner@${name}.example`;
  const reply = await rig.ask('signUp', { name, email, password, purpose: '', ...newClient() });
  if (reply.outcome !== 'opened') throw new Error(reply.outcome);
  await rig.ask('setAccountStatus', { account: email, status: 'active' });
  return reply.session;
}

async function inviteBy({ person, account }: OpenedSession, email: string, role: AccountRole) {
  const acting = { account: account.id, by: person.id, actor: person.email };
  return rig.ask('invite', { email, role, way: 'link', ...acting });
}

async function join(link: string | null, changes: { name?: string; password?: string } = {}): Promise<OpenedSession> {
  const reply = await rig.ask('join', { token: tokenOf(link), name: 'New', password, ...newClient(), ...changes });
  if (reply.outcome !== 'opened') throw new Error(reply.outcome);
  return reply.session;
}

/** Somebody who joined the account of an owner in a role. */
async function joined(owner: OpenedSession, email: string, role: AccountRole): Promise<OpenedSession> {
  return join((await inviteBy(owner, email, role)).link);
}

const acting = ({ person, account }: OpenedSession) => ({ account: account.id, by: person.id, actor: person.email });
const keyOf = async ({ person, account }: OpenedSession, name = 'a key') =>
  rig.ask('createKey', { accountId: account.id, personId: person.id, name, actor: person.email });

it.each(['removeMember', 'resetSecondFactor'] as const)('%s tells nobody of people elsewhere', async (operation) => {
  const [owner, other] = [await ownerOf(`asks-${operation}`), await ownerOf(`asked-${operation}`)];
  for (const personId of [other.person.id, owner.account.id, 'none'])
    await expect(rig.ask(operation, { personId, ...acting(owner) })).rejects.toMatchObject({
      ...{ code: 'not_found', message: 'There is no such person in this account.' },
    });
});

describe('an invitation', () => {
  it('by a link makes a person of the account in its role, once, whose address is still to be verified', async () => {
    const owner = await ownerOf('link');
    const { invitation, link } = await inviteBy(owner, 'Dev@link.example', 'developer');
    expect(invitation).toMatchObject({ email: 'dev@link.example', role: 'developer', invitedBy: owner.person.email });
    expect(link).toMatch(/^https:\/\/tollgate\.example\/join\?token=[\w-]{43}$/);
    expect(await rig.ask('invited', { token: tokenOf(link) })).toEqual({
      ...{ accountName: 'link', email: 'dev@link.example', role: 'developer', invitedBy: owner.person.email },
    });
    const session = await join(link);
    expect(session).toMatchObject({
      person: { email: 'dev@link.example', role: 'user', accountRole: 'developer', emailVerified: false },
      account: { id: owner.account.id, status: 'active' },
    });
    await expect(join(link)).rejects.toMatchObject({ code: 'invalid' });
    const { people, invitations } = await rig.ask('listMembers', { account: owner.account.id });
    expect(people.map(({ email, accountRole: role }) => [email, role])).toEqual([
      ['owner@link.example', 'owner'],
      ['dev@link.example', 'developer'],
    ]);
    expect(invitations).toEqual([]);
  });

  it.each(['cli:root', 'token:deploy (tg_adm_…abcd)', 'operator'])(
    'by %s is of an administrator, for whoever is invited',
    async (actor) => {
      const owner = await ownerOf(actor.slice(0, 5).replace(':', ''));
      const invite = (email: string, way: 'link' | 'mail') =>
        rig.ask('invite', { account: owner.account.id, email, role: 'viewer', way, actor });
      const { invitation, link } = await invite(`linked@${owner.account.name}.example`, 'link');
      expect(invitation.invitedBy).toBe(actor);
      expect(await rig.ask('invited', { token: tokenOf(link) })).toMatchObject({
        invitedBy: 'An administrator of this gateway',
      });
      const mailed = `mailed@${owner.account.name}.example`;
      await invite(mailed, 'mail');
      const { mails } = await rig.ask('listMails', {});
      const body = mails.find(({ recipient }) => recipient === mailed)?.body;
      expect(body).toContain('\n\nAn administrator of this gateway invites you to use the models of');
    },
  );

  it('by mail tells nobody else the link, which proves the address', async () => {
    const owner = await ownerOf('mail');
    const email = 'dev@mail.example';
    const { link } = await rig.ask('invite', { email, role: 'viewer', way: 'mail', ...acting(owner) });
    expect(link).toBeNull();
    const { mails } = await rig.ask('listMails', {});
    const { body, subject } = mails.find(({ recipient }) => recipient === email) ?? {};
    expect(subject).toBe('You are invited to mail');
    expect(await join(body ?? '')).toMatchObject({ person: { emailVerified: true, accountRole: 'viewer' } });
  });

  it('keeps no token, and ends with the next one of the same address', async () => {
    const owner = await ownerOf('again');
    const first = await inviteBy(owner, 'dev@again.example', 'viewer');
    const second = await inviteBy(owner, 'dev@again.example', 'billing');
    const stored = await rig.database.invitation.findMany({ where: { accountId: owner.account.id } });
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(tokenOf(second.link));
    await expect(rig.ask('invited', { token: tokenOf(first.link) })).rejects.toMatchObject({ code: 'invalid' });
    expect((await join(second.link)).person.accountRole).toBe('billing');
  });

  it('stops working when it is withdrawn, when its week is over, and while the account is suspended', async () => {
    const owner = await ownerOf('ends');
    const { invitation, link } = await inviteBy(owner, 'withdrawn@ends.example', 'viewer');
    await rig.ask('withdrawInvitation', { invitationId: invitation.id, ...acting(owner) });
    await expect(join(link)).rejects.toMatchObject({ code: 'invalid' });
    const again = rig.ask('withdrawInvitation', { invitationId: invitation.id, ...acting(owner) });
    await expect(again).rejects.toMatchObject({ code: 'not_found' });

    const late = await inviteBy(owner, 'late@ends.example', 'viewer');
    expect(late.invitation.expiresAt - late.invitation.createdAt).toBe(7 * 86_400_000);
    await rig.database.invitation.update({ where: { id: late.invitation.id }, data: { expiresAt: new Date() } });
    await expect(join(late.link)).rejects.toMatchObject({ code: 'invalid' });

    const held = await inviteBy(owner, 'held@ends.example', 'viewer');
    await rig.ask('setAccountStatus', { account: owner.account.id, status: 'suspended' });
    await expect(join(held.link)).rejects.toMatchObject({ code: 'invalid' });
    await expect(inviteBy(owner, 'more@ends.example', 'viewer')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('stands only while who made it may invite so: not when they are removed, nor in a role that may less', async () => {
    const owner = await ownerOf('made');
    const second = await joined(owner, 'second@made.example', 'owner');
    const ofOwner = await inviteBy(second, 'back-as-owner@made.example', 'owner');
    const ofSecond = await inviteBy(second, 'back@made.example', 'administrator');
    const open = async () => (await rig.ask('listMembers', { account: owner.account.id })).invitations.length;
    expect(await open()).toBe(2);
    const become = (role: AccountRole) =>
      rig.ask('setAccountRole', { personId: second.person.id, role, ...acting(owner) });
    await become('administrator');
    await expect(join(ofOwner.link)).rejects.toMatchObject({ code: 'invalid' });
    expect(await open()).toBe(1);
    await become('developer');
    await expect(rig.ask('invited', { token: tokenOf(ofSecond.link) })).rejects.toMatchObject({ code: 'invalid' });
    await become('administrator');
    await rig.ask('invited', { token: tokenOf(ofSecond.link) });
    await rig.ask('removeMember', { personId: second.person.id, ...acting(owner) });
    await expect(join(ofSecond.link)).rejects.toMatchObject({ code: 'invalid' });
    expect(await open()).toBe(0);
  });

  it('takes nobody out of another account', async () => {
    const [owner, other] = [await ownerOf('here'), await ownerOf('there')];
    await expect(inviteBy(owner, other.person.email, 'viewer')).rejects.toMatchObject({ code: 'conflict' });
    // Who comes in elsewhere after the invitation was made.
    const { link } = await inviteBy(owner, 'fast@there.example', 'viewer');
    await joined(other, 'fast@there.example', 'viewer');
    await expect(join(link)).rejects.toMatchObject({ code: 'invalid' });
  });

  it('is used up by one of ten who open it at once', async () => {
    const owner = await ownerOf('crowd');
    const { link } = await inviteBy(owner, 'one@crowd.example', 'viewer');
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => join(link)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('is not used up by a password that is refused', async () => {
    const owner = await ownerOf('refused');
    const { link } = await inviteBy(owner, 'long-enough@refused.example', 'viewer');
    await expect(join(link, { password: 'long-enough@refused.example' })).rejects.toMatchObject({ code: 'invalid' });
    await join(link);
  });

  it('is made by the operator for an account by its address, and written into the audit log', async () => {
    const owner = await ownerOf('operator');
    const wanted = { email: 'dev@operator.example', role: 'owner' as const, way: 'link' as const, actor: 'cli:ada' };
    await join((await rig.ask('invite', { account: owner.person.email, ...wanted })).link);
    const { lines } = await rig.ask('listAudit', { accountId: owner.account.id, limit: 2 });
    expect(lines).toMatchObject([
      { actor: 'dev@operator.example', action: 'person-joined', detail: { role: 'owner' } },
      { actor: 'cli:ada', action: 'person-invited', detail: { email: 'dev@operator.example', role: 'owner' } },
    ]);
  });
});

describe('who may change people', () => {
  it.each(
    accountRole.options.map((role): [AccountRole, boolean] => [role, role === 'owner' || role === 'administrator']),
  )('a person who is %s: %s', async (role, may) => {
    const owner = await ownerOf(`may-${role}`);
    const actor = role === 'owner' ? owner : await joined(owner, `actor@may-${role}.example`, role);
    const other = await joined(owner, `other@may-${role}.example`, 'viewer');
    const open = await inviteBy(owner, `open@may-${role}.example`, 'viewer');
    const attempts = [
      () => inviteBy(actor, `invited@may-${role}.example`, 'developer'),
      () => rig.ask('withdrawInvitation', { invitationId: open.invitation.id, ...acting(actor) }),
      () => rig.ask('setAccountRole', { personId: other.person.id, role: 'billing', ...acting(actor) }),
      () => rig.ask('removeMember', { personId: other.person.id, ...acting(actor) }),
    ];
    for (const attempt of attempts)
      if (may) await attempt();
      else await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' });
    expect(await rig.database.person.count({ where: { id: other.person.id } })).toBe(may ? 0 : 1);
  });

  it('an administrator makes, changes and removes no owners, themselves included', async () => {
    const owner = await ownerOf('ranks');
    const second = await joined(owner, 'second@ranks.example', 'owner');
    const administrator = await joined(owner, 'administrator@ranks.example', 'administrator');
    const { invitation } = await inviteBy(owner, 'third@ranks.example', 'owner');
    const by = acting(administrator);
    for (const attempt of [
      () => inviteBy(administrator, 'mine@ranks.example', 'owner'),
      () => rig.ask('withdrawInvitation', { invitationId: invitation.id, ...by }),
      () => rig.ask('setAccountRole', { personId: administrator.person.id, role: 'owner', ...by }),
      () => rig.ask('setAccountRole', { personId: second.person.id, role: 'viewer', ...by }),
      () => rig.ask('removeMember', { personId: second.person.id, ...by }),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('nobody changes people of another account', async () => {
    const [owner, other] = [await ownerOf('mine'), await ownerOf('theirs')];
    const theirs = await joined(other, 'viewer@theirs.example', 'viewer');
    const { invitation } = await inviteBy(other, 'invited@theirs.example', 'viewer');
    // Under their own account the other's people are not to be found; under the other's they may do nothing.
    for (const [account, code] of [
      [owner.account.id, 'not_found'],
      [other.account.id, 'forbidden'],
    ] as const) {
      const by = { ...acting(owner), account };
      for (const attempt of [
        rig.ask('setAccountRole', { personId: theirs.person.id, role: 'owner', ...by }),
        rig.ask('removeMember', { personId: theirs.person.id, ...by }),
        rig.ask('withdrawInvitation', { invitationId: invitation.id, ...by }),
      ])
        await expect(attempt).rejects.toMatchObject({ code });
    }
  });

  it('an account keeps an owner, also when two take it from each other at once', async () => {
    const owner = await ownerOf('last');
    const remove = rig.ask('removeMember', { personId: owner.person.id, ...acting(owner) });
    await expect(remove).rejects.toMatchObject({ code: 'conflict' });
    const demote = rig.ask('setAccountRole', { personId: owner.person.id, role: 'viewer', ...acting(owner) });
    await expect(demote).rejects.toMatchObject({ code: 'conflict' });
    const second = await joined(owner, 'second@last.example', 'owner');
    await Promise.allSettled([
      rig.ask('removeMember', { personId: owner.person.id, ...acting(second) }),
      rig.ask('removeMember', { personId: second.person.id, ...acting(owner) }),
    ]);
    expect((await rig.ask('listMembers', { account: owner.account.id })).people).toHaveLength(1);
  });
});

describe('who is removed', () => {
  it('is signed out, and their keys stop on every edge within a second, but not those of machines', async () => {
    const owner = await ownerOf('leaver');
    const leaver = await joined(owner, 'leaver@leaver.example', 'developer');
    const [theirs, rotated] = [await keyOf(leaver), await keyOf(leaver)];
    const { apiKey: renewed } = await rig.ask('rotateKey', { keyId: rotated.key.id, overlapS: 3_600 });
    const machines = await rig.ask('createKey', { accountId: owner.account.id, name: 'machine' });
    const { people } = await rig.ask('listMembers', { account: owner.account.id });
    expect(people.map(({ keys }) => keys)).toEqual([0, 3]);
    const before = rig.changes.length;
    const { revokedKeys } = await rig.ask('removeMember', { personId: leaver.person.id, ...acting(owner) });
    const told = () => new Set(rig.changes.slice(before).map(({ key }) => `${key?.id} ${key?.keyStatus}`));
    await eventually(() => told().size === 3, 1_000);
    expect(revokedKeys).toBe(3);
    for (const { apiKey } of [theirs, rotated, { apiKey: renewed }])
      expect(await rig.resolve(apiKey)).toMatchObject({ keyStatus: 'revoked' });
    expect(await rig.resolve(machines.apiKey)).toMatchObject({ keyStatus: 'active' });
    expect((await rig.ask('session', { token: leaver.token })).signedIn).toBeNull();
    const typed = { email: 'leaver@leaver.example', password, ...newClient() };
    expect((await rig.ask('signIn', typed)).outcome).toBe('refused');
  });

  it('does not come back by a mail for a new password, also where the account is called by their address', async () => {
    const founder = await ownerOf('founder');
    const second = await joined(founder, 'second@founder.example', 'owner');
    await rig.ask('removeMember', { personId: founder.person.id, ...acting(second) });
    const mails = () => rig.database.mail.count({ where: { recipient: founder.person.email } });
    const before = await mails();
    await rig.ask('forgot', { email: founder.person.email, ...newClient() });
    expect(await mails()).toBe(before);
    expect(await rig.database.person.count({ where: { email: founder.person.email } })).toBe(0);
    // Their colleagues may ask them back.
    expect((await joined(second, founder.person.email, 'viewer')).person.accountRole).toBe('viewer');
  });

  it('is nobody who administers the gateway, until that is taken from them', async () => {
    const secret = { secret: bootstrapSecret, name: 'Root', email: 'root@gateway.example', password, ...newClient() };
    expect((await rig.ask('firstAdministrator', secret)).outcome).toBe('opened');
    const owner = await ownerOf('gateway');
    const second = await joined(owner, 'second@gateway.example', 'owner');
    const viewer = await joined(owner, 'viewer@gateway.example', 'viewer');
    const { people } = await rig.ask('setRole', { account: owner.account.id, role: 'administrator', actor: 'root' });
    // Those who are no owners are none.
    expect(people.map(({ role }) => role)).toEqual(['administrator', 'administrator', 'user']);
    const remove = () => rig.ask('removeMember', { personId: second.person.id, ...acting(owner) });
    await expect(remove()).rejects.toMatchObject({ code: 'conflict' });
    const role = { personId: second.person.id, role: 'viewer' as const };
    await expect(rig.ask('setAccountRole', { ...role, ...acting(owner) })).rejects.toMatchObject({ code: 'conflict' });
    await rig.ask('setRole', { account: owner.account.id, role: 'user', actor: 'root' });
    await remove();
    await rig.ask('removeMember', { personId: viewer.person.id, ...acting(owner) });
  });
});

describe('a key', () => {
  it('is found under the name of whose it is only, and made for people of the account', async () => {
    const [owner, stranger] = [await ownerOf('keys'), await ownerOf('strangers')];
    const developer = await joined(owner, 'developer@keys.example', 'developer');
    const { key } = await keyOf(developer);
    expect(key.person).toEqual({ id: developer.person.id, name: 'New' });
    const machines = await rig.ask('createKey', { accountId: owner.account.id, name: 'machine' });
    expect(machines.key.person).toBeNull();
    const whose = { accountId: owner.account.id, personId: developer.person.id };
    for (const keyId of [machines.key.id, (await keyOf(owner)).key.id]) {
      const refused = { code: 'not_found' };
      await expect(rig.ask('rotateKey', { keyId, overlapS: 0, ...whose })).rejects.toMatchObject(refused);
      await expect(rig.ask('revokeKey', { keyId, ...whose })).rejects.toMatchObject(refused);
      await expect(rig.ask('updateKey', { keyId, logContent: true, ...whose })).rejects.toMatchObject(refused);
      await expect(rig.ask('keyDigest', { keyId, ...whose })).rejects.toMatchObject(refused);
    }
    await rig.ask('revokeKey', { keyId: key.id, ...whose });
    const foreign = { accountId: owner.account.id, personId: stranger.person.id, name: 'x' };
    await expect(rig.ask('createKey', foreign)).rejects.toMatchObject({ code: 'not_found' });
  });
});

it('writes of budgets to owners and to who pays, and to nobody who left', async () => {
  const owner = await ownerOf('written');
  await joined(owner, 'pays@written.example', 'billing');
  await joined(owner, 'codes@written.example', 'developer');
  const second = await joined(owner, 'second@written.example', 'owner');
  await rig.ask('removeMember', { personId: owner.person.id, ...acting(second) });
  const written = await addressesOf(rig.database, owner.account.id);
  expect(written.map(({ email }) => email)).toEqual(['pays@written.example', 'second@written.example']);
});

describe('a link that an administrator of the gateway hands over for a new password', () => {
  it('is for one person where one is named, and leaves those of the others', async () => {
    const owner = await ownerOf('forgets');
    const viewer = await joined(owner, 'viewer@forgets.example', 'viewer');
    const make = async (personId?: string) => {
      const { links } = await rig.ask('makeResetLinks', { account: owner.account.id, personId, actor: 'root' });
      return links.map(({ email }) => email);
    };
    const kept = () => rig.database.oneTimeToken.findMany({ where: { personId: viewer.person.id, purpose: 'reset' } });
    expect(await make()).toEqual([owner.person.email, viewer.person.email]);
    const before = await kept();
    expect(before).toHaveLength(1);
    expect(await make(owner.person.id)).toEqual([owner.person.email]);
    expect(await kept()).toEqual(before);
    const stranger = await ownerOf('stranger');
    await expect(make(stranger.person.id)).rejects.toMatchObject({ code: 'not_found' });
  });
});
