/**
 * For whom no answer waits to be kept for a while, since it took too long: one account, whose response may be
 * a dear one, or all where it was more than one. One response of each account is tried meanwhile, which ends
 * the pause as soon as it is kept. Times are milliseconds of a clock that never goes back.
 */
export class KeepingPauses {
  /** Until when, by account. */
  private readonly untilByAccount = new Map<string, number>();
  /** Accounts of which a response is being tried. */
  private readonly trying = new Set<string>();

  constructor(private readonly pauseMs: number) {}

  tookTooLong(accountId: string, now: number): void {
    this.forget(now);
    this.untilByAccount.set(accountId, now + this.pauseMs);
  }

  isPaused(accountId: string, now: number): boolean {
    if (this.untilByAccount.size === 0) return false;
    this.forget(now);
    return this.untilByAccount.size > 1 || this.untilByAccount.has(accountId);
  }

  /** Whether a response of this account may be tried; if so, until `tried`. */
  mayTry(accountId: string): boolean {
    if (this.trying.has(accountId)) return false;
    this.trying.add(accountId);
    return true;
  }

  /** What was tried is kept, or not. */
  tried(accountId: string): void {
    this.trying.delete(accountId);
  }

  /** A response of this account is kept, however late. */
  kept(accountId: string): void {
    this.untilByAccount.delete(accountId);
  }

  private forget(now: number): void {
    for (const [accountId, until] of this.untilByAccount) if (until <= now) this.untilByAccount.delete(accountId);
  }
}
