import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../clock';
import { MeteringLeases } from './metering-leases';
import { QuotaBook } from './quota-book';

const renewEveryMs = 20_000;
/** A lease that no request touched for this long is given back. */
const idleMs = 20_000;

/** Keeps the leases of running keys alive at metering, and gives back those of idle ones. */
@Injectable()
export class LeaseKeeper implements OnApplicationBootstrap {
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly book: QuotaBook,
    private readonly metering: MeteringLeases,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    // A round that fails is made up for by the next: a lease outlives two lost rounds, and after that a new one is asked for.
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
    const { renewed, ttlMs } = await this.metering.renew(
      leases.map(({ leaseId }) => ({ leaseId, giveBackTokens: 0, close: false })),
    );
    for (const lease of leases) {
      if (renewed.has(lease.leaseId)) lease.endsAtMs = nowMs + ttlMs;
      else this.book.drop(lease);
    }
  }

  /**
   * Ends leases without running requests. They are dropped before metering hears of it, so that no request can reserve from one that is ending.
   * `isDue` is asked with the monotonic time of the last use.
   */
  private async giveBack(isDue: (lastUsedAtMs: number) => boolean): Promise<void> {
    const ended = this.book
      .leases()
      .filter((lease) => lease.reserved === 0 && (this.book.isRetired(lease) || isDue(lease.lastUsedAtMs)));
    for (const lease of ended) this.book.drop(lease);
    const known = ended.filter(({ endsAtMs }) => endsAtMs !== null);
    if (known.length === 0) return;
    await this.metering.renew(
      known.map((lease) => ({ leaseId: lease.leaseId, giveBackTokens: lease.takeUnused(), close: true })),
    );
  }
}
