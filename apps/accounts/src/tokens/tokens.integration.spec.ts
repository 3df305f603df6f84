import { apiKeyDigest, isAdminToken, isApiKey, uuidv7 } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import { adminRoutes } from '@tollgate/contracts/edge';
import { ExpiredRows } from '../expired-rows';
import { Changes } from '../keys/changes';
import { AccountsRig } from '../testing/accounts-rig';
import { deedsKeptMs } from './deeds.controller';

let rig: AccountsRig;
beforeAll(async () => {
  rig = await AccountsRig.start();
  await rig.startInstance();
});
afterAll(() => rig.stop());

const inADay = () => Date.now() + 86_400_000;
const newToken = async (name = 'terraform') =>
  rig.ask('createToken', { name, scopes: ['keys:write'], expiresAt: inADay(), actor: 'cli:ada' });
const createKey = (tokenId: string, changes: { idempotencyKey?: string; name?: string; digest?: string } = {}) => {
  const { idempotencyKey = 'once', name = 'made', digest = 'a' } = changes;
  const { subject } = accountsOperations.createKey;
  return rig.ask('doOnce', { tokenId, idempotencyKey, digest, subject, request: { name, actor: 'token:x' } });
};
const keysOf = async (name: string) =>
  (await rig.ask('listKeys', { limit: 500 })).keys.filter((key) => key.name === name);

describe('a token', () => {
  it('is told once, kept as a digest, found by it, and written down', async () => {
    const { token, adminToken } = await newToken();
    expect([isAdminToken(token), isApiKey(token)]).toEqual([true, false]);
    const [row] = await rig.database.$queryRaw<object[]>`SELECT * FROM admin_token WHERE id = ${adminToken.id}::uuid`;
    expect(JSON.stringify(row)).not.toContain(token);
    const found = await rig.resolveToken(token);
    expect(found).toEqual(adminToken);
    expect(found).toMatchObject({ scopes: ['keys:write'], createdBy: 'cli:ada', lastUsedAt: null, revokedAt: null });
    expect((await rig.resolveToken(token))?.lastUsedAt).toBeGreaterThan(adminToken.createdAt - 1);
    const { lines } = await rig.ask('listAudit', { action: 'token-created', limit: 1 });
    expect(lines).toMatchObject([{ actor: 'cli:ada', detail: { tokenId: adminToken.id, scopes: ['keys:write'] } }]);
    expect((await rig.ask('listTokens', {})).tokens[0]).toMatchObject({ id: adminToken.id, name: 'terraform' });
  });

  it('is revoked once, which is written down once, and is known no API key', async () => {
    const { token, adminToken } = await newToken('gone');
    const first = await rig.ask('revokeToken', { tokenId: adminToken.id, actor: 'cli:ada' });
    const { revokedAt } = first.adminToken;
    expect((await rig.resolveToken(token))?.revokedAt).toBe(revokedAt);
    expect(await rig.ask('revokeToken', { tokenId: adminToken.id })).toMatchObject({ adminToken: { revokedAt } });
    const { lines } = await rig.ask('listAudit', { action: 'token-revoked' });
    expect(lines.filter(({ detail }) => detail['tokenId'] === adminToken.id)).toHaveLength(1);
    expect(await rig.resolve(token)).toBeNull();
    await expect(rig.ask('revokeToken', { tokenId: 'none' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('goes on under a new pepper, once it was used while the former one was known', async () => {
    const { token, adminToken } = await newToken('kept');
    const now = apiKeyDigest(token, 'a new pepper of thirty-two characters');
    const found = async (...digests: string[]) => (await rig.ask('resolveToken', { digests })).adminToken?.id;
    expect(await found(now)).toBeUndefined();
    expect(await found(now, apiKeyDigest(token, rig.pepper))).toBe(adminToken.id);
    expect(await found(now)).toBe(adminToken.id);
  });

  it('is not used where it works no more', async () => {
    const [revoked, expired] = [await newToken(), await newToken()];
    await rig.ask('revokeToken', { tokenId: revoked.adminToken.id });
    const where = { id: expired.adminToken.id };
    await rig.database.adminToken.update({ where, data: { expiresAt: new Date(1) } });
    for (const { token } of [revoked, expired])
      for (let i = 0; i < 2; i++) expect(await rig.resolveToken(token)).toMatchObject({ lastUsedAt: null });
  });

  it('does not begin after its end', async () => {
    const late = rig.ask('createToken', { name: 'late', scopes: ['keys:read'], expiresAt: 1 });
    await expect(late).rejects.toMatchObject({ code: 'invalid' });
  });
});

describe('what is done under an idempotency key', () => {
  it('is done once, however often and at how many instances it is asked for at once, with one answer', async () => {
    const { adminToken } = await newToken();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => createKey(adminToken.id, { name: 'a dozen times' })),
    );
    expect(new Set(answers.map(({ reply }) => JSON.stringify(reply))).size).toBe(1);
    expect(answers.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
    expect(await keysOf('a dozen times')).toHaveLength(1);
    const { apiKey, key } = accountsOperations.createKey.reply.parse(answers[0]?.reply);
    expect(await rig.resolve(apiKey)).toMatchObject({ id: key.id, name: 'a dozen times', keyStatus: 'active' });
  });

  it('is done once for a person, too', async () => {
    const personId = uuidv7();
    const first = await createKey(personId, { name: 'by a person' });
    expect(await createKey(personId, { name: 'by a person' })).toEqual({ reply: first.reply, isReplay: true });
    expect(await createKey(uuidv7(), { name: 'by a person' })).toMatchObject({ isReplay: false });
    expect(await keysOf('by a person')).toHaveLength(2);
  });

  it('is told to edges as any change', async () => {
    const { adminToken } = await newToken();
    await createKey(adminToken.id, { name: 'told' });
    expect(rig.changes.map(({ key }) => key?.name)).toContain('told');
  });

  it('is sealed: the database alone does not give the new key away', async () => {
    const { adminToken } = await newToken();
    const { apiKey } = accountsOperations.createKey.reply.parse((await createKey(adminToken.id)).reply);
    const rows = await rig.database.adminDeed.findMany({ where: { tokenId: adminToken.id } });
    expect(rows).toHaveLength(1);
    for (const text of [JSON.stringify(rows), Buffer.from(rows[0]?.sealedReply ?? '', 'base64').toString('latin1')])
      expect(text).not.toContain(apiKey);
  });

  it('is another deed for another token, and no answer to another question', async () => {
    const [one, other] = [await newToken(), await newToken()];
    const first = await createKey(one.adminToken.id);
    expect((await createKey(other.adminToken.id)).reply).not.toEqual(first.reply);
    expect(await createKey(one.adminToken.id, { digest: 'b' })).toEqual({ reply: null, isReplay: false });
    expect((await createKey(one.adminToken.id)).reply).toEqual(first.reply);
  });

  it('is not kept where it is refused, and is done when it is asked for rightly', async () => {
    const { adminToken } = await newToken();
    await expect(createKey(adminToken.id, { name: '' })).rejects.toMatchObject({ code: 'invalid' });
    expect(await createKey(adminToken.id, { digest: 'b' })).toMatchObject({ isReplay: false });
  });

  it('can be done anew a day later, and is removed then', async () => {
    const { adminToken } = await newToken();
    const where = { tokenId: adminToken.id };
    const first = await createKey(adminToken.id);
    await rig.database.adminDeed.updateMany({ where, data: { doneAt: new Date(Date.now() - deedsKeptMs) } });
    const again = await createKey(adminToken.id, { digest: 'b' });
    expect(again.reply).not.toEqual(first.reply);
    await rig.newest(ExpiredRows).remove();
    expect(await rig.database.adminDeed.count({ where })).toBe(1);
    await rig.database.adminDeed.updateMany({ where, data: { doneAt: new Date(Date.now() - deedsKeptMs - 1) } });
    await rig.newest(ExpiredRows).remove();
    expect(await rig.database.adminDeed.count({ where })).toBe(0);
  });

  it('is told apart where its answer was sealed under another pepper', async () => {
    const { adminToken } = await newToken();
    await createKey(adminToken.id, { name: 'sealed' });
    await rig.database.adminDeed.updateMany({ where: { tokenId: adminToken.id }, data: { sealedReply: 'AAAA' } });
    expect(await createKey(adminToken.id, { name: 'sealed' })).toEqual({ reply: null, isReplay: true });
    expect(await keysOf('sealed')).toHaveLength(1);
  });

  it('is told as away, not as a fault, where Postgres is lost in the middle of it', async () => {
    const changes = rig.newest(Changes);
    const lost = changes.commit(() =>
      changes
        .commit(({ transaction }) => transaction.$executeRaw`SELECT pg_terminate_backend(pg_backend_pid())`)
        .catch((error: unknown) => Promise.reject(new Error('within', { cause: error }))),
    );
    await expect(lost).rejects.toMatchObject({ cause: { code: 'unavailable' } });
  });

  it('is nothing that may not be done so', async () => {
    const { adminToken } = await newToken();
    const asked = { tokenId: adminToken.id, idempotencyKey: 'x', digest: 'a', request: { name: 'x', actor: 'x' } };
    const strange = rig.ask('doOnce', { ...asked, subject: 'accounts.tokens.resolve' });
    await expect(strange).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('every write of accounts through the admin API', () => {
  const actor = 'token:terraform (tg_adm_…abcd)';
  const email = 'written@example.com';
  let made: Record<string, string>;
  const acme = { id: 'acme', name: 'Acme', baseUrl: 'https://api.acme.example/v1' };
  const ownKey = { account: email, provider: 'acme', baseUrl: acme.baseUrl, sealed: 'newest.x', lastFour: null };
  beforeAll(async () => {
    await rig.tellTaking(() => ({ sealing: { id: 'newest', publicKey: 'x' }, providers: [acme] }));
    await rig.ask('signUp', { name: 'Ada', email, password: 'correct horse battery', address: '127.0.0.1' });
    const { key } = await rig.ask('createKey', { email, name: 'to change', project: 'checkout' });
    const rotated = await rig.ask('createKey', { email, name: 'to rotate' });
    const budget = await rig.ask('createBudget', {
      accountId: key.accountId,
      name: 'month',
      limitUsd: '5',
      window: 'month',
    });
    const { webhook } = await rig.ask('createWebhook', { name: 'there', url: 'https://localhost:1/there' });
    const { accountId } = key;
    const at = new Date();
    const [personId, invitationId] = [uuidv7(), uuidv7()];
    const member = { id: personId, accountId, email: 'member@example.com', name: 'Member' };
    await rig.database.person.create({ data: { ...member, accountRole: 'developer' } });
    await rig.database.secondFactor.create({ data: { personId, sealedSecret: 'x', createdAt: at, enabledAt: at } });
    const invitation = { id: invitationId, accountId, email: 'invited@example.com', role: 'viewer' as const };
    await rig.database.invitation.create({
      data: {
        ...invitation,
        digest: 'x',
        isMailed: false,
        invitedBy: 'ada',
        createdAt: at,
        expiresAt: new Date(inADay()),
      },
    });
    made = {
      ...{ accountId, personId, invitationId },
      keyId: key.id,
      rotated: rotated.key.id,
      budgetId: budget.budget.id,
      webhookId: webhook.id,
      makerId: (await newToken('maker')).adminToken.id,
      tokenId: (await newToken('to revoke')).adminToken.id,
    };
  });

  const asked: Record<string, () => object> = {
    'POST /keys': () => ({ email, name: 'made' }),
    'PATCH /keys/:keyId': () => ({ keyId: made['keyId'], rpm: 7 }),
    'POST /keys/:keyId/rotate': () => ({ keyId: made['rotated'], overlapS: 0 }),
    'POST /keys/:keyId/revoke': () => ({ keyId: made['keyId'] }),
    'POST /accounts': () => ({ name: 'Eve', email: 'somebody-else@example.com' }),
    'POST /accounts/:account/status': () => ({ account: email, status: 'active', plan: 'pro' }),
    'POST /accounts/:account/role': () => ({ account: email, role: 'administrator' }),
    'POST /accounts/:account/reset-links': () => ({ account: email }),
    'POST /accounts/:account/invitations': () => ({
      ...{ account: email, email: 'somebody-else-still@example.com' },
      ...{ role: 'viewer', way: 'link' },
    }),
    'DELETE /accounts/:account/invitations/:invitationId': () => ({
      account: email,
      invitationId: made['invitationId'],
    }),
    'PATCH /accounts/:account/people/:personId': () => ({
      ...{ account: email, personId: made['personId'] },
      role: 'viewer',
    }),
    'DELETE /accounts/:account/people/:personId/second-factor': () => ({ account: email, personId: made['personId'] }),
    'DELETE /accounts/:account/people/:personId': () => ({ account: email, personId: made['personId'] }),
    'PUT /accounts/:account/own-keys/:provider': () => ownKey,
    'PATCH /accounts/:account/own-keys/:provider': () => ({ account: email, provider: 'acme', fallsBack: true }),
    'DELETE /accounts/:account/own-keys/:provider': () => ({ account: email, provider: 'acme' }),
    'PUT /accounts/:account/projects/:project/own-keys/:provider': () => ({ ...ownKey, project: 'checkout' }),
    'PATCH /accounts/:account/projects/:project/own-keys/:provider': () => ({
      ...{ account: email, provider: 'acme', project: 'checkout', fallsBack: true },
    }),
    'DELETE /accounts/:account/projects/:project/own-keys/:provider': () => ({
      ...{ account: email, project: 'checkout' },
      provider: 'acme',
    }),
    'PATCH /accounts/:account/projects/:project': () => ({ account: email, project: 'checkout', name: 'shop' }),
    'POST /budgets': () => ({ accountId: made['accountId'], name: 'day', limitUsd: '1', window: 'day' }),
    'PATCH /budgets/:budgetId': () => ({ budgetId: made['budgetId'], limitUsd: '6' }),
    'DELETE /budgets/:budgetId': () => ({ budgetId: made['budgetId'] }),
    'POST /tokens': () => ({
      name: 'made',
      scopes: ['keys:write'],
      expiresAt: Date.now() + 60_000,
      under: made['makerId'],
    }),
    'POST /tokens/:tokenId/revoke': () => ({ tokenId: made['tokenId'] }),
    'POST /imports/accounts': () => ({
      source: 'other',
      account: { reference: 'other:1', name: 'Other', person: null, plan: 'pro' },
    }),
    'POST /webhooks': () => ({ name: 'ops', url: 'https://localhost:1/hook' }),
    'POST /webhooks/:webhookId/test': () => ({ webhookId: made['webhookId'] }),
    'PATCH /webhooks/:webhookId': () => ({ webhookId: made['webhookId'], name: 'on call' }),
    'DELETE /webhooks/:webhookId': () => ({ webhookId: made['webhookId'] }),
  };
  const writes = adminRoutes.filter(({ method, act }) => method !== 'GET' && !act);
  const named = writes.map((route) => [`${route.method} ${route.path}`, route] as const);
  // As they stand above: what is removed is changed before.
  const inOrder = Object.keys(asked).flatMap((name) => named.filter(([its]) => its === name));

  it('has a sample here', () => {
    expect(named.map(([name]) => name).toSorted()).toEqual(Object.keys(asked).toSorted());
  });

  it.each(inOrder)('%s writes a line in the name of the token', async (name, { operation }) => {
    const { adminToken } = await newToken();
    const lines = () => rig.database.accountAudit.findMany({ where: { actor } });
    const before = await lines();
    const request = { ...asked[name]?.(), actor };
    const once = { tokenId: adminToken.id, idempotencyKey: name, digest: 'a' };
    await rig.ask('doOnce', { ...once, subject: operation.subject, request });
    expect((await lines()).length).toBe(before.length + 1);
    expect(await rig.database.accountAudit.count({ where: { actor: { contains: 'somebody-else' } } })).toBe(0);
  });
});
