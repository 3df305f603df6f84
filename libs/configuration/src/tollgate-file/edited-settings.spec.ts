import { withPlan } from './edited-settings';
import { parseSettings } from './settings-document';

const team = {
  ...{ rpm: null, tpm: 5_000, quotaTokens: 1_000_000, concurrency: null },
  modelLimits: [{ model: 'openai/*', rpm: 6, tpm: null }],
};

describe('a plan written into settings', () => {
  it.each(['', '# nothing yet\n', 'plans:\n', 'plans: {}', 'models: []\n', 'plans: {team: {rpm: 1, quotaTokens: 1}}'])(
    'is read back as it was: after %j',
    (text) => expect(parseSettings(withPlan(text, 'team', team)).plans).toEqual({ team }),
  );

  it('leaves the rest as it was given, comments included, and is taken out again', () => {
    const text =
      '# Ours\nmodels:\n  - id: a/b # why\n    fallbacks: [ c/d ]\nplans:\n  # Of spring\n  old: { rpm: 1, quotaTokens: 1 }\n';
    const edited = withPlan(text, 'team', team);
    expect(edited).toContain(
      '# Ours\nmodels:\n  - id: a/b # why\n    fallbacks: [ c/d ]\nplans:\n  # Of spring\n  old:',
    );
    expect(withPlan(edited, 'team', null)).toBe(text);
  });

  it.each(['[', '7', '[1]'])('is not written into what is no document: %j', (text) =>
    expect(() => withPlan(text, 'team', team)).toThrow('settings'),
  );
});
