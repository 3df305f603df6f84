import { createApiKey } from '@tollgate/contracts';
import { FirstStart } from './first-start';
import { AccountsSettings } from './settings';
import { AccountsRig, bootstrapSecret } from './testing/accounts-rig';

const email = 'root@example.com';
const password = 'correct horse battery';
const apiKey = createApiKey('tg');
const client = { address: '198.51.100.7', userAgent: 'a browser' };
const administrator = { email: 'Root@Example.com', password, name: 'Root', account: 'Example Ltd' };
const initial = { administrator, key: { apiKey, name: 'terraform', plan: 'enterprise' } };

let rig: AccountsRig;
beforeEach(async () => {
  rig = await AccountsRig.start({ initial });
});
afterEach(() => rig.stop());

const signIn = (typed = password) => rig.ask('signIn', { email, password: typed, ...client });
const counts = async () => {
  const { account, person, apiKey: keys } = rig.database;
  return [await account.count(), await person.count(), await keys.count()];
};

it('the first start makes administrator, account and key', async () => {
  expect(await signIn()).toMatchObject({
    outcome: 'opened',
    session: {
      person: { name: 'Root', email, role: 'administrator' },
      account: { name: 'Example Ltd', status: 'active' },
    },
  });
  expect(await rig.resolve(apiKey)).toMatchObject({ name: 'terraform', rpm: null, quotaTokens: null });
  const { lines } = await rig.ask('listAudit', {});
  expect(lines.map(({ actor, action }) => [actor, action])).toEqual([
    ['environment', 'key-created'],
    [email, 'first-administrator-made'],
  ]);
  expect(JSON.stringify(lines)).not.toContain(apiKey);
  expect((await rig.ask('session', { token: null })).features.needsFirstAdministrator).toBe(false);
});

it('two instances that start at once, and every later start, make nothing twice', async () => {
  await Promise.all([rig.startInstance({ initial }), rig.startInstance({ initial })]);
  expect(await counts()).toEqual([1, 1, 1]);
});

it('what was changed since then stays: a revoked key, another password, another pepper', async () => {
  const key = await rig.resolve(apiKey);
  await rig.ask('revokeKey', { keyId: key?.id ?? '' });
  await rig.startInstance({
    initial: { ...initial, administrator: { ...administrator, password: 'another password' } },
    keyPepper: 'a pepper that came after the first one',
  });
  expect(await rig.resolve(apiKey)).toMatchObject({ keyStatus: 'revoked' });
  expect(await signIn('another password')).toMatchObject({ outcome: 'refused' });
  expect(await counts()).toEqual([1, 1, 1]);
});

it('what cannot be made keeps nothing from starting: a plan that does not exist', async () => {
  const other = createApiKey('tg');
  await rig.startInstance({ initial: { administrator: null, key: { apiKey: other, name: 'other', plan: 'golden' } } });
  expect(await rig.resolve(other)).toBeNull();
  expect(await signIn()).toMatchObject({ outcome: 'opened' });
  expect(rig.newest(FirstStart)).toBeDefined();
});

it('a key alone belongs to the operator, and the first administrator is made by hand', async () => {
  await rig.stop();
  rig = await AccountsRig.start({ initial: { administrator: null, key: { apiKey, name: 'first', plan: null } } });
  expect(await rig.resolve(apiKey)).toMatchObject({ name: 'first' });
  const made = await rig.ask('firstAdministrator', {
    secret: bootstrapSecret,
    name: 'Root',
    email,
    password,
    ...client,
  });
  expect(made).toMatchObject({ outcome: 'opened' });
});

it('the environment names them, and what is half of it is refused', () => {
  const environment = { NATS_URL: 'nats://a', DATABASE_URL: 'postgresql://a', TOLLGATE_KEY_PEPPER: 'x'.repeat(32) };
  expect(new AccountsSettings(environment).initial).toEqual({ administrator: null, key: null });
  const named = { TOLLGATE_INIT_ADMIN_EMAIL: email, TOLLGATE_INIT_ADMIN_PASSWORD: password, TOLLGATE_INIT_KEY: apiKey };
  expect(new AccountsSettings({ ...environment, ...named }).initial).toEqual({
    administrator: { email, password, name: 'Administrator', account: null },
    key: { apiKey, name: 'first', plan: null },
  });
  const wrong = { TOLLGATE_INIT_ADMIN_EMAIL: email, TOLLGATE_INIT_KEY: `${apiKey}x` };
  expect(() => new AccountsSettings({ ...environment, ...wrong })).toThrow(
    /TOLLGATE_INIT_KEY: is no key[^]*TOLLGATE_INIT_ADMIN_EMAIL, TOLLGATE_INIT_ADMIN_PASSWORD: set both/,
  );
});
