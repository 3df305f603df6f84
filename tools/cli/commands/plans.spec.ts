import { ran } from '../ran.fixture';

const team = { rpm: 9, tpm: null, quotaTokens: 100, concurrency: 2, modelLimits: [] };
const settings = { version: 4, plans: { team }, unreadable: [] };
const outcome = {
  ...{ version: 5, applied: true },
  changes: [{ section: 'plans', id: 'team', what: 'changed', fields: [{ field: 'tpm', before: 'null', after: '7' }] }],
};

describe('plans set', () => {
  it('changes what is named of the plan as the settings have it, from the version that this is of', async () => {
    const { asked, out } = await ran('plans set team --tpm 7 --model-limit a/*:rpm=3 --reason why', [
      ...[settings, {}, outcome],
    ]);
    expect(asked[1]).toMatchObject({
      ...{ action: 'plan-change-asked', actor: 'cli:spec', detail: { plan: 'team', reason: 'why' } },
    });
    expect(asked[2]).toEqual({
      ...{ subject: 'catalog.plans.set', ...team, plan: 'team', version: 4, reason: 'why', by: 'cli:spec' },
      ...{ tpm: 7, modelLimits: [{ model: 'a/*', rpm: 3, tpm: null }] },
    });
    expect(out).toContain('~ plans team\n    tpm: null -> 7\n\nVersion 5 of the settings');
  });

  it('begins with what the release says of a plan that the settings do not have', async () => {
    const pro = { name: 'pro', ...team, rpm: 250 };
    const plans = [{ ...pro, origin: 'release' }];
    const { asked } = await ran('plans set pro --tpm unlimited', [settings, { plans }, {}, outcome]);
    expect(asked[3]).toMatchObject({ plan: 'pro', rpm: 250, tpm: null, quotaTokens: 100, concurrency: 2 });
  });

  it.each([
    ['plans set team', [], 'Name a limit'],
    ['plans set new --rpm 1', [settings, { plans: [] }], 'A new plan needs --rpm and --quota'],
    ['plans set ours --rpm 1', [settings, { plans: [{ ...team, name: 'ours', origin: 'file' }] }], 'tollgate.yaml'],
  ])('refuses what is not enough: %s', async (line, replies, problem) => {
    await expect(ran(line, replies.length > 0 ? replies : [settings])).rejects.toThrow(problem);
  });
});

it('plans remove takes a plan back, and tells the version', async () => {
  const { asked, out } = await ran('plans remove team', [{}, outcome]);
  expect(asked[1]).toMatchObject({ subject: 'catalog.plans.remove', plan: 'team', by: 'cli:spec' });
  expect(out).toContain('Version 5');
});
