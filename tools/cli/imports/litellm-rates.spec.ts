import { keySettings } from '@tollgate/contracts';
import type { LitellmDatabase } from './litellm-database';
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
