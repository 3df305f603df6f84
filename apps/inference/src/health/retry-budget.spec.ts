import { RetryBudget } from './retry-budget';

describe('the retry budget of a provider', () => {
  it.each([10, 100, 1_000])(
    'lets at most a tenth of %i failing requests a second be retried, and a few more',
    (rps) => {
      const seconds = 60;
      const budget = new RetryBudget(0);
      let retries = 0;
      for (let request = 0; request < rps * seconds; request += 1) {
        budget.requested('one');
        if (budget.take('one', (request / rps) * 1_000)) retries += 1;
      }
      expect(retries).toBeLessThanOrEqual(rps * seconds * 0.1 + seconds * 0.1 + 10);
      expect(retries).toBeGreaterThanOrEqual(rps * seconds * 0.1);
    },
  );

  it('retries each of a few requests', () => {
    const budget = new RetryBudget(0);
    const retried = Array.from({ length: 50 }, (_, index) => {
      budget.requested('one');
      return budget.take('one', index * 10_000);
    });
    expect(retried).not.toContain(false);
  });

  it('is not used up by one account: others have as much as that one', () => {
    const budget = new RetryBudget(0);
    const granted = { attacker: 0, victim: 0 };
    const asks = { attacker: 0, victim: 0 };
    // One fails a hundred times a second; another has a failure every ten seconds.
    for (let tick = 0; tick < 60_000; tick += 1) {
      const now = tick * 10;
      const callers = tick % 1_000 === 0 ? (['attacker', 'victim'] as const) : (['attacker'] as const);
      for (const account of callers) {
        budget.requested(account);
        asks[account] += 1;
        if (budget.take(account, now)) granted[account] += 1;
      }
    }
    expect(granted.victim).toBe(asks.victim);
    expect(granted.attacker).toBeLessThanOrEqual(asks.attacker * 0.1 + 600 * 0.1 + 10);
  });

  it('has a bound for all accounts together, however many there are', () => {
    const budget = new RetryBudget(0);
    let granted = 0;
    for (let account = 0; account < 10_000; account += 1) if (budget.take(`${account}`, 0)) granted += 1;
    expect(granted).toBe(20);
  });

  it('saves up ten for an account at most', () => {
    const budget = new RetryBudget(0);
    for (let request = 0; request < 1_000; request += 1) budget.requested('one');
    const taken = Array.from({ length: 20 }, () => budget.take('one', 3_600_000)).filter(Boolean);
    expect(taken).toHaveLength(10);
  });
});
