/**
 * For whom nothing is kept for a while, since it took too long: one account, whose response may be a dear
 * one, or all where it was more than one. Times are milliseconds of a clock that never goes back.
 */
export class KeepingPauses {
  /** Until when, by account. */
  private readonly untilByAccount = new Map<string, number>();

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

  private forget(now: number): void {
    for (const [accountId, until] of this.untilByAccount) if (until <= now) this.untilByAccount.delete(accountId);
  }
}
