import { planUseText } from './plan-use';

it.each([
  [{ keys: 0, accounts: 0 }, 'No key and no account has it.'],
  [{ keys: 1, accounts: 0 }, '1 key and 0 accounts have it.'],
  [{ keys: 1_200, accounts: 1 }, '1,200 keys and 1 account have it.'],
  [{ keys: null, accounts: null }, ''],
])('who has a plan: %j', (use, text) => expect(planUseText(use)).toBe(text));
