import { toBudget, type StoredBudget } from './stored-budget';

const stored: StoredBudget = {
  ...{ id: 'b1', accountId: 'a1', name: 'ci', keyIds: [], project: null, models: [], eachBy: null, eachNames: null },
  ...{
    unit: 'usd',
    limitNanoUsd: 5n,
    window: 'month',
    timeZone: 'UTC',
    openingNanoUsd: 0n,
    soft: false,
    fallbackModel: null,
  },
  createdAt: new Date(1_000),
};
const keyIds = Array.from({ length: 70_000 }, (_, index) => `key-${index}`);

it('tells the newest keys of a budget, so that a list of budgets stays a list', () => {
  expect(toBudget({ ...stored, keyIds: ['key-0', 'key-1'] }).keyIds).toEqual(['key-0', 'key-1']);
  const told = toBudget({ ...stored, project: 'ci', keyIds }).keyIds;
  expect([told.length, told.at(-1)]).toEqual([20, 'key-69999']);
});
