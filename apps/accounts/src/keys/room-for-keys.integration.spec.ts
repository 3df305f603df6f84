import { AccountsRig } from '../testing/accounts-rig';

let rig: AccountsRig;
let other: string;
beforeAll(async () => {
  rig = await AccountsRig.start({ keysPerAccount: 3 });
  other = (await rig.activeAccount('other@example.org')).id;
});
afterAll(() => rig?.stop());

const refused = {
  code: 'conflict',
  message: 'At most 3 keys of an account may work: revoke one first, or ask the operator for more (KEYS_PER_ACCOUNT).',
};

let accounts = 0;
async function accountWith(keys: number) {
  const { id: accountId } = await rig.activeAccount(`many-${++accounts}@example.org`);
  const make = (expiresAt?: number) => rig.ask('createKey', { accountId, name: 'one', expiresAt });
  const made = [];
  for (let index = 0; index < keys; index += 1) made.push(await make());
  return { accountId, make, made };
}

it('of an account only so many keys work, however many are made at once', async () => {
  const { accountId, make, made } = await accountWith(1);
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => make()));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  await expect(make()).rejects.toMatchObject(refused);
  await rig.ask('createKey', { accountId: other, name: 'of another account' });
  await rig.ask('revokeKey', { keyId: made[0]?.key.id ?? '' });
  await make();
  expect(await rig.database.apiKey.count({ where: { accountId, status: 'active' } })).toBe(3);
});

it('a key that has expired has room for another, and does not work again without', async () => {
  const { accountId, make, made } = await accountWith(3);
  const keyId = made[0]?.key.id ?? '';
  await rig.database.apiKey.update({ where: { id: keyId }, data: { expiresAt: new Date(Date.now() - 1_000) } });
  await rig.ask('updateKey', { keyId, name: 'ended' });
  await make();
  await expect(rig.ask('updateKey', { keyId, expiresAt: null })).rejects.toMatchObject(refused);
  await expect(rig.ask('updateKey', { keyId, expiresAt: Date.now() + 60_000 })).rejects.toMatchObject(refused);
  const working = { accountId, status: 'active', expiresAt: null } as const;
  expect(await rig.database.apiKey.count({ where: working })).toBe(3);
});

it('one is rotated at once however many there are, and beside the old one where there is room', async () => {
  const { made } = await accountWith(3);
  const [one, two] = made.map(({ key }) => key.id);
  await expect(rig.ask('rotateKey', { keyId: one ?? '', overlapS: 60 })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('may work: rotate this one without an overlap, or ask') as string,
  });
  const { key } = await rig.ask('rotateKey', { keyId: one ?? '', overlapS: 0 });
  await rig.ask('revokeKey', { keyId: two ?? '' });
  await rig.ask('rotateKey', { keyId: key.id, overlapS: 60 });
});

it('one of more than may work, as from an import or before a smaller number, is changed and rotated', async () => {
  const { accountId, make, made } = await accountWith(3);
  const keyId = made[0]?.key.id ?? '';
  const { key: fourth } = await rig.ask('createKey', { accountId: other, name: 'brought' });
  await rig.database.apiKey.update({ where: { id: fourth.id }, data: { accountId } });
  expect((await rig.ask('updateKey', { keyId, name: 'renamed', rpm: 7, expiresAt: null })).key.rpm).toBe(7);
  await rig.ask('updateKey', { keyId, expiresAt: Date.now() + 600_000 });
  await rig.ask('rotateKey', { keyId: fourth.id, overlapS: 0 });
  await rig.ask('revokeKey', { keyId });
  await expect(make()).rejects.toMatchObject(refused);
});

it("the operator's own account has as many as it likes", async () => {
  for (let index = 0; index < 5; index += 1) await rig.ask('createKey', { name: 'mine' });
});
