import { ran } from '../ran.fixture';

const command = 'budgets create --account ann@example.com --name web --limit 5 --project web';
const budget = {
  ...{ id: 'b1', name: 'web', limitNanoUsd: '5000000000', accountId: 'a1', keyIds: [], project: 'web' },
  ...{ window: 'month', timeZone: 'UTC', createdAt: 0 },
};

it('says so where accounts knows of no projects, so that the budget is of the whole account', async () => {
  expect((await ran(command, [{ budget }])).out).toBe('The budget b1 holds.');
  const { project: _project, ...ofAccount } = budget;
  await expect(ran(command, [{ budget: ofAccount }])).rejects.toThrow('tollgate budgets remove b1');
});

it('sets a limit in tokens, and one limit alone', async () => {
  const ofTokens = { ...budget, unit: 'tokens', limitNanoUsd: '1000000', project: null };
  const create = 'budgets create --account ann@example.com --name ci --window day';
  const { asked } = await ran(`${create} --tokens 1000000`, [{ budget: ofTokens }]);
  expect(asked).toMatchObject([{ subject: 'accounts.budgets.create', limitTokens: 1_000_000, window: 'day' }]);
  const changed = await ran('budgets change b1 --tokens 5', [{ budget: { ...ofTokens, limitNanoUsd: '5' } }]);
  expect(changed.asked).toMatchObject([{ subject: 'accounts.budgets.update', limitTokens: 5 }]);
  // Of an accounts that left out what it does not know.
  await expect(ran('budgets change b1 --tokens 5', [{ budget }])).rejects.toThrow('upgrade accounts first');
  for (const wrong of ['', '--tokens 1.5', '--tokens 1e3', '--tokens 5 --limit 1'])
    await expect(ran(`${create} ${wrong}`.trim(), [])).rejects.toThrow(/limit|whole number/);
});

it.each(['--models openai/*,anthropic/*', '--models openai/* anthropic/*', '--models openai/* --models anthropic/*'])(
  'counts several models, as keys name them: a pattern with a comma would be of none: %s',
  async (models) => {
    const create = 'budgets create --account ann@example.com --name ci --limit 5';
    const { asked } = await ran(`${create} ${models}`, [{ budget }]);
    expect(asked).toMatchObject([{ models: ['openai/*', 'anthropic/*'] }]);
  },
);

it('finds the account of a key, and asks for one where neither is said', async () => {
  const key = {
    ...{ id: 'k1', name: 'ci', display: 'tg-1', accountId: 'a1', accountName: 'Ann', plan: 'free', createdAt: 0 },
    ...{ version: 1, keyStatus: 'active', accountStatus: 'active', expiresAt: null, rpm: null, quotaTokens: null },
    models: [],
  };
  const create = 'budgets create --name ci --limit 5';
  const { asked } = await ran(`${create} --key k1`, [{ key }, { budget: { ...budget, project: null } }]);
  expect(asked).toMatchObject([
    { subject: 'accounts.keys.get', keyId: 'k1' },
    { subject: 'accounts.budgets.create', accountId: 'a1', keyId: 'k1' },
  ]);
  await expect(ran(create, [])).rejects.toThrow('Say --account, or --key.');
});

it('makes no key of a project whose name takes keys out of theirs', async () => {
  await expect(ran('keys create --name ci --project none', [])).rejects.toThrow('of no project');
});
