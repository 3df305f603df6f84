import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../clock';
import { BudgetBook } from './budget-book';
import { MeteringBudgets } from './metering-budgets';

const renewEveryMs = 10_000;
/** What no request touched for this long is given back. */
const idleMs = 10_000;

/** Keeps the leases of budgets alive at metering, and gives back those of idle ones, as LeaseKeeper does for quotas. */
@Injectable()
export class BudgetKeeper implements OnApplicationBootstrap {
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly book: BudgetBook,
    private readonly metering: MeteringBudgets,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    // A round that fails is made up for by the next: a lease outlives several, and after that a new one is asked for.
    this.timer = setInterval(() => void this.round().catch(() => undefined), renewEveryMs).unref();
  }

  /** Gives everything back that is not in use. Call it when the last request has ended. */
  async close(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.giveBack(() => true);
  }

  /** One round: idle leases end, the others live on. Leases that metering no longer knows are forgotten here too. */
  async round(): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    await this.giveBack((lastUsedAtMs) => nowMs - lastUsedAtMs >= idleMs);
    const leases = this.book.leases().filter(({ endsAtMs }) => endsAtMs !== null);
    if (leases.length === 0) return;
    const asked = leases.map(({ leaseId }) => ({ leaseId, giveBackNanoUsd: '0', close: false }));
    const { renewed, ttlMs } = await this.metering.renew(asked);
    for (const lease of leases) {
      if (renewed.has(lease.leaseId)) lease.endsAtMs = nowMs + ttlMs;
      else this.book.drop(lease);
    }
  }

  /** Ends leases without running requests. They are dropped before metering hears of it, so that no request can reserve from one that is ending. */
  private async giveBack(isDue: (lastUsedAtMs: number) => boolean): Promise<void> {
    const ended = this.book
      .leases()
      .filter((lease) => lease.reserved === 0n && (this.book.isRetired(lease) || isDue(lease.lastUsedAtMs)));
    for (const lease of ended) this.book.drop(lease);
    const asked = ended.map((lease) => {
      return { leaseId: lease.leaseId, giveBackNanoUsd: lease.takeUnused().toString(), close: true };
    });
    if (asked.length > 0) await this.metering.renew(asked);
  }
}
