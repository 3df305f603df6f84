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

it('plans set --new says that none of that name may be there', async () => {
  const { asked } = await ran('plans set new --new --rpm 1 --quota 2', [settings, { plans: [] }, {}, outcome]);
  expect(asked[3]).toMatchObject({ subject: 'catalog.plans.set', plan: 'new', mustBeNew: true });
});

describe('plans remove', () => {
  const used = { plans: [{ ...team, name: 'team', origin: 'settings', keys: 3, accounts: 1 }] };

  it('takes a plan back that nobody has, and tells the version', async () => {
    const unused = { plans: [{ ...team, name: 'team', origin: 'settings', keys: 0, accounts: 0 }] };
    const { asked, out } = await ran('plans remove team', [unused, {}, outcome]);
    expect(asked[2]).toMatchObject({ subject: 'catalog.plans.remove', plan: 'team', by: 'cli:spec' });
    expect(out).toContain('Version 5');
  });

  it('says first who has it', async () => {
    await expect(ran('plans remove team', [used])).rejects.toThrow('3 keys and 1 account have the plan team.');
    const { asked } = await ran('plans remove team --yes', [{}, outcome]);
    expect(asked[1]).toMatchObject({ subject: 'catalog.plans.remove', plan: 'team' });
  });
});

it('plans list tells how many have each', async () => {
  const plan = { ...team, name: 'team', origin: 'settings' };
  const { out } = await ran('plans list', [{ plans: [{ ...plan, keys: 3, accounts: 1 }, plan] }]);
  expect(out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 4))).toEqual([
    ['PLAN', 'KEYS', 'ACCOUNTS', 'RPM'],
    ['team', '3', '1', '9'],
    ['team', '?', '?', '9'],
  ]);
});
