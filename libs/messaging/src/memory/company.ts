/** Who was here before that, milliseconds, is gone: between once and twice as long is remembered. */
const spanMs = 2_000;

/**
 * Which accounts an edge works for just now. Times are by the steady clock, milliseconds; where that began
 * anew, nobody is remembered.
 */
export class Company {
  private now = new Set<string>();
  private before = new Set<string>();
  private since = 0;

  seen(accountId: string, nowMs: number): void {
    this.forget(nowMs);
    this.now.add(accountId);
  }

  /** Whether there is any other account beside this one. */
  isBeside(accountId: string, nowMs: number): boolean {
    this.forget(nowMs);
    return [this.now, this.before].some((accounts) => accounts.size > (accounts.has(accountId) ? 1 : 0));
  }

  private forget(nowMs: number): void {
    const passedMs = nowMs - this.since;
    if (passedMs >= 0 && passedMs < spanMs) return;
    this.before = passedMs >= 0 && passedMs < 2 * spanMs ? this.now : new Set();
    this.now = new Set();
    this.since = nowMs;
  }
}
