import { PlanTable } from '../accounts/plan-table';
import { storedLimit, toCallerKey, toKeySummary } from './stored-key';
import type { StoredKey } from './stored-key';

const plans = PlanTable.of();
const stored: StoredKey = {
  id: 'k1',
  accountId: 'a1',
  personId: null,
  digest: 'canary-digest',
  display: 'tg_sk_…a1b2',
  name: 'load',
  status: 'active',
  plan: null,
  rpm: null,
  rpmUnlimited: false,
  tpm: null,
  tpmUnlimited: false,
  quotaTokens: null,
  quotaUnlimited: false,
  models: ['openai/*'],
  modelLimits: [],
  cacheTtlS: null,
  logContent: false,
  tellCost: false,
  tags: [],
  project: null,
  expiresAt: null,
  version: 7n,
  openingNanoUsd: 0n,
  createdAt: new Date(1_000),
  account: {
    ...{ name: 'Ada', email: 'ada@example.com', status: 'active', plan: 'pro' },
    budgets: [],
    ownKeys: [],
    projectOwnKeys: [],
    people: [],
  },
  person: null,
};

/** What a request says about a limit, stored and read back. */
function effectiveRpm(limit: number | null | undefined, plan: string | null): number | null {
  const { value, unlimited } = storedLimit(limit);
  return toCallerKey({ ...stored, plan, rpm: value, rpmUnlimited: unlimited }, plans).rpm;
}

describe('the limits of a key', () => {
  it("are its account's plan's when it has none of its own", () => {
    expect(toCallerKey(stored, plans)).toMatchObject({ plan: 'pro', rpm: 250, quotaTokens: 50_000_000 });
  });

  it("are its own plan's before its account's", () => {
    expect(toCallerKey({ ...stored, plan: 'beta' }, plans)).toMatchObject({ plan: 'beta', rpm: 60 });
  });

  it("of models are its own and, for other patterns, its plan's", () => {
    const limit = (model: string, rpm: number) => ({ model, rpm, tpm: null });
    const modelLimits = [limit('openai/*', 6), limit('*', 100)];
    const pro = { rpm: 250, tpm: null, quotaTokens: null, concurrency: null, modelLimits };
    const key = { ...stored, modelLimits: [limit('openai/*', 9), limit('a/b', 1)] };
    const summary = toKeySummary(key, PlanTable.of({ pro }));
    expect(summary.modelLimits).toEqual([limit('openai/*', 9), limit('a/b', 1), limit('*', 100)]);
    expect(summary.ownLimits?.modelLimits).toEqual(key.modelLimits);
  });

  it.each([
    ['absent: the plan decides', undefined, 'pro', 250],
    ['absent on an unlimited plan', undefined, 'enterprise', null],
    ['null: unlimited, whatever the plan', null, 'beta', null],
    ['a number on an unlimited plan', 100_000, 'enterprise', 100_000],
    ['zero is a limit, not an absence', 0, 'enterprise', 0],
    ['more than 32 bits', 9_007_199_254_740_991, 'beta', 9_007_199_254_740_991],
  ])('%s', (_what, limit, plan, rpm) => {
    expect(effectiveRpm(limit, plan)).toBe(rpm);
  });
});

describe('a key is of who runs the gateway', () => {
  const ofOperator = (changes: Partial<StoredKey['account']>) =>
    toCallerKey({ ...stored, account: { ...stored.account, ...changes } }, plans).operator;

  it("where it is of the operator's own account, or a machine's in an administrator's", () => {
    expect(ofOperator({ email: 'operator', people: [] })).toBe(true);
    expect(ofOperator({ people: [{ role: 'user' }, { role: 'administrator' }] })).toBe(true);
  });

  it.each([
    ['administrator', true],
    ['user', undefined],
  ] as const)("where its person is an %s, whatever else the account's people are: %s", (role, operator) => {
    const person = { id: 'p1', name: 'Ada', role };
    const account = { ...stored.account, people: [{ role: 'administrator' as const }] };
    expect(toCallerKey({ ...stored, account, personId: 'p1', person }, plans).operator).toBe(operator);
  });

  it('and else of somebody else', () => {
    expect(ofOperator({})).toBeUndefined();
    expect(ofOperator({ people: [] })).toBeUndefined();
  });
});

describe('what people see of a key', () => {
  it.each([
    ['the plan decides', { rpm: null, rpmUnlimited: false }, 'plan', 250],
    ['unlimited', { rpm: null, rpmUnlimited: true }, null, null],
    ['a number of its own', { rpm: 5n, rpmUnlimited: false }, 5, 5],
  ])('tells its own limit beside the effective one: %s', (_what, columns, own, effective) =>
    expect(toKeySummary({ ...stored, ...columns }, plans)).toMatchObject({
      rpm: effective,
      ownLimits: { rpm: own, tpm: 'plan', quotaTokens: 'plan' },
    }),
  );
});

describe('what others see of a key', () => {
  it('never holds its digest', () => {
    expect(JSON.stringify([toCallerKey(stored, plans), toKeySummary(stored, plans)])).not.toContain('canary');
  });

  it('tells times in epoch milliseconds', () => {
    const summary = toKeySummary({ ...stored, expiresAt: new Date(5_000) }, plans);
    expect(summary).toMatchObject({ createdAt: 1_000, expiresAt: 5_000, version: 7 });
  });
});

it('goes with what its project brought in the place of what its account did', () => {
  const account = {
    ...stored.account,
    ownKeys: [
      { provider: 'acme', sealed: 'of all', fallsBack: true },
      { provider: 'beta', sealed: 'of all', fallsBack: true },
    ],
    projectOwnKeys: [
      { project: 'checkout', provider: 'acme', sealed: 'of checkout', fallsBack: false },
      { project: 'search', provider: 'beta', sealed: 'of search', fallsBack: true },
    ],
  };
  const of = (project: string | null) => toCallerKey({ ...stored, account, project }, plans).ownKeys;
  expect(of('checkout')).toEqual({ acme: 'of checkout', beta: 'of all' });
  expect(of(null)).toEqual({ acme: 'of all', beta: 'of all' });
  const falling = (project: string | null) => toCallerKey({ ...stored, account, project }, plans).ownKeysFallBack;
  expect([falling('checkout'), falling('search')]).toEqual([['beta'], ['acme', 'beta']]);
  const alone = { ...account, ownKeys: [] };
  expect(toCallerKey({ ...stored, account: alone, project: 'other' }, plans)).not.toHaveProperty('ownKeys');
});
