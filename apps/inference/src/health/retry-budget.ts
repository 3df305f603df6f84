/** What a request adds: one retry in ten requests. */
const perRequest = 0.1;
/** What time adds, so that a provider with few requests is retried too: one retry in ten seconds. */
const perSecond = 0.1;
const most = 10;

/**
 * How many retries a provider gets from this instance: one for ten requests, and one in ten seconds besides;
 * ten may be saved up. A provider that is down would otherwise get every request twice, just when it can do
 * least. Times are milliseconds of a clock that never goes back.
 */
export class RetryBudget {
  private tokens = most;
  private filledAt: number;

  constructor(now: number) {
    this.filledAt = now;
  }

  /** A request goes to the provider for the first time. */
  requested(): void {
    this.tokens = Math.min(most, this.tokens + perRequest);
  }

  /** Takes one retry. False: there is none left. */
  take(now: number): boolean {
    this.tokens = Math.min(most, this.tokens + ((now - this.filledAt) / 1_000) * perSecond);
    this.filledAt = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
