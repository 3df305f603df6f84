import type { ListedDeployment, ProviderHealth } from '../api/admin';
import type { NearBudget } from '../api/budgets';
import type { SummedBill } from './drift-of';
import {
  accessMatters,
  billMatters,
  budgetMatters,
  heldMatters,
  keyMatters,
  machineMatters,
  nothingWaits,
  providerMatters,
  sleepingMatters,
} from './matters';

const day = 86_400_000;
const provider: ProviderHealth = {
  ...{ id: 'openai', name: 'OpenAI', dialect: 'openai', configured: true, models: 2, available: 2 },
  ...{ requests: 40, failed: 30, latency: null, firstToken: null, leftAlone: [] },
};
const standing = (state: 'open' | 'closed', why: string) => ({ state, why }) as ListedDeployment['standing'];
const deployment = (id: string, given: Partial<ListedDeployment>): ListedDeployment => ({
  ...{ id, provider: 'openai', models: [], held: null, standing: null },
  ...given,
});
const bill = (given: Partial<SummedBill>) =>
  ({ provider: 'openai', problem: null, drift: '0', ...given }) as SummedBill;

describe('what waits for an administrator', () => {
  it('is nothing while all is well', () => {
    const well = { ...provider, failed: 0 };
    const status = { pendingEvents: 12, deadLetters: 0, inferenceInstances: 2 };
    expect([
      ...accessMatters({ names: [], isMore: false }),
      ...providerMatters([well], [deployment('openai/a', { standing: standing('closed', '') })]),
      ...heldMatters([deployment('openai/a', {})]),
      ...keyMatters([], false, 0),
      ...sleepingMatters([], true),
      ...budgetMatters([], false),
      ...billMatters([bill({}), bill({ drift: null })]),
      ...machineMatters(status, ['1.0.0']),
    ]).toEqual([]);
  });

  it('is said to be no key that sleeps only where all that may sleep were looked at', () => {
    expect(nothingWaits('all')).toMatch(/, no key ends within two weeks or sleeps, /);
    expect(nothingWaits('some')).toMatch(/, no key ends within two weeks, /);
    expect(nothingWaits('some')).not.toContain('sleep');
  });

  it('is said not to be known which keys sleep while metering is away', () => {
    expect(nothingWaits('unknown')).toMatch(/, no key ends within two weeks, .* Whether a key sleeps is not known/);
  });

  it('names who asks for access, and says when there are more than a page', () => {
    const names = ['Ada', 'Bob', 'Cleo', 'Dan', 'Eve'];
    expect(accessMatters({ names, isMore: false })).toMatchObject([
      {
        title: '5 accounts ask for access',
        detail: 'Ada, Bob, Cleo and 2 more',
        path: '/admin/accounts?status=pending',
      },
    ]);
    expect(accessMatters({ names, isMore: true })).toMatchObject([
      { title: '5 or more accounts ask for access', detail: 'Ada, Bob, Cleo and more' },
    ]);
    expect(accessMatters({ names: ['Ada'], isMore: false })).toMatchObject([{ title: '1 account asks for access' }]);
  });

  it('tells why a provider fails, each reason once, in the words of its deployments that are not in use', () => {
    const deployments = [
      deployment('openai/a', { standing: standing('open', '5 answers 500 in 10 s.') }),
      deployment('openai/b', { standing: standing('open', '5 answers 500 in 10 s.') }),
      deployment('openai/c', { standing: standing('closed', 'It was well again.') }),
      deployment('other/a', { provider: 'other', standing: standing('open', 'Elsewhere.') }),
    ];
    expect(providerMatters([provider], deployments)).toMatchObject([
      {
        tone: 'bad',
        title: 'OpenAI: failing',
        detail: '30 of 40 requests failed in the last hour. 5 answers 500 in 10 s.',
        path: '/admin/deployments',
      },
    ]);
  });

  it('reminds of deployments that an operator took out of use', () => {
    const held = { state: 'closed', by: 'ada@example.org', reason: null, since: 0, until: null } as const;
    const deployments = [deployment('openai/a', { held }), deployment('openai/b', {})];
    expect(heldMatters(deployments)).toMatchObject([
      { title: '1 deployment is out of use', detail: 'An operator decided so: openai/a.' },
    ]);
  });

  it('names the keys that end, the first of them first', () => {
    const keys = [
      { name: 'Later', expiresAt: 9 * day },
      { name: 'Much later', expiresAt: 15 * day },
      { name: 'Never', expiresAt: null },
      { name: 'First', expiresAt: 2 * day },
    ];
    const [matter] = keyMatters(keys, false, 0);
    expect(matter).toMatchObject({ title: '2 keys end soon', path: '/admin/keys' });
    expect(matter?.detail).toBe('First, Later; the first in 2 days.');
    expect(keyMatters(keys.slice(1), false, 0)).toMatchObject([
      { title: '1 key ends soon', detail: 'First, in 2 days.' },
    ]);
  });

  it('names keys that nobody uses, with whose they are', () => {
    const [matter] = sleepingMatters([{ name: 'CI', accountName: 'Ada' }], false);
    expect(matter).toMatchObject({ title: '1 key sleeps', path: '/admin/keys?show=asleep' });
    expect(matter?.detail).toMatch(/^Not used for eight weeks: CI of Ada\./);
  });

  it('sums what the bills of a provider differ by, and tells of one that could not be read', () => {
    const bills = [
      bill({ drift: '1500000000000' }),
      bill({ drift: '500000000000' }),
      bill({ problem: 'Refused: 401.' }),
    ];
    expect(billMatters(bills)).toMatchObject([
      { title: 'The bill of openai differs by $2.00', detail: 'In 2 days of the last week.' },
      { title: 'A bill of openai could not be read', detail: 'Refused: 401.' },
    ]);
  });

  it('tells budgets that are used up apart from those that refused a request, and nearly spent ones', () => {
    const near = (name: string, spentUsd: number, given: Partial<NearBudget> = {}) => ({
      ...({ id: name, name, accountName: 'Ada', unit: 'usd', soft: false, hasRefused: false } as NearBudget),
      ...{ nearest: null, state: state(`${spentUsd}000000000`) },
      ...given,
    });
    const state = (spentNanoUsd: string) => ({
      ...{ limitNanoUsd: '10000000000', spentNanoUsd, heldNanoUsd: '0', resetsAt: null },
    });
    expect(budgetMatters([near('team', 9)], false)).toEqual([
      {
        ...{ tone: 'warn', title: '1 budget is nearly spent', action: 'Look' },
        ...{ detail: 'team of Ada ($1.00 of $10.00 left).', path: '/admin/budgets/team' },
      },
    ]);
    const refusing = near('ci', 9, { hasRefused: true });
    const soft = near('soft', 12, { soft: true });
    expect(budgetMatters([near('team', 9), refusing, soft], true)).toMatchObject([
      // Those that are not read may be of either kind.
      {
        ...{ tone: 'bad', title: '3 or more budgets are used up or nearly spent', path: '/admin/budgets?show=near' },
        detail: expect.stringMatching(/^soft .*, ci .*, team /),
      },
    ]);
    expect(budgetMatters([near('team', 9), refusing, soft], false)).toMatchObject([
      { tone: 'warn', title: '1 budget is used up', path: '/admin/budgets/soft' },
      { tone: 'bad', title: '1 budget refused a request', path: '/admin/budgets/ci' },
      { tone: 'warn', title: '1 budget is nearly spent', path: '/admin/budgets/team' },
    ]);
    expect(budgetMatters([near('team', 9)], true)).toMatchObject([{ tone: 'warn' }]);
    expect(budgetMatters([refusing], false)).toMatchObject([{ detail: 'ci of Ada ($1.00 of $10.00 left).' }]);
    expect(budgetMatters([soft], false)).toMatchObject([{ tone: 'warn' }]);
    // What requests that run reserve comes back, but for what they cost.
    const reserving = near('busy', 9, { state: { ...state('8200000000'), heldNanoUsd: '1800000000' } });
    expect(budgetMatters([reserving], false)).toMatchObject([
      {
        tone: 'warn',
        title: '1 budget is nearly spent',
        detail: 'busy of Ada ($8.20 of $10.00 spent, the rest reserved).',
      },
    ]);
    const nothing = { limitNanoUsd: '0', spentNanoUsd: '0', heldNanoUsd: '0', resetsAt: null };
    expect(budgetMatters([near('none', 0, { state: nothing })], false)).toMatchObject([{ tone: 'bad' }]);
  });

  it('says when nothing can be generated, when usage waits, and when a service was left behind', () => {
    const status = { pendingEvents: 20_000, deadLetters: 1, inferenceInstances: 0 };
    expect(machineMatters(status, ['1.0.0', '1.1.0']).map(({ title }) => title)).toEqual([
      'No inference instance runs',
      '1 usage message could not be stored',
      '20,000 usage events wait',
      'Several releases run: 1.0.0, 1.1.0',
    ]);
  });
});
