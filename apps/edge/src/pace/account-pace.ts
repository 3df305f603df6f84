import { TransientMap } from '@tollgate/messaging';
import { Company } from './company';

/**
 * `bytesPerS`: how much is done for one account a second; `burstBytes`: how much of it at once, when nothing
 * was for a while.
 */
interface PaceBounds {
  readonly bytesPerS: number;
  readonly burstBytes: number;
}

/** What was done for an account, less what its pace has made up for since. Milliseconds, bytes. */
interface Debt {
  readonly bytes: number;
  readonly atMs: number;
}

const pruneMs = 10_000;
const company = new Company();

/**
 * Keeps work for one account, however many keys and requests it has, at a pace, so that it leaves others most
 * of a core, whose machine may have two. An account that is alone at an edge has no pace.
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
    const before = this.leftOf(this.debts.get(accountId), atMs);
    this.debts.set(accountId, { bytes: Math.min(before + bytes, Math.max(before, this.bounds.burstBytes)), atMs });
  }

  /**
   * Counts work of so many bytes: how long it waits before it is done, or before more is, milliseconds. Null:
   * longer than `mostMs`, and it does not count.
   */
  waitMs(accountId: string, bytes: number, mostMs = Infinity): number | null {
    const { bytesPerS, burstBytes } = this.bounds;
    const atMs = this.arrive(accountId);
    const owed = this.leftOf(this.debts.get(accountId), atMs) + bytes;
    const isBeside = this.here.isBeside(accountId, atMs);
    const waitMs = isBeside ? Math.max(0, ((owed - burstBytes) / bytesPerS) * 1_000) : 0;
    if (waitMs > mostMs) return null;
    this.debts.set(accountId, { bytes: isBeside ? owed : Math.min(owed, burstBytes), atMs });
    return waitMs;
  }

  /** Work of so many bytes that was counted is not done: nobody waits for it any more. */
  takeBack(accountId: string, bytes: number): void {
    const atMs = this.now();
    const left = this.leftOf(this.debts.get(accountId), atMs) - bytes;
    this.debts.set(accountId, { bytes: Math.max(0, left), atMs });
  }

  /** When it is, by the steady clock, milliseconds: this account is here now. */
  private arrive(accountId: string): number {
    const atMs = this.now();
    this.here.seen(accountId, atMs);
    this.prune(atMs);
    return atMs;
  }

  private leftOf(debt: Debt | undefined, nowMs: number): number {
    // What was counted by a clock that began anew is owed no more.
    if (!debt || nowMs < debt.atMs) return 0;
    return Math.max(0, debt.bytes - ((nowMs - debt.atMs) * this.bounds.bytesPerS) / 1_000);
  }

  private prune(nowMs: number): void {
    if (Math.abs(nowMs - this.prunedMs) < pruneMs) return;
    this.prunedMs = nowMs;
    for (const [accountId, debt] of this.debts) if (this.leftOf(debt, nowMs) === 0) this.debts.delete(accountId);
  }
}
