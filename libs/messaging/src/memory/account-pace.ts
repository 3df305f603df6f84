import { TransientMap } from './transient';

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

/**
 * `bytesPerS`: how much is done for one account a second; `burstBytes`: how much of it beyond that, when
 * nothing was for a while; `peakBytesPerS`: how fast that is done.
 */
interface PaceBounds {
  readonly bytesPerS: number;
  readonly burstBytes: number;
  readonly peakBytesPerS: number;
}

/**
 * What was done for an account, less what its pace has made up for since, and less what the peak has.
 * Milliseconds, bytes.
 */
interface Debt {
  readonly bytes: number;
  readonly peakBytes: number;
  readonly atMs: number;
}

const pruneMs = 10_000;
/** So much at once nobody feels: small pieces of many streams wait for none of each other. */
const unfeltBytes = 262_144;
/** What brings no more does not wait for what is larger: it only counts. */
const smallBytes = 65_536;
const company = new Company();

/**
 * Keeps work for one account, however many keys and requests it has, at a pace, so that it leaves others most
 * of a core, whose machine may have two. An account that is alone in a process has no pace.
 *
 * What is done at once takes both cores for as long as it lasts, so that it is felt as a slow second is: five
 * kept pictures of 6 MiB, which come within the burst, take 0.6 s of CPU. So the burst has a pace, too: what
 * was begun makes the next wait, and nothing waits for itself.
 */
export class AccountPace {
  private readonly debts = new TransientMap<string, Debt>();
  private prunedMs = 0;

  /** `here`: who else is served; `now`: the steady clock, milliseconds. */
  constructor(
    private readonly bounds: PaceBounds,
    private readonly here = company,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Counts work that waits for nothing: it adds to what its account owes up to the burst, and no more than
   * that, or what is large would wait for minutes, and never catch up.
   */
  count(accountId: string, bytes: number): void {
    const atMs = this.arrive(accountId);
    const before = this.leftOf(accountId, atMs);
    const owed = Math.min(before.bytes + bytes, Math.max(before.bytes, this.bounds.burstBytes));
    this.debts.set(accountId, { ...before, bytes: owed });
  }

  /**
   * Counts work of so many bytes: how long it waits before it is done, or before more is, milliseconds. Null:
   * longer than `mostMs`, and it does not count.
   */
  waitMs(accountId: string, bytes: number, mostMs = Infinity): number | null {
    const { bytesPerS, burstBytes, peakBytesPerS } = this.bounds;
    const atMs = this.arrive(accountId);
    const before = this.leftOf(accountId, atMs);
    const owed = before.bytes + bytes;
    if (!this.here.isBeside(accountId, atMs)) {
      this.debts.set(accountId, { bytes: Math.min(owed, burstBytes), peakBytes: 0, atMs });
      return 0;
    }
    const waitS = Math.max(0, (owed - burstBytes) / bytesPerS, (before.peakBytes - unfeltBytes) / peakBytesPerS);
    if (waitS * 1_000 > mostMs) return null;
    this.debts.set(accountId, { bytes: owed, peakBytes: before.peakBytes + bytes, atMs });
    return waitS * 1_000;
  }

  /** The same of the next piece of something of which so many bytes have come with it. */
  pieceMs(accountId: string, bytes: number, broughtBytes: number): number {
    if (broughtBytes > smallBytes) return this.waitMs(accountId, bytes) ?? 0;
    this.count(accountId, bytes);
    return 0;
  }

  /** Whether anybody else is served here just now. */
  isBeside(accountId: string): boolean {
    return this.here.isBeside(accountId, this.arrive(accountId));
  }

  /** Work of so many bytes that was counted is not done: nobody waits for it any more. */
  takeBack(accountId: string, bytes: number): void {
    const { atMs, ...left } = this.leftOf(accountId, this.now());
    const less = (owed: number) => Math.max(0, owed - bytes);
    this.debts.set(accountId, { bytes: less(left.bytes), peakBytes: less(left.peakBytes), atMs });
  }

  /** When it is, by the steady clock, milliseconds: this account is here now. */
  private arrive(accountId: string): number {
    const atMs = this.now();
    this.here.seen(accountId, atMs);
    this.prune(atMs);
    return atMs;
  }

  private leftOf(accountId: string, nowMs: number): Debt {
    const debt = this.debts.get(accountId);
    // What was counted by a clock that began anew is owed no more.
    if (!debt || nowMs < debt.atMs) return { bytes: 0, peakBytes: 0, atMs: nowMs };
    if (nowMs === debt.atMs) return debt;
    const passedS = (nowMs - debt.atMs) / 1_000;
    return {
      bytes: Math.max(0, debt.bytes - passedS * this.bounds.bytesPerS),
      peakBytes: Math.max(0, debt.peakBytes - passedS * this.bounds.peakBytesPerS),
      atMs: nowMs,
    };
  }

  private prune(nowMs: number): void {
    if (Math.abs(nowMs - this.prunedMs) < pruneMs) return;
    this.prunedMs = nowMs;
    for (const [accountId] of this.debts) {
      const { bytes, peakBytes } = this.leftOf(accountId, nowMs);
      if (bytes === 0 && peakBytes === 0) this.debts.delete(accountId);
    }
  }
}
