import type { Plan } from '@tollgate/contracts/accounts';
import { planGone, planLossText, planUseText } from './plan-use';

it.each([
  [{ keys: 0, accounts: 0 }, 'No key and no account has it.'],
  [{ keys: 1, accounts: 0 }, '1 key and 0 accounts have it.'],
  [{ keys: 1_200, accounts: 1 }, '1,200 keys and 1 account have it.'],
  [{ keys: null, accounts: null }, ''],
])('who has a plan: %j', (use, text) => expect(planUseText(use)).toBe(text));

it('a change of settings that removes a plan says who has it, and one of the file loses nothing', () => {
  const limits = { rpm: 1, tpm: null, quotaTokens: 1, concurrency: null, modelLimits: [] };
  const plan = (name: string, origin: Plan['origin']): Plan => ({ ...limits, name, origin, keys: 3, accounts: 1 });
  const plans = [plan('team', 'settings'), plan('kept', 'file')];
  const removed = (id: string) => planLossText({ section: 'plans', id, what: 'removed' }, plans);
  expect(removed('team')).toBe(`3 keys and 1 account have it. ${planGone}`);
  expect([removed('kept'), removed('other')]).toEqual(['', '']);
  expect(planLossText({ section: 'plans', id: 'team', what: 'changed' }, plans)).toBe('');
  expect(planLossText({ section: 'models', id: 'team', what: 'removed' }, plans)).toBe('');
});
