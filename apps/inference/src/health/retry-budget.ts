/** What a request adds: one retry in ten requests. */
const perRequest = 0.1;
/** What time adds for an account, so that few requests are retried too: one retry in ten seconds. */
const perSecond = 0.1;
/** What an account may save up. */
const most = 10;
/** Beside one account that takes all it may, others have as many retries as it; beside two, what they leave. */
const timesOfOne = 2;
/** So many accounts may be remembered before those are forgotten that have saved up everything again. */
const fewAccounts = 1_000;

/** Retries that are saved up. Times are milliseconds of a clock that never goes back. */
class SavedRetries {
  private tokens: number;

  constructor(
    private readonly most: number,
    private readonly perSecond: number,
    private filledAt: number,
  ) {
    this.tokens = most;
  }

  requested(): void {
    this.tokens = Math.min(this.most, this.tokens + perRequest);
  }

  at(now: number): number {
    this.tokens = Math.min(this.most, this.tokens + ((now - this.filledAt) / 1_000) * this.perSecond);
    this.filledAt = now;
    return this.tokens;
  }

  take(): void {
    this.tokens -= 1;
  }
}

/**
 * How many retries a provider gets from this instance: of an account one for ten of its requests, and one in
 * ten seconds besides, of which ten may be saved up; of all together one for ten requests, and twice as many
 * besides as one account alone. A provider that is down would otherwise get every request twice, just when it
 * can do least, and one account whose requests fail would leave none to the others. Two that fail at once
 * leave little: beside them a third had 8 of its 60 retries. Times are milliseconds of a clock that never
 * goes back.
 */
export class RetryBudget {
  private readonly all: SavedRetries;
  /** Of accounts that took some lately; others have all that may be saved up. */
  private readonly accounts = new Map<string, SavedRetries>();
  private forgetAt = fewAccounts;

  constructor(now: number) {
    this.all = new SavedRetries(timesOfOne * most, timesOfOne * perSecond, now);
  }

  /** A request of this account goes to the provider for the first time. */
  requested(account: string): void {
    this.all.requested();
    this.accounts.get(account)?.requested();
  }

  /** Takes one retry. False: there is none left, of all or of this account. */
  take(account: string, now: number): boolean {
    const own = this.accounts.get(account) ?? new SavedRetries(most, perSecond, now);
    if (own.at(now) < 1 || this.all.at(now) < 1) return false;
    own.take();
    this.all.take();
    if (!this.accounts.has(account)) this.remember(account, own, now);
    return true;
  }

  private remember(account: string, own: SavedRetries, now: number): void {
    this.accounts.set(account, own);
    if (this.accounts.size < this.forgetAt) return;
    for (const [name, saved] of this.accounts) if (saved.at(now) === most) this.accounts.delete(name);
    this.forgetAt = Math.max(fewAccounts, 2 * this.accounts.size);
  }
}
