import { AccountsRig } from '../testing/accounts-rig';

let rig: AccountsRig;
beforeAll(async () => {
  rig = await AccountsRig.start();
});
afterAll(() => rig?.stop());

let accounts = 0;
async function accountWithProject() {
  const email = `project-${++accounts}@example.org`;
  const { id: accountId } = await rig.activeAccount(email);
  const key = (name: string, project: string) => rig.ask('createKey', { accountId, name, project });
  const [one, revoked, other] = [await key('one', 'web'), await key('two', 'web'), await key('three', 'shop')];
  await rig.ask('revokeKey', { keyId: revoked.key.id });
  const wish = { accountId, project: 'web', name: 'pages', limitUsd: '5', window: 'month' } as const;
  const { budget } = await rig.ask('createBudget', wish);
  const ownKey = { accountId, project: 'web', provider: 'acme', baseUrl: 'https://a', sealed: 'x', setBy: 'ada' };
  await rig.database.projectOwnKey.create({ data: { ...ownKey, setAt: new Date() } });
  return { accountId, email, one, revoked, other, budget };
}

it('all that is of a project goes with its new name, and edges hear of it', async () => {
  const { accountId, email, one, revoked, other, budget } = await accountWithProject();
  const heardBefore = rig.changes.length;
  const asked = { account: email, project: 'web', name: ' site ', actor: 'ada' };
  expect(await rig.ask('renameProject', asked)).toEqual({ project: 'site', keys: 2, budgets: 1, ownKeys: 1 });
  expect(await rig.resolve(one.apiKey)).toMatchObject({
    ...{ project: 'site', ownKeys: { acme: 'x' } },
    budgets: [{ id: budget.id, name: 'pages' }],
  });
  expect(await rig.resolve(other.apiKey)).toMatchObject({ project: 'shop', budgets: [] });
  expect((await rig.ask('getKey', { keyId: revoked.key.id })).key.project).toBe('site');
  expect((await rig.ask('listBudgets', { accountId })).budgets[0]).toMatchObject({ project: 'site' });
  const heard = rig.changes.slice(heardBefore).map(({ key }) => key?.id);
  expect(new Set(heard)).toEqual(new Set([one.key.id, revoked.key.id]));
  expect(heard).toHaveLength(2);
  const [line] = await rig.database.accountAudit.findMany({ where: { accountId, action: 'project-renamed' } });
  expect(line).toMatchObject({
    ...{ actor: 'ada', keyId: null },
    detail: { project: 'site', projectBefore: 'web', keys: 2, budgets: 1, ownKeys: 1 },
  });
  const later = await rig.ask('createKey', { accountId, name: 'later', project: 'site' });
  expect((await rig.resolve(later.apiKey))?.budgets).toMatchObject([{ id: budget.id }]);
});

it('no two projects become one, nor is one made, by a name', async () => {
  const { accountId: account } = await accountWithProject();
  const rename = (project: string, name: string) => rig.ask('renameProject', { account, project, name });
  await expect(rename('web', 'shop')).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('has a project "shop" already') as string,
  });
  await expect(rename('wbe', 'site')).rejects.toMatchObject({
    ...{ code: 'not_found', message: 'The account has no project "wbe".' },
  });
  for (const name of ['none', ' ', '..']) await expect(rename('web', name)).rejects.toMatchObject({ code: 'invalid' });
  expect(await rename('web', 'web')).toEqual({ project: 'web', keys: 2, budgets: 1, ownKeys: 1 });
  expect(await rig.database.accountAudit.count({ where: { accountId: account, action: 'project-renamed' } })).toBe(0);
});

it('says the same again to whoever did not hear the answer, and nothing to others', async () => {
  const { accountId: account } = await accountWithProject();
  const rename = (project: string, name: string) => rig.ask('renameProject', { account, project, name });
  const answer = await rename('web', 'site');
  expect(await rename('web', 'site')).toEqual(answer);
  await expect(rename('web', 'shop')).rejects.toMatchObject({ code: 'not_found' });
  await expect(rename('wbe', 'site')).rejects.toMatchObject({ code: 'not_found' });
  await rename('site', 'pages');
  await expect(rename('web', 'site')).rejects.toMatchObject({ code: 'not_found' });
  await rig.ask('createKey', { accountId: account, name: 'anew', project: 'site' });
  await expect(rename('web', 'site')).rejects.toMatchObject({ code: 'not_found' });
  const other = (await accountWithProject()).accountId;
  await rig.ask('renameProject', { account: other, project: 'web', name: 'site' });
  await expect(rename('web', 'site')).rejects.toMatchObject({ code: 'not_found' });
  expect(await rig.database.accountAudit.count({ where: { accountId: account, action: 'project-renamed' } })).toBe(2);
});

it('tells the name as it is kept, whatever way its letters were typed', async () => {
  const { accountId: account, one } = await accountWithProject();
  const { project } = await rig.ask('renameProject', { account, project: 'web', name: 'cafe\u0301' });
  expect(project).toBe('caf\u00e9');
  expect(await rig.resolve(one.apiKey)).toMatchObject({ project });
});

it('of several who rename at once those who are late are refused, and no two projects are one', async () => {
  const { accountId: account } = await accountWithProject();
  const answers = await Promise.allSettled([
    rig.ask('renameProject', { account, project: 'web', name: 'site' }),
    rig.ask('renameProject', { account, project: 'web', name: 'pages' }),
    rig.ask('renameProject', { account, project: 'shop', name: 'site' }),
  ]);
  const refused = answers.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []));
  const { projects } = await rig.ask('projects', { accountId: account, since: 0 });
  expect(new Set(projects.map(({ keyIds }) => keyIds.length))).toEqual(new Set([1, 2]));
  expect(refused.every((code) => code === 'not_found' || code === 'conflict')).toBe(true);
  expect(refused.length).toBeGreaterThan(0);
});
