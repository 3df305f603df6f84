import { PlanTable } from './plan-table';

describe('the plan table', () => {
  it('has the documented plans by default', () => {
    expect(new PlanTable().toJson()).toEqual({
      beta: { rpm: 60, tpm: null, quotaTokens: 1_000_000, concurrency: null },
      pro: { rpm: 250, tpm: null, quotaTokens: 50_000_000, concurrency: null },
      enterprise: { rpm: null, tpm: null, quotaTokens: null, concurrency: null },
    });
  });

  it("takes the operator's numbers and plans", () => {
    const own = {
      beta: { rpm: 5, tpm: 9_000, quotaTokens: 10, concurrency: 2 },
      team: { rpm: 1_000, tpm: null, quotaTokens: null, concurrency: null },
    };
    const plans = new PlanTable(own);
    expect(plans.limits('beta')).toEqual(own.beta);
    expect(plans.limits('team')).toEqual(own.team);
    expect(plans.limits('pro').rpm).toBe(250);
  });

  it('gives a plan that is gone the limits of beta, not more', () => {
    expect(new PlanTable().limits('deleted')).toEqual(new PlanTable().limits('beta'));
  });

  it.each(['gold', '', 'constructor', '__proto__'])('refuses the plan %j and names those that exist', (plan) => {
    expect(() => new PlanTable().requireKnown(plan)).toThrow('Plans: beta, pro, enterprise.');
  });
});
