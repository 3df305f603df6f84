import { keySummary } from '@tollgate/contracts/accounts';
import { keyFacts, keyState, newKey } from './key';

const key = keySummary.parse({
  id: 'k1',
  accountId: 'a1',
  accountName: 'Ada',
  version: 1,
  name: 'load',
  display: 'tg_sk_…a1b2',
  keyStatus: 'active',
  accountStatus: 'active',
  plan: 'pro',
  rpm: null,
  quotaTokens: 1_000_000,
  models: [],
  expiresAt: null,
  createdAt: 0,
});

describe('the state of a key', () => {
  it.each([
    ['active', {}],
    ['revoked', { keyStatus: 'revoked', expiresAt: 5 }],
    ['expired', { expiresAt: 10 }],
    ['active', { expiresAt: 11 }],
    ['account pending', { accountStatus: 'pending' }],
    ['account suspended', { accountStatus: 'suspended' }],
  ] as const)('is %s for %j', (state, changes) => {
    expect(keyState({ ...key, ...changes }, 10)).toBe(state);
  });
});

describe('the facts of a key', () => {
  it('name the providers of which its account brought keys, where it did', () => {
    expect(keyFacts({ ...key, ownKeyProviders: ['acme', 'beta'] }, 10)).toMatch(/goes with own keys of +acme, beta/);
    expect(keyFacts(key, 10)).not.toContain('own keys');
  });
});

describe('a new key', () => {
  it('is shown once, with a word about that, and with what it may do', () => {
    const text = newKey('tg_sk_secret', key, 10);
    expect(text.split('tg_sk_secret')).toHaveLength(2);
    expect(text).toContain('will not be shown again');
    expect(text).toMatch(/requests a minute +unlimited/);
    expect(text).toMatch(/tokens a month +1,000,000/);
    expect(text).toMatch(/models +all/);
  });
});
