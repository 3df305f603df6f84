import { uuidv7 } from '@tollgate/contracts';
import { AccountsRig } from '../testing/accounts-rig';

let rig: AccountsRig;
beforeAll(async () => {
  rig = await AccountsRig.start();
  await rig.startInstance();
});
afterAll(() => rig.stop());

const inADay = () => Date.now() + 86_400_000;

describe('a token that a token made', () => {
  const end = inADay();
  const maker = async () =>
    (await rig.ask('createToken', { name: 'maker', scopes: ['keys:read', 'tokens:write'], expiresAt: end })).adminToken;
  const make = (under: string, changes: object = {}) =>
    rig.ask('createTokenUnder', {
      ...{ name: 'made', scopes: ['keys:read'], expiresAt: end, under, actor: 'token:maker (x)' },
      ...changes,
    });

  it('has what that has, and no more', async () => {
    const { id } = await maker();
    expect((await make(id)).adminToken).toMatchObject({ scopes: ['keys:read'], createdBy: 'token:maker (x)' });
    for (const [changes, message] of [
      [{ scopes: ['keys:read', 'people:write'] }, /what it has itself, and not people:write/],
      [{ scopes: ['scim'] }, /and not scim/],
      [{ expiresAt: null }, /none that ends after itself/],
      [{ expiresAt: end + 1 }, /none that ends after itself/],
    ] as const)
      await expect(make(id, changes)).rejects.toMatchObject({
        code: 'forbidden',
        message: expect.stringMatching(message),
      });
    await expect(make(id, { expiresAt: 1 })).rejects.toMatchObject({ code: 'invalid' });
  });

  it('is revoked with it, and so is what it made', async () => {
    const first = await maker();
    const second = await make(first.id, { scopes: ['keys:read', 'tokens:write'] });
    const third = await make(second.adminToken.id);
    const other = await rig.ask('createToken', { name: 'other', scopes: ['keys:write'], expiresAt: end });
    await rig.ask('revokeToken', { tokenId: first.id, actor: 'cli:ada' });
    for (const { token } of [second, third]) expect((await rig.resolveToken(token))?.revokedAt).not.toBeNull();
    expect((await rig.resolveToken(other.token))?.revokedAt).toBeNull();
    const { lines } = await rig.ask('listAudit', { action: 'token-revoked', limit: 3 });
    const ids = [first.id, second.adminToken.id, third.adminToken.id];
    expect(new Set(lines.map(({ detail }) => detail['tokenId']))).toEqual(new Set(ids));
  });

  it('is none where that works no more, or never was', async () => {
    const { id } = await maker();
    await rig.ask('revokeToken', { tokenId: id });
    const old = await maker();
    await rig.database.adminToken.update({ where: { id: old.id }, data: { expiresAt: new Date(1) } });
    for (const under of [id, old.id, uuidv7(), 'none'])
      await expect(make(under)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('ends with it also where a release of before revoked that alone', async () => {
    const first = await maker();
    const second = await make(first.id, { scopes: ['keys:read', 'tokens:write'] });
    const third = await make(second.adminToken.id);
    const revokedAt = new Date();
    await rig.database.adminToken.update({ where: { id: first.id }, data: { revokedAt } });
    for (const { token } of [second, third])
      expect((await rig.resolveToken(token))?.revokedAt).toBe(revokedAt.getTime());
    await expect(make(second.adminToken.id)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is one of so many at most, and all of a flood are revoked at once', async () => {
    const { id } = await maker();
    await rig.database.$executeRaw`
      INSERT INTO admin_token (id, digest, display, name, scopes, created_by, made_by_id, created_at, expires_at, revoked_at)
      SELECT gen_random_uuid(), 'digest ' || n, '…', 'flood', '{}', 'spec', ${id}::uuid, now(),
        CASE WHEN n > 40000 THEN now() + interval '1 hour' ELSE now() - interval '1 hour' END, NULL
      FROM generate_series(1, 40100) AS n`;
    await expect(make(id)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('100') });
    await rig.ask('revokeToken', { tokenId: id });
    const working = { madeById: id, revokedAt: null, expiresAt: { gt: new Date() } };
    expect(await rig.database.adminToken.count({ where: working })).toBe(0);
    expect(await rig.database.adminToken.count({ where: { madeById: id, revokedAt: { not: null } } })).toBe(100);
  });
});
