import { RetryBudget } from './retry-budget';

describe('the retry budget of a provider', () => {
  it.each([10, 100, 1_000])(
    'lets at most a tenth of %i failing requests a second be retried, and a few more',
    (rps) => {
      const seconds = 60;
      const budget = new RetryBudget(0);
      let retries = 0;
      for (let request = 0; request < rps * seconds; request += 1) {
        budget.requested();
        if (budget.take((request / rps) * 1_000)) retries += 1;
      }
      expect(retries).toBeLessThanOrEqual(rps * seconds * 0.1 + seconds * 0.1 + 10);
      expect(retries).toBeGreaterThanOrEqual(rps * seconds * 0.1);
    },
  );

  it('retries each of a few requests', () => {
    const budget = new RetryBudget(0);
    const retried = Array.from({ length: 50 }, (_, index) => {
      budget.requested();
      return budget.take(index * 10_000);
    });
    expect(retried).not.toContain(false);
  });

  it('saves up ten at most', () => {
    const budget = new RetryBudget(0);
    for (let request = 0; request < 1_000; request += 1) budget.requested();
    const taken = Array.from({ length: 20 }, () => budget.take(3_600_000)).filter(Boolean);
    expect(taken).toHaveLength(10);
  });
});
