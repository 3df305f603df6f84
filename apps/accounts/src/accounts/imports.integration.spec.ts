import { presentedKeyDigest } from '@tollgate/contracts';
import type { ImportedAccount } from '@tollgate/contracts/accounts';
import { eventually } from '@tollgate/testing';
import { createHash } from 'node:crypto';
import { AccountsRig } from '../testing/accounts-rig';

let rig: AccountsRig;
beforeAll(async () => {
  rig = await AccountsRig.start();
});
afterAll(() => rig?.stop());

const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex');
const take = (account: Partial<ImportedAccount> & { reference: string }) =>
  rig.ask('takeImport', {
    source: 'litellm',
    actor: 'cli:spec',
    account: { name: account.reference, person: null, plan: 'enterprise', ...account },
  });
const imported = (key: string, more: object = {}) => ({
  ...{ sha256: sha256(key), display: `sk-…${key.slice(-4)}`, name: key },
  ...more,
});

it('tells edges that keys of another form may be shown, from the first one on', async () => {
  await eventually(() => rig.beats.at(-1)?.importedKeys === false);
  await take({ reference: 'litellm:team:none' });
  await take({ reference: 'litellm:team:first', keys: [imported('sk-first')] });
  await eventually(() => rig.beats.at(-1)?.importedKeys === true);
});

describe('a key that came over', () => {
  it('is found by who shows it, works within its limits, and is told to edges', async () => {
    const key = imported('sk-callers-own', { rpm: 7, quotaTokens: null, models: ['gpt-4o'], openingUsd: '1.25' });
    const { made, accountId } = await take({ reference: 'litellm:team:a', keys: [key] });
    expect(made).toEqual({ accounts: 1, people: 0, keys: 1, budgets: 0 });
    const found = await rig.resolve('sk-callers-own');
    expect(found).toMatchObject({ accountId, keyStatus: 'active', rpm: 7, quotaTokens: null, models: ['gpt-4o'] });
    await eventually(() =>
      rig.changes.some(({ digest }) => digest === presentedKeyDigest('sk-callers-own', rig.pepper)),
    );
    const { keys } = await rig.ask('listKeys', { accountId });
    expect(keys).toMatchObject([{ display: 'sk-…-own', openingNanoUsd: '1250000000' }]);
  });

  it('stands nowhere in the database by the hash that the other gateway has of it, which lets nobody in', async () => {
    await take({ reference: 'litellm:team:hashed', keys: [imported('sk-hashed')] });
    const rows = await rig.database.$queryRaw<{ row: string }[]>`SELECT api_key::text AS row FROM api_key`;
    expect(rows.some(({ row }) => row.includes(sha256('sk-hashed')))).toBe(false);
    for (const shown of [sha256('sk-hashed'), `sk-${sha256('sk-hashed')}`]) expect(await rig.resolve(shown)).toBeNull();
  });

  it('stops when it is revoked, and gives way to one of our own when it is rotated', async () => {
    const keys = [imported('sk-revoked'), imported('sk-rotated'), imported('sk-blocked', { revoked: true })];
    const { accountId } = await take({ reference: 'litellm:team:ends', keys });
    const idOf = async (key: string) => (await rig.resolve(key))?.id ?? '';
    await rig.ask('revokeKey', { keyId: await idOf('sk-revoked') });
    const { apiKey } = await rig.ask('rotateKey', { keyId: await idOf('sk-rotated'), overlapS: 0 });
    for (const key of ['sk-revoked', 'sk-rotated', 'sk-blocked'])
      expect(await rig.resolve(key)).toMatchObject({ accountId, keyStatus: 'revoked' });
    expect(await rig.resolve(apiKey)).toMatchObject({ accountId, name: 'sk-rotated', keyStatus: 'active' });
  });

  it('is kept under a new pepper when it is used', async () => {
    await take({ reference: 'litellm:team:pepper', keys: [imported('sk-peppered')] });
    const next = 'the pepper of tomorrow, forty characters';
    expect(await rig.resolve('sk-peppered', next)).toBeNull();
    expect(await rig.resolve('sk-peppered', next, [rig.pepper])).not.toBeNull();
    await eventually(async () => (await rig.resolve('sk-peppered', next)) !== null);
  });
});

describe('an account that came over', () => {
  const account = {
    reference: 'Team-Lead@Example.org',
    name: 'Team',
    person: { name: 'Lead', email: 'Team-Lead@Example.org' },
    keys: [imported('sk-one'), imported('sk-two')],
    budgets: [
      { name: 'team', limitUsd: '100', window: 'month' as const, openingUsd: '12.5' },
      { name: 'key one', limitTokens: 500, openingTokens: 40, window: 'day' as const, keys: [sha256('sk-one')] },
    ],
  };

  it('has its person, its budgets and their openings', async () => {
    const { made, accountId } = await take(account);
    expect(made).toEqual({ accounts: 1, people: 1, keys: 2, budgets: 2 });
    expect((await rig.resolve('sk-one'))?.budgets.map(({ name }) => name)).toEqual(['team', 'key one']);
    expect((await rig.resolve('sk-two'))?.budgets.map(({ name }) => name)).toEqual(['team']);
    const budgets = await rig.database.budget.findMany({ where: { accountId }, orderBy: { id: 'asc' } });
    expect(budgets.map(({ openingNanoUsd }) => openingNanoUsd)).toEqual([12_500_000_000n, 40n]);
    expect(budgets.map(({ unit, limitNanoUsd }) => [unit, limitNanoUsd])).toEqual([
      ['usd', 100_000_000_000n],
      ['tokens', 500n],
    ]);
    const { links } = await rig.ask('makeResetLinks', { account: 'team-lead@example.org', actor: 'spec' });
    expect(links).toHaveLength(1);
  });

  it('lets nobody else into an account that is there', async () => {
    const person = { name: 'Stranger', email: 'stranger@example.org' };
    for (const reference of [account.reference, 'litellm:team:a', 'operator'])
      await expect(take({ reference, person })).rejects.toMatchObject({ code: 'invalid' });
    expect(await rig.database.person.count({ where: { email: person.email } })).toBe(0);
  });

  it('comes once, however often it is told, and what was changed here since stays', async () => {
    const { id: keyId = '', accountId = '' } = (await rig.resolve('sk-two')) ?? {};
    await rig.ask('updateKey', { keyId, rpm: 3 });
    await rig.ask('revokeKey', { keyId: (await rig.resolve('sk-one'))?.id ?? '' });
    const before = await rig.database.accountAudit.count();
    const again = await take({ ...account, name: 'Another', keys: [...account.keys, ...account.keys] });
    expect(again).toEqual({ accountId, made: { accounts: 0, people: 0, keys: 0, budgets: 0 } });
    expect(await rig.resolve('sk-two')).toMatchObject({ rpm: 3 });
    expect(await rig.resolve('sk-one')).toMatchObject({ keyStatus: 'revoked' });
    expect(await rig.database.accountAudit.count()).toBe(before);
  });

  it('has no budget twice that stands here with spaces around its name, as those of before do', async () => {
    const wish = {
      reference: 'litellm:team:spaced',
      budgets: [{ name: 'day', limitUsd: '1', window: 'day' as const }],
    };
    const { accountId } = await take(wish);
    await rig.database.budget.updateMany({ where: { accountId }, data: { name: 'day ' } });
    expect((await take(wish)).made.budgets).toBe(0);
  });

  it('has a budget of its project where all keys of that are of it, and else of these keys', async () => {
    const reference = 'litellm:team:projects';
    await take({ reference, keys: [imported('sk-here-before')] });
    const keys = [imported('sk-of-web', { project: 'web' }), imported('sk-of-app', { project: 'app' })];
    const budget = { limitUsd: '5', window: 'day' as const };
    const ofKeys = (...names: string[]) => ({ keys: names.map(sha256) });
    const { accountId } = await take({
      ...{ reference, keys },
      budgets: [
        { ...budget, name: 'web', project: 'web', ...ofKeys('sk-here-before', 'sk-of-web') },
        { ...budget, name: 'app', project: 'app', ...ofKeys('sk-of-app') },
      ],
    });
    const made = await rig.database.budget.findMany({ where: { accountId }, orderBy: { id: 'asc' } });
    expect(made.map(({ project, keyIds }) => [project, keyIds.length])).toEqual([
      [null, 2],
      ['app', 1],
    ]);
  });

  it('is told about in the audit log', async () => {
    const { accountId } = await take({ reference: 'litellm:team:audited', keys: [imported('sk-audited')] });
    const { lines } = await rig.ask('listAudit', { accountId });
    expect(lines).toMatchObject([
      { actor: 'cli:spec', action: 'imported', detail: { source: 'litellm', accounts: 1, keys: 1 } },
    ]);
  });

  it.each([
    ['an unknown plan', { plan: 'gold' }, 'There is no plan'],
    ['an unknown plan of a key', { keys: [imported('sk-x', { plan: 'gold' })] }, 'There is no plan'],
    [
      'a budget of a key that it lacks',
      { budgets: [{ name: 'b', limitUsd: '1', window: 'day' as const, keys: [sha256('sk-two')] }] },
      'does not have',
    ],
    ['a hash that is none', { keys: [imported('sk-x', { sha256: 'sk-x' })] }, 'sha256'],
  ])('with %s is refused as a whole', async (_what, changes, words) => {
    const reference = 'litellm:team:refused';
    await expect(take({ reference, ...changes })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(words),
    });
    expect(await rig.database.account.count({ where: { email: reference } })).toBe(0);
  });
});
