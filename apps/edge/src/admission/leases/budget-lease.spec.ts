import type { BudgetEach, KeyBudget } from '@tollgate/contracts/metering';
import { dueBudgets } from './budget-lease';

const budget = (id: string, each: BudgetEach | null = null): KeyBudget => ({
  ...{ id, name: id, unit: 'usd', limitNanoUsd: '1', soft: false, fallbackModel: null, models: [], each },
});
const due = (budgets: KeyBudget[], ...said: [Parameters<typeof dueBudgets>[1]]) =>
  dueBudgets(budgets, ...said).map(({ id, whose }) => (whose === undefined ? id : `${id} of ${whose}`));

describe('the budgets of a request', () => {
  const all = [
    budget('whole'),
    budget('user', { by: 'end_user', names: '*' }),
    budget('ann', { by: 'end_user', names: 'ann' }),
    budget('team', { by: 'tag', names: 'team=*' }),
  ];

  it('are the parts of the names that it says, of those that each name has alone', () => {
    expect(due(all, { endUser: 'ann', tags: ['team=a', 'prod'] })).toEqual([
      ...['whole', 'user of ann', 'ann of ann', 'team of team=a'],
    ]);
    expect(due(all, { endUser: 'bob' })).toEqual(['whole', 'user of bob']);
  });

  it('are one for each of several tags that match, each once', () => {
    expect(due(all, { tags: ['team=a', 'team=b', 'team=a'] })).toEqual(['whole', 'team of team=a', 'team of team=b']);
  });

  it('are the undivided ones where it says no name', () => {
    expect(due(all, undefined)).toEqual(['whole']);
    expect(due(all, { session: 'ann', agent: 'ann' })).toEqual(['whole']);
    expect(due([budget('whole')], { endUser: 'ann' })).toEqual(['whole']);
  });
});
