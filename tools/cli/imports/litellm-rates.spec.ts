import { keySettings } from '@tollgate/contracts/accounts';
import { budgetWindow } from '@tollgate/contracts/metering';
import { usd } from './budget-limits';
import type { LitellmDatabase } from './litellm-database';
import { windowOf, within, writtenOut } from './litellm-limits';
import { ratesOf } from './litellm-rates';
import { SettingsReport } from './settings-report';

const none = { rpm_limit: null, tpm_limit: null };

function rates(key: object, shared: object = none, owner: object = none) {
  const report = new SettingsReport();
  const row = { ...none, metadata: {}, ...key } as LitellmDatabase['keys'][number];
  const told = ratesOf(row, { ...none, ...shared }, { ...none, ...owner }, report);
  return { ...told, outcomes: report.lines.map(({ setting, outcome }) => `${setting}: ${outcome}`) };
}

it('a key has its own limits a minute, else those of its table, and no more than its team', () => {
  expect(rates({ rpm_limit: 6, tpm_limit: 9_000 }, { tpm_limit: 1 })).toEqual({
    ...{ rpm: 6, tpm: 9_000, modelLimits: [] },
    outcomes: ['rpm_limit: carried', 'tpm_limit: carried'],
  });
  expect(rates({}, { tpm_limit: 700 }, { tpm_limit: 800 })).toMatchObject({
    ...{ rpm: null, tpm: 700 },
    outcomes: ['tpm_limit (team, user): changed'],
  });
});

it('limits of its models come along, whatever else its metadata holds', () => {
  const metadata = { model_rpm_limit: { a: 5, b: null }, model_tpm_limit: { a: 100.5, c: 0 }, tags: ['x'] };
  expect(rates({ metadata })).toMatchObject({
    modelLimits: [
      { model: 'a', rpm: 5, tpm: 100 },
      { model: 'c', rpm: null, tpm: 0 },
    ],
    outcomes: ['metadata.model_rpm_limit, model_tpm_limit: changed'],
  });
  for (const strange of [null, 'text', { model_tpm_limit: 'all' }])
    expect(rates({ metadata: strange }).modelLimits).toEqual([]);
});

it('what does not fit into a key is left, and said, so that the others come', () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`model-${index}`, index]));
  const told = rates({ metadata: { model_tpm_limit: { ['x'.repeat(201)]: 5, ...many } } });
  expect(told.modelLimits).toHaveLength(50);
  expect(keySettings.shape.modelLimits.safeParse(told.modelLimits).success).toBe(true);
  const oneMore = [...(told.modelLimits ?? []), { model: 'one more', rpm: 1, tpm: null }];
  expect(keySettings.shape.modelLimits.safeParse(oneMore).success).toBe(false);
  expect(told.outcomes).toContain('metadata.model_rpm_limit, model_tpm_limit: not carried');
});

describe('what LiteLLM limits', () => {
  it.each([
    [null, 'total'],
    ['1d', 'day'],
    ['24h', 'day'],
    ['7d', 'week'],
    ['1w', 'week'],
    ['30d', 'month'],
    ['1mo', 'month'],
    ['30s', '1h'],
    ['90m', '2h'],
    ['12h', '12h'],
    ['2d', '2d'],
    ['48h', '2d'],
    ['31d', '31d'],
    ['32d', 'total'],
    ['90d', 'total'],
    ['some time', 'total'],
  ])('counts a budget of %s in the window %s, which is never more than it was', (duration, window) => {
    expect(budgetWindow.parse(windowOf(duration, new SettingsReport()))).toBe(window);
  });

  it.each([
    [[], [], []],
    [['a'], [], ['a']],
    [[], ['a'], ['a']],
    [['a', 'b'], ['b', 'c'], ['b']],
    [['openai/*'], ['openai/x', 'b'], ['openai/x']],
    [['openai/x'], ['openai/*'], ['openai/x']],
    [['*'], ['a'], ['a']],
    [['a'], ['b'], ['no-default-models']],
  ])('lets a key with the models %j in a team with %j use %j', (own, team, both) => {
    expect(within(own, team)).toEqual(both);
  });

  it('writes out access groups and special names', () => {
    const groups = new Map([['chat', ['a', 'b']]]);
    expect(writtenOut(['chat', 'all-team-models', 'c c'], groups, ['t'])).toEqual(['a', 'b', 't', 'c-c']);
    expect(writtenOut(['all-proxy-models'], groups, [])).toEqual(['*']);
    expect(writtenOut(['all-team-models'], groups, [])).toEqual(['*']);
  });

  it('is told in whole nano-dollars', () => {
    expect([usd(0.1 + 0.2), usd(1e-10), usd(25), usd(-1), usd(2e9), usd(Infinity)]).toEqual([
      '0.3',
      '0',
      '25',
      '0',
      null,
      null,
    ]);
  });
});
