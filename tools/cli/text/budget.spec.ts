import { budgetTable, namesText } from './budget';

describe('budgetTable', () => {
  const budget = {
    id: 'b1',
    name: 'team',
    accountId: 'a1',
    keyIds: [],
    project: null,
    models: ['openai/*'],
    each: null,
    unit: 'usd' as const,
    limitNanoUsd: '25000000000',
    window: 'month',
    timeZone: 'Europe/Berlin',
    createdAt: 0,
    soft: false,
    fallbackModel: null,
  };

  it('tells dollars, whose they are, and when they are there again', () => {
    const state = { limitNanoUsd: '25000000000', spentNanoUsd: '1500000', heldNanoUsd: '0', resetsAt: 0 };
    const text = budgetTable([{ ...budget, state }]);
    for (const part of ['team', 'all', 'openai/*', 'month (Europe/Berlin)', '$25', '$0.0015', '$0', '1970-01-01'])
      expect(text).toContain(part);
  });

  it('tells tokens of one in tokens', () => {
    const state = { limitNanoUsd: '2500000', spentNanoUsd: '1500', heldNanoUsd: '1', resetsAt: 0 };
    const text = budgetTable([{ ...budget, unit: 'tokens', limitNanoUsd: '2500000', state }]);
    for (const part of ['2,500,000 tokens', '1,500 tokens', ' 1 token ']) expect(text).toContain(part);
    expect(text).not.toContain('$');
  });

  it('says never of one that does not reset, and names its keys, or their project', () => {
    const state = { limitNanoUsd: '1', spentNanoUsd: '0', heldNanoUsd: '0', resetsAt: null };
    const text = budgetTable([{ ...budget, window: 'total', timeZone: 'UTC', keyIds: ['k1', 'k2'], state }]);
    for (const part of ['k1 k2', 'total', 'never']) expect(text).toContain(part);
    const ofProject = budgetTable([{ ...budget, keyIds: ['k1', 'k2'], project: 'web', state }]);
    expect(ofProject).toContain('project web');
    expect(ofProject).not.toContain('k1');
  });

  it('says of one that rolls from when on some comes back, and no time zone', () => {
    const state = { limitNanoUsd: '1', spentNanoUsd: '1', heldNanoUsd: '0', resetsAt: 0 };
    const text = budgetTable([{ ...budget, window: '24h', state }]);
    expect(text).toMatch(/ 24h +\$25 .* from 1970-01-01T00:00:00Z/);
  });

  it('says of which names each has it alone, and nothing of how it stands', () => {
    const text = budgetTable([{ ...budget, each: { by: 'tag', names: 'team=*' }, state: null }]);
    expect(text).toContain('tag team=*');
    expect(text).not.toContain('never');
  });
});

describe('namesText', () => {
  const each = { by: 'end_user', names: '*' } as const;
  const state = { limitNanoUsd: '3000000000', spentNanoUsd: '2000000000', heldNanoUsd: '500000000', resetsAt: 0 };

  it('tells of each name what is spent, in percent of the limit too, and of one without a name its digest', () => {
    const [text] = namesText({ each, unit: 'usd' }, [
      { name: 'ann', nameDigest: 'aa', state },
      { name: null, nameDigest: 'bb', state: { ...state, spentNanoUsd: '0' } },
    ]);
    expect(text).toMatch(/^END USER +SPENT +OF THE LIMIT +RESERVED +RESETS\n/);
    expect(text).toMatch(/\nann +\$2 +66 % +\$0\.5 +1970-01-01T00:00:00Z\n/);
    expect(text).toMatch(/\nbb \(a digest\) +\$0 +0 %/);
  });

  it('says that nobody spent anything, and nothing of a budget that is not divided', () => {
    expect(namesText({ each, unit: 'usd' }, [])).toEqual([expect.stringContaining('Nobody')]);
    expect(namesText({ each: null, unit: 'usd' }, [])).toEqual([]);
  });
});
