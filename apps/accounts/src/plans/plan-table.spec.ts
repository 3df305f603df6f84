import { PlanTable } from './plan-table';

describe('the plan table', () => {
  it('has the documented plans by default', () => {
    expect(new PlanTable().toJson()).toEqual({
      beta: { rpm: 60, quotaTokens: 1_000_000 },
      pro: { rpm: 250, quotaTokens: 50_000_000 },
      enterprise: { rpm: null, quotaTokens: null },
    });
  });

  it("takes the operator's numbers and plans", () => {
    const plans = new PlanTable({ beta: { rpm: 5, quotaTokens: 10 }, team: { rpm: 1_000, quotaTokens: null } });
    expect(plans.limits('beta')).toEqual({ rpm: 5, quotaTokens: 10 });
    expect(plans.limits('team')).toEqual({ rpm: 1_000, quotaTokens: null });
    expect(plans.limits('pro').rpm).toBe(250);
  });

  it('gives a plan that is gone the limits of beta, not more', () => {
    expect(new PlanTable().limits('deleted')).toEqual(new PlanTable().limits('beta'));
  });

  it.each(['gold', '', 'constructor', '__proto__'])('refuses the plan %j and names those that exist', (plan) => {
    expect(() => new PlanTable().requireKnown(plan)).toThrow('Plans: beta, pro, enterprise.');
  });
});
