import { uuidv7 } from '@tollgate/contracts';
import { providerDefinition } from '@tollgate/contracts/catalog';
import { aModel } from '@tollgate/testing';
import { AccountsRig, eventually } from '../testing/accounts-rig';

const models = [
  ...['openai/small', 'a/same', 'b/same'].map((id) => aModel({ id })),
  ...['acme/vectors', 'b/vectors'].map((id) => aModel({ id, kind: 'embedding' })),
];
let rig: AccountsRig;
let catalog: Awaited<ReturnType<AccountsRig['tellModels']>>;
beforeAll(async () => {
  rig = await AccountsRig.start();
  catalog = await rig.tellModels(models);
});
afterAll(() => rig?.stop());

let accounts = 0;
async function accountWithKeys() {
  const { id: accountId } = await rig.activeAccount(`buyer-${++accounts}@example.org`);
  const key = async (name: string) => {
    const made = await rig.ask('createKey', { accountId, name });
    return { id: made.key.id, apiKey: made.apiKey };
  };
  return { accountId, one: await key('one'), other: await key('other') };
}
const named = async (apiKey: string) => (await rig.resolve(apiKey))?.budgets.map(({ name }) => name);

describe('a budget', () => {
  it('is told with every key that it holds for, and edges hear of each change', async () => {
    const { accountId, one, other } = await accountWithKeys();
    const heardBefore = rig.changes.length;
    const { budget } = await rig.ask('createBudget', { accountId, name: 'all', limitUsd: '2.5', window: 'month' });
    expect(budget).toMatchObject({ accountId, keyIds: [], limitNanoUsd: '2500000000', timeZone: 'UTC' });
    await rig.ask('createBudget', { accountId, keyId: one.id, name: 'mine', limitUsd: '1', window: 'total' });
    expect(await named(one.apiKey)).toEqual(['all', 'mine']);
    expect(await named(other.apiKey)).toEqual(['all']);
    expect(rig.changes.slice(heardBefore).map(({ key }) => key?.id)).toEqual([one.id, other.id, one.id]);
    await rig.ask('updateBudget', { budgetId: budget.id, limitUsd: '3', name: 'everyone' });
    expect((await rig.resolve(other.apiKey))?.budgets).toEqual([
      {
        ...{ id: budget.id, name: 'everyone', unit: 'usd', limitNanoUsd: '3000000000' },
        ...{ soft: false, fallbackModel: null, models: [], each: null },
      },
    ]);
    const exceeding = { soft: true, fallbackModel: 'openai/small' };
    await rig.ask('updateBudget', { budgetId: budget.id, ...exceeding });
    expect((await rig.resolve(other.apiKey))?.budgets).toMatchObject([exceeding]);
    await expect(rig.ask('updateBudget', { budgetId: budget.id, soft: false })).rejects.toMatchObject({
      code: 'invalid',
    });
    await rig.ask('removeBudget', { budgetId: budget.id, actor: 'ada' });
    expect(await named(other.apiKey)).toEqual([]);
    expect(rig.changes.at(-1)?.key?.budgets).toBeDefined();
    const lines = await rig.database.accountAudit.findMany({ where: { accountId, action: { startsWith: 'budget' } } });
    expect(lines.map(({ action }) => action)).toEqual([
      ...['budget-created', 'budget-created', 'budget-changed', 'budget-changed', 'budget-removed'],
    ]);
  });

  it('keeps its other model while catalog is away or has it no more, and takes no new one', async () => {
    const { accountId } = await accountWithKeys();
    const wish = { accountId, name: 'kept', limitUsd: '1', window: 'day', soft: true } as const;
    const { budget } = await rig.ask('createBudget', { ...wish, fallbackModel: 'openai/small' });
    const change = (what: object) => rig.ask('updateBudget', { budgetId: budget.id, ...what });
    catalog.unsubscribe();
    expect((await change({ limitUsd: '2', fallbackModel: 'openai/small' })).budget.fallbackModel).toBe('openai/small');
    await expect(change({ fallbackModel: 'a/same' })).rejects.toMatchObject({ code: 'unavailable' });
    catalog = await rig.tellModels([aModel({ id: 'a/other' })]);
    expect((await change({ limitUsd: '3', fallbackModel: 'openai/small' })).budget.fallbackModel).toBe('openai/small');
    await expect(change({ fallbackModel: 'a/same' })).rejects.toMatchObject({ code: 'invalid' });
    expect((await change({ fallbackModel: null })).budget.fallbackModel).toBeNull();
    await expect(change({ fallbackModel: 'openai/small' })).rejects.toMatchObject({ code: 'invalid' });
    catalog.unsubscribe();
    catalog = await rig.tellModels(models);
  });

  it('has another model that does what its own do', async () => {
    const { accountId } = await accountWithKeys();
    const wish = { accountId, limitUsd: '1', window: 'day', soft: true } as const;
    let budgets = 0;
    const make = (fallbackModel: string, of: string[] = []) =>
      rig.ask('createBudget', { ...wish, name: `kind ${++budgets}`, fallbackModel, models: of });
    await expect(make('acme/vectors')).rejects.toMatchObject({
      code: 'invalid',
      message:
        'fallbackModel: acme/vectors is for embeddings, and what this budget is of generates: name a model that generates, or make a budget of such models alone (`models`; `--models`).',
    });
    await expect(make('acme/vectors', ['openai/*', 'acme/*'])).rejects.toMatchObject({ code: 'invalid' });
    await expect(make('openai/small', ['*/vectors'])).rejects.toMatchObject({
      code: 'invalid',
      message:
        'fallbackModel: openai/small generates, and what this budget is of is for embeddings: name a model that is for embeddings.',
    });
    await make('acme/vectors', ['*/vectors']);
    await make('openai/small', ['openai/*']);
    await make('openai/small', ['later/*']);
    const { budget } = await make('openai/small');
    const changed = rig.ask('updateBudget', { budgetId: budget.id, fallbackModel: 'acme/vectors' });
    await expect(changed).rejects.toMatchObject({ code: 'invalid' });
  });

  it('has another model that nobody lists, of which it is not known what it does', async () => {
    const { accountId } = await accountWithKeys();
    const open = { id: 'open', name: 'Open', dialect: 'openai-chat', baseUrl: 'https://open.example/v1' };
    const providers = [providerDefinition.parse({ ...open, apiKeyEnv: [], unlisted: true })];
    catalog.unsubscribe();
    catalog = await rig.tellModels(models, { providers });
    const wish = { accountId, name: 'vectors', limitUsd: '1', window: 'day', soft: true } as const;
    const { budget } = await rig.ask('createBudget', {
      ...wish,
      models: ['*/vectors'],
      fallbackModel: 'open/vectors-small',
    });
    expect(budget.fallbackModel).toBe('open/vectors-small');
    catalog.unsubscribe();
    catalog = await rig.tellModels(models);
  });

  it('in tokens is told so, and stays one', async () => {
    const { accountId, one } = await accountWithKeys();
    const wish = { accountId, name: 'tokens', window: 'day' } as const;
    for (const wrong of [{}, { limitUsd: '1', limitTokens: 5 }])
      await expect(rig.ask('createBudget', { ...wish, ...wrong })).rejects.toMatchObject({ code: 'invalid' });
    const { budget } = await rig.ask('createBudget', { ...wish, limitTokens: 5_000_000 });
    expect(budget).toMatchObject({ unit: 'tokens', limitNanoUsd: '5000000' });
    expect((await rig.resolve(one.apiKey))?.budgets).toMatchObject([{ unit: 'tokens', limitNanoUsd: '5000000' }]);
    const budgetId = budget.id;
    const changed = await rig.ask('updateBudget', { budgetId, limitTokens: 7 });
    expect(changed.budget).toMatchObject({ unit: 'tokens', limitNanoUsd: '7' });
    await expect(rig.ask('updateBudget', { budgetId, limitUsd: '7' })).rejects.toMatchObject({ code: 'invalid' });
    const { budget: dollars } = await rig.ask('createBudget', { ...wish, name: 'dollars', limitUsd: '1' });
    await expect(rig.ask('updateBudget', { budgetId: dollars.id, limitTokens: 7 })).rejects.toMatchObject({
      code: 'invalid',
    });
    expect((await rig.ask('listBudgets', { accountId })).budgets.map(({ unit }) => unit)).toEqual(['usd', 'tokens']);
    const lines = await rig.database.accountAudit.findMany({ where: { accountId, action: 'budget-changed' } });
    expect(lines.map(({ detail }) => detail)).toMatchObject([{ limitTokens: 7, limitTokensBefore: 5_000_000 }]);
  });

  it('of some models is told with them, and keeps them', async () => {
    const { accountId, one } = await accountWithKeys();
    const wish = { accountId, name: 'opus', limitUsd: '1', window: 'month', models: ['anthropic/*opus*'] } as const;
    const { budget } = await rig.ask('createBudget', { ...wish, models: [...wish.models] });
    expect(budget.models).toEqual(['anthropic/*opus*']);
    await rig.ask('updateBudget', { budgetId: budget.id, limitUsd: '2' });
    expect((await rig.resolve(one.apiKey))?.budgets).toMatchObject([{ name: 'opus', models: ['anthropic/*opus*'] }]);
  });

  it('of each name is told with whom it is for, and has an end where there may be any number of them', async () => {
    const { accountId, one } = await accountWithKeys();
    const wish = { accountId, limitUsd: '1', window: 'day' } as const;
    const each = { by: 'end_user', names: '*' } as const;
    const { budget } = await rig.ask('createBudget', { ...wish, name: 'users', each });
    expect(budget.each).toEqual(each);
    expect((await rig.resolve(one.apiKey))?.budgets).toMatchObject([{ name: 'users', each }]);
    await rig.ask('createBudget', { ...wish, name: 'ann', window: 'total', each: { by: 'end_user', names: 'ann' } });
    await expect(rig.ask('createBudget', { ...wish, name: 'all', window: 'total', each })).rejects.toMatchObject({
      code: 'invalid',
    });
  });

  it('of a key goes on for the one that takes its place', async () => {
    const { accountId, one } = await accountWithKeys();
    await rig.ask('createBudget', { accountId, keyId: one.id, name: 'mine', limitUsd: '1', window: 'day' });
    const { apiKey, key } = await rig.ask('rotateKey', { keyId: one.id, overlapS: 60 });
    expect(await named(apiKey)).toEqual(['mine']);
    expect(await named(one.apiKey)).toEqual(['mine']);
    const { budgets } = await rig.ask('listBudgets', { accountId });
    expect(budgets[0]?.keyIds).toEqual([one.id, key.id]);
  });

  it('of a project holds for its keys, those too that come to it, and no more for one that leaves', async () => {
    const { accountId, one, other } = await accountWithKeys();
    const wish = { accountId, name: 'web', limitUsd: '1', window: 'month', project: 'web' } as const;
    await expect(rig.ask('createBudget', wish)).rejects.toMatchObject({
      code: 'not_found',
      message: 'The account has no key of the project "web" yet.',
    });
    await rig.ask('updateKey', { keyId: one.id, project: 'web' });
    await expect(rig.ask('createBudget', { ...wish, keyId: one.id })).rejects.toMatchObject({ code: 'invalid' });
    const { budget } = await rig.ask('createBudget', wish);
    expect(budget).toMatchObject({ project: 'web', keyIds: [one.id] });
    await rig.ask('createBudget', { ...wish, name: 'of one key', project: null, keyId: other.id });
    const stranger = await accountWithKeys();
    await rig.ask('updateKey', { keyId: stranger.one.id, project: 'web' });
    const late = await rig.ask('createKey', { accountId, name: 'late', project: ' web ' });
    await rig.ask('updateKey', { keyId: other.id, project: 'web' });
    expect(await named(late.apiKey)).toEqual(['web']);
    expect(await named(other.apiKey)).toEqual(['web', 'of one key']);
    expect(await named(stranger.one.apiKey)).toEqual([]);
    await rig.ask('updateKey', { keyId: other.id, project: null });
    expect(await named(other.apiKey)).toEqual(['of one key']);
    await eventually(
      () => rig.changes.findLast(({ key }) => key?.id === other.id)?.key,
      (heard) => heard?.project === null && heard.budgets.length === 1,
      5_000,
    );
    const next = await rig.ask('rotateKey', { keyId: late.key.id, overlapS: 0 });
    expect(next.key.project).toBe('web');
    expect(await named(next.apiKey)).toEqual(['web']);
    const { budgets } = await rig.ask('listBudgets', { accountId });
    expect(budgets.at(-1)?.keyIds).toEqual([one.id, late.key.id, next.key.id]);
    await rig.ask('updateKey', { keyId: other.id, project: 'search' });
    const expiresAt = Date.now() + 60_000;
    const brief = await rig.ask('createKey', { accountId, name: 'brief', project: 'search', expiresAt });
    const since = (after: number) => ({ accountId, since: expiresAt + after });
    expect(await rig.ask('projects', since(-1))).toMatchObject({
      projects: [{ name: 'search', keyIds: [other.id, brief.key.id] }, { name: 'web' }],
    });
    expect(await rig.ask('projects', since(0))).toEqual({
      projects: [
        { name: 'search', keyIds: [other.id] },
        { name: 'web', keyIds: [one.id, late.key.id, next.key.id] },
      ],
    });
    expect(await rig.ask('projects', { accountId: 'none', since: 0 }).catch(String)).toContain(
      'accountId: give the id',
    );
  });

  it.each(['month', 'total'] as const)(
    'of a project has what a key spent when it comes, and no more when it leaves: %s',
    async (window) => {
      const { accountId, one, other } = await accountWithKeys();
      await rig.ask('updateKey', { keyId: one.id, project: 'web' });
      const wish = { accountId, name: 'web', limitUsd: '1', window, project: 'web' } as const;
      const { id } = (await rig.ask('createBudget', wish)).budget;
      // As old as a total may be: what moves is what one key spent.
      const createdAt = new Date(Date.now() - 400 * 86_400_000);
      await rig.database.budget.update({ where: { id }, data: { createdAt } });
      await rig.database.$executeRaw`
        INSERT INTO budget_spent SELECT id, budget_window_start("window", time_zone, created_at, now()), 7 FROM budget WHERE id = ${id}::uuid`;
      await rig.database.$executeRaw`
        INSERT INTO usage_hour (key_id, at, model, requests, unpriced, input_tokens, output_tokens, cost_nano_usd, account_id)
        VALUES (${other.id}, date_trunc('hour', now(), 'UTC'), 'm', 1, 0, 1, 1, 500, ${accountId})`;
      await rig.database.$executeRaw`
        INSERT INTO usage_minute (key_id, at, model, requests, unpriced, input_tokens, output_tokens, cost_nano_usd, account_id)
        SELECT key_id, at, model, 1, 0, 1, 1, cost_nano_usd, account_id FROM usage_hour WHERE key_id = ${other.id}`;
      const spent = () =>
        rig.database.$queryRaw`SELECT spent_nano_usd::int AS spent FROM budget_spent WHERE budget_id = ${id}::uuid`;
      await rig.ask('createKey', { accountId, name: 'new', project: 'web' });
      await rig.ask('updateKey', { keyId: one.id, tellCost: true, project: 'web' });
      expect(await spent()).toEqual([{ spent: 7 }]);
      await rig.ask('updateKey', { keyId: other.id, project: 'web' });
      expect(await spent()).toEqual([{ spent: 507 }]);
      await rig.ask('updateKey', { keyId: other.id, project: 'search' });
      expect(await spent()).toEqual([{ spent: 7 }]);
    },
  );

  it('of a project has a key once, and lets it go, that stands in it without being of it', async () => {
    const { accountId, one, other } = await accountWithKeys();
    await rig.ask('updateKey', { keyId: one.id, project: 'web' });
    const wish = { accountId, name: 'web', limitUsd: '1', window: 'month', project: 'web' } as const;
    const { id } = (await rig.ask('createBudget', wish)).budget;
    // An accounts of the release before does so where it rotates a key.
    const stands = () => rig.database.budget.update({ where: { id }, data: { keyIds: [one.id, other.id] } });
    const keyIds = async () => (await rig.database.budget.findUniqueOrThrow({ where: { id } })).keyIds;
    await stands();
    await rig.ask('updateKey', { keyId: other.id, project: 'web' });
    expect(await keyIds()).toEqual([one.id, other.id]);
    await rig.ask('updateKey', { keyId: other.id, project: null });
    await stands();
    await rig.ask('updateKey', { keyId: other.id, project: 'search' });
    expect(await keyIds()).toEqual([one.id]);
  });

  it('of a project stands in the audit log by that, and not as of one of its keys', async () => {
    const { accountId, one } = await accountWithKeys();
    await rig.ask('updateKey', { keyId: one.id, project: 'web' });
    const wish = { accountId, name: 'web', limitUsd: '1', window: 'month', project: 'web' } as const;
    const { id: budgetId } = (await rig.ask('createBudget', wish)).budget;
    await rig.ask('updateBudget', { budgetId, limitUsd: '2' });
    await rig.ask('removeBudget', { budgetId });
    const lines = await rig.database.accountAudit.findMany({ where: { accountId, action: { startsWith: 'budget' } } });
    expect(lines).toHaveLength(3);
    for (const line of lines)
      expect(line).toMatchObject({ keyId: null, detail: expect.objectContaining({ project: 'web' }) });
  });

  it('of a project keeps the last of its keys in it', async () => {
    const { accountId, one } = await accountWithKeys();
    await rig.ask('updateKey', { keyId: one.id, project: 'web' });
    const wish = { accountId, name: 'pages', limitUsd: '1', window: 'month', project: 'web' } as const;
    const { budget } = await rig.ask('createBudget', wish);
    await expect(rig.ask('updateKey', { keyId: one.id, project: null, tellCost: true })).rejects.toMatchObject({
      code: 'conflict',
      message: 'It is the last key of the project "web", of which the budget "pages" is. Remove that first.',
    });
    expect(await rig.resolve(one.apiKey)).toMatchObject({ project: 'web', tellCost: false });
    await rig.ask('removeBudget', { budgetId: budget.id });
    await rig.ask('updateKey', { keyId: one.id, project: null });
    expect(await rig.resolve(one.apiKey)).toMatchObject({ project: null, budgets: [] });
  });

  it('has a name of its own in its account, a window that Postgres can work with, and somebody who spends', async () => {
    const [mine, others] = [await accountWithKeys(), await accountWithKeys()];
    const { accountId } = mine;
    const wish = { accountId, name: 'n', limitUsd: '1', window: 'week' } as const;
    await rig.ask('createBudget', { ...wish, timeZone: 'Europe/Berlin' });
    const refused = (changes: object) => expect(rig.ask('createBudget', { ...wish, name: 'm', ...changes })).rejects;
    await refused({ name: 'n' }).toMatchObject({ code: 'conflict' });
    await refused({ timeZone: 'Europe/Nowhere' }).toMatchObject({ code: 'invalid' });
    await refused({ timeZone: "UTC'; --" }).toMatchObject({ code: 'invalid' });
    for (const window of ['24h', '744h', '31d'])
      expect((await rig.ask('createBudget', { ...wish, name: window, window })).budget).toMatchObject({ window });
    for (const window of ['0h', '745h', '32d', '1w', '1.5h', '24 h', 'h', 'year'])
      await refused({ window }).toMatchObject({ code: 'invalid' });
    await refused({ window: '7d', each: { by: 'tag', names: 'team=a' } }).toMatchObject({ code: 'invalid' });
    await refused({ window: '24h', timeZone: 'Europe/Berlin' }).toMatchObject({
      code: 'invalid',
      message: 'timeZone: a window of the last hours or days has none, it goes by UTC.',
    });
    await refused({ fallbackModel: 'openai/small' }).toMatchObject({ code: 'invalid' });
    await refused({ soft: true, fallbackModel: 'openai/smal' }).toMatchObject({
      code: 'invalid',
      message: 'fallbackModel: the catalog has no model "openai/smal". Did you mean openai/small?',
    });
    await refused({ soft: true, fallbackModel: 'same' }).toMatchObject({
      code: 'invalid',
      message: 'fallbackModel: "same" may be one of several models: name a/same, b/same.',
    });
    await refused({ limitUsd: '-1' }).toMatchObject({ code: 'invalid' });
    await refused({ limitUsd: '1e3' }).toMatchObject({ code: 'invalid' });
    await refused({ keyId: others.one.id }).toMatchObject({ code: 'not_found' });
    await refused({ accountId: uuidv7() }).toMatchObject({ code: 'not_found' });
    await rig.ask('revokeKey', { keyId: mine.one.id });
    await refused({ keyId: mine.one.id }).toMatchObject({ code: 'conflict' });
    await expect(rig.ask('updateBudget', { budgetId: uuidv7() })).rejects.toMatchObject({ code: 'not_found' });
    await expect(rig.ask('removeBudget', { budgetId: 'none' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(rig.ask('listBudgets', { accountId: 'none' })).rejects.toMatchObject({ code: 'invalid' });
  });
});
