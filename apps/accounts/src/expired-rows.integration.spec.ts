import { AccountsRig } from './testing/accounts-rig';
import { ExpiredRows } from './expired-rows';

const dayMs = 86_400_000;
let rig: AccountsRig;
beforeAll(async () => {
  rig = await AccountsRig.start();
});
afterAll(() => rig.stop());

it('removes sessions, links, tries and mails when their time is over, and nothing before', async () => {
  const client = { address: '198.51.100.1', userAgent: '' };
  await rig.ask('signUp', { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery', ...client });
  const { session, oneTimeToken, throttle, mail } = rig.database;
  const counts = () => Promise.all([session.count(), oneTimeToken.count(), throttle.count(), mail.count()]);
  const rows = rig.newest(ExpiredRows);
  await rows.remove();
  expect(await counts()).toEqual([1, 1, 1, 1]);
  await rows.remove(Date.now() + 3 * dayMs);
  expect(await counts()).toEqual([1, 0, 0, 1]);
  await rows.remove(Date.now() + 31 * dayMs);
  expect(await counts()).toEqual([0, 0, 0, 0]);
});

it('removes what was told of a budget when its window is over, and never of one that does not begin anew, or is not below since', async () => {
  const { id: accountId } = await rig.activeAccount('told@example.com');
  const { budgetNotice } = rig.database;
  for (const window of ['month', 'total'] as const) {
    const { budget } = await rig.ask('createBudget', { accountId, name: window, limitUsd: '1', window });
    await budgetNotice.create({ data: { budgetId: budget.id, windowStart: new Date(), percent: 50 } });
  }
  const { budget } = await rig.ask('createBudget', { accountId, name: 'rolls', limitUsd: '1', window: '7d' });
  const told = [
    { percent: 50, fellBelow: false },
    { percent: 80, fellBelow: true },
  ];
  await budgetNotice.createMany({
    data: told.map((one) => ({ ...one, budgetId: budget.id, windowStart: new Date(0) })),
  });
  await rig.newest(ExpiredRows).remove(Date.now() + 39 * dayMs);
  expect(await budgetNotice.count()).toBe(4);
  await rig.newest(ExpiredRows).remove(Date.now() + 41 * dayMs);
  const kept = await budgetNotice.findMany({ include: { budget: true }, orderBy: { budget: { name: 'asc' } } });
  expect(kept.map((one) => [one.budget.window, one.percent])).toEqual([
    ['7d', 50],
    ['total', 50],
  ]);
});
