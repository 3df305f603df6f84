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

it('makes no key of a project whose name takes keys out of theirs', async () => {
  await expect(ran('keys create --name ci --project none', [])).rejects.toThrow('of no project');
});
