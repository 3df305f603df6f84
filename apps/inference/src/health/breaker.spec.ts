import { Breaker } from './breaker';

/** A breaker and a clock. */
class Trial {
  now = 1_000_000;
  readonly breaker = new Breaker();

  get state(): string {
    return this.breaker.state(this.now);
  }

  /** Attempts one after the other, each at once failed or answered. Returns how many were let through. */
  attempt(count: number, outcome: 'failed' | 'answered', retryAfterMs: number | null = null): number {
    let passed = 0;
    for (let index = 0; index < count; index += 1) {
      const permit = this.breaker.begin(this.now);
      if (!permit) continue;
      passed += 1;
      if (outcome === 'failed') this.breaker.failed(permit, retryAfterMs, this.now);
      else this.breaker.succeeded(permit, this.now);
    }
    return passed;
  }

  wait(ms: number): void {
    this.now += ms;
  }
}

let trial: Trial;
beforeEach(() => (trial = new Trial()));

describe('a breaker', () => {
  it('opens at the fifth failure in ten seconds, and lets nothing through', () => {
    expect(trial.attempt(4, 'failed')).toBe(4);
    expect(trial.state).toBe('closed');
    expect(trial.attempt(100, 'failed')).toBe(1);
    expect(trial.state).toBe('open');
    expect(trial.breaker.waitMs(trial.now)).toBe(5_000);
  });

  it('stays closed while more than half is answered', () => {
    trial.attempt(20, 'answered');
    expect(trial.attempt(19, 'failed')).toBe(19);
    expect(trial.state).toBe('closed');
    trial.attempt(1, 'failed');
    expect(trial.state).toBe('open');
  });

  it('forgets failures after ten seconds', () => {
    for (let index = 0; index < 20; index += 1) {
      trial.attempt(1, 'failed');
      trial.wait(2_600);
    }
    expect(trial.state).toBe('closed');
  });

  it.each([
    [1_000, 'closed', 0],
    [2_000, 'closed', 0],
    [2_001, 'open', 2_001],
    [30_000, 'open', 30_000],
    [3_600_000, 'open', 60_000],
  ])('that is asked for %i ms of patience is %s for %i ms', (retryAfterMs, state, waitMs) => {
    trial.attempt(1, 'failed', retryAfterMs);
    expect([trial.state, trial.breaker.waitMs(trial.now)]).toEqual([state, waitMs]);
  });

  it('lets one probe through after its cool-down, and closes with its answer', () => {
    trial.attempt(5, 'failed');
    trial.wait(4_999);
    expect(trial.breaker.begin(trial.now)).toBeNull();
    trial.wait(1);
    expect(trial.state).toBe('half-open');
    const probe = trial.breaker.begin(trial.now);
    expect(trial.breaker.begin(trial.now)).toBeNull();
    if (probe) trial.breaker.succeeded(probe, trial.now);
    expect(trial.state).toBe('closed');
    expect(trial.attempt(4, 'failed')).toBe(4);
    expect(trial.state).toBe('closed');
  });

  it('doubles its cool-down up to half a minute while probes fail, and begins anew once it was closed', () => {
    trial.attempt(5, 'failed');
    for (const coolDownMs of [5_000, 10_000, 20_000, 30_000, 30_000]) {
      expect(trial.breaker.waitMs(trial.now)).toBe(coolDownMs);
      trial.wait(coolDownMs);
      expect(trial.attempt(10, 'failed')).toBe(1);
    }
    trial.wait(30_000);
    trial.attempt(1, 'answered');
    trial.attempt(5, 'failed');
    expect(trial.breaker.waitMs(trial.now)).toBe(5_000);
  });

  it('takes a probe that says nothing for four seconds for a failed one', () => {
    trial.attempt(5, 'failed');
    trial.wait(5_000);
    const silent = trial.breaker.begin(trial.now);
    trial.wait(3_999);
    expect([trial.state, trial.breaker.waitMs(trial.now)]).toEqual(['half-open', 1]);
    trial.wait(1);
    expect([trial.state, trial.breaker.waitMs(trial.now)]).toEqual(['open', 10_000]);
    if (silent) trial.breaker.succeeded(silent, trial.now);
    expect(trial.state).toBe('closed');
  });

  it('lets another probe through when one was given up', () => {
    trial.attempt(5, 'failed');
    trial.wait(5_000);
    const probe = trial.breaker.begin(trial.now);
    expect(trial.breaker.admits(trial.now)).toBe(false);
    if (probe) trial.breaker.released(probe);
    expect(trial.breaker.admits(trial.now)).toBe(true);
  });

  it('opens for silence, and closes with the first answer of those that waited', () => {
    const waiting = trial.breaker.begin(trial.now);
    trial.breaker.silent(trial.now);
    expect([trial.state, trial.breaker.waitMs(trial.now)]).toEqual(['open', 5_000]);
    if (waiting) trial.breaker.succeeded(waiting, trial.now);
    expect(trial.state).toBe('closed');
  });

  it('is not moved by what began before it changed', () => {
    const before = Array.from({ length: 50 }, () => trial.breaker.begin(trial.now));
    trial.attempt(5, 'failed');
    trial.wait(1_000);
    for (const permit of before) if (permit) trial.breaker.failed(permit, 60_000, trial.now);
    expect(trial.breaker.waitMs(trial.now)).toBe(4_000);
    for (const permit of before) if (permit) trial.breaker.succeeded(permit, trial.now);
    expect(trial.state).toBe('open');
  });

  it('sees a provider that comes back at any moment within 35 seconds, whatever its probes do', () => {
    for (let downMs = 500; downMs < 200_000; downMs += 3_700) {
      const run = new Trial();
      const backAt = run.now + downMs;
      run.attempt(5, 'failed');
      while (run.state !== 'closed' && run.now < backAt + 60_000) {
        // While it is down it hangs: a probe never hears anything.
        const permit = run.breaker.begin(run.now);
        if (permit && run.now >= backAt) run.breaker.succeeded(permit, run.now);
        run.wait(100);
      }
      expect(run.now - backAt).toBeLessThanOrEqual(35_000);
    }
  });
});
