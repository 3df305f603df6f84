import { PlanTable } from './plan-table';

const unlimited = { rpm: null, tpm: null, quotaTokens: null, concurrency: null, modelLimits: [] };

describe('the plan table', () => {
  it('has the documented plans by default', () => {
    expect(PlanTable.of().toJson()).toEqual({
      beta: { ...unlimited, rpm: 60, quotaTokens: 1_000_000, origin: 'release' },
      pro: { ...unlimited, rpm: 250, quotaTokens: 50_000_000, origin: 'release' },
      enterprise: { ...unlimited, origin: 'release' },
    });
  });

  it("takes the operator's numbers and plans", () => {
    const own = {
      beta: { rpm: 5, tpm: 9_000, quotaTokens: 10, concurrency: 2, modelLimits: [] },
      team: { ...unlimited, rpm: 1_000 },
    };
    const plans = PlanTable.of(own);
    expect(plans.limits('beta')).toEqual(own.beta);
    expect(plans.limits('team')).toEqual(own.team);
    expect(plans.limits('pro').rpm).toBe(250);
  });

  it('has what is set without the file beneath it, and tells who says each', () => {
    const table = PlanTable.of({ team: { ...unlimited, rpm: 1 } }, { team: unlimited, pro: { ...unlimited, rpm: 2 } });
    expect(table.limits('team').rpm).toBe(1);
    expect(table.limits('pro').rpm).toBe(2);
    const origins = Object.entries(table.toJson()).map(([name, { origin }]) => [name, origin]);
    expect(Object.fromEntries(origins)).toEqual({
      beta: 'release',
      pro: 'settings',
      enterprise: 'release',
      team: 'file',
    });
    expect(PlanTable.stored(table.toJson()).toJson()).toEqual(table.toJson());
  });

  it('gives a plan that is gone the limits of beta, not more', () => {
    expect(PlanTable.of().limits('deleted')).toEqual(PlanTable.of().limits('beta'));
  });

  it.each(['gold', '', 'constructor', '__proto__'])('refuses the plan %j and names those that exist', (plan) => {
    expect(() => PlanTable.of().requireKnown(plan)).toThrow('Plans: beta, pro, enterprise.');
  });
});
