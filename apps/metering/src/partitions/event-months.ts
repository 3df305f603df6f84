import type { Database } from '@tollgate/database';

/** Months that get a partition: the one before (for late events), this one and two ahead. */
const monthsAround = [-1, 0, 1, 2];
const dayMs = 86_400_000;

/** Keeps the table of usage events in months: makes their partitions before they begin, and drops those that need not be kept. */
export class EventMonths {
  constructor(
    private readonly database: Pick<Database<'metering'>, '$queryRaw'>,
    /** Whole months to keep beside the current one; null keeps everything. */
    private readonly retentionMonths: number | null,
    private readonly now: () => number = Date.now,
  ) {}

  /** The start of the oldest month that is kept, epoch milliseconds; 0 when everything is. */
  keptSinceMs(): number {
    return this.retentionMonths === null ? 0 : this.monthStart(-this.retentionMonths).getTime();
  }

  /**
   * Since when every event that ended is still there: a generation may have begun (and have its event in the partition of) the day before.
   * 0 when everything is kept.
   */
  completeSinceMs(): number {
    return this.retentionMonths === null ? 0 : this.keptSinceMs() + dayMs;
  }

  /** Returns the partitions that were dropped. */
  async maintain(): Promise<string[]> {
    for (const offset of monthsAround) {
      await this.database.$queryRaw`SELECT add_usage_event_month(${this.monthStart(offset)}::date)`;
    }
    if (this.retentionMonths === null) return [];
    const dropped = await this.database.$queryRaw<{ name: string }[]>`
      SELECT name FROM drop_usage_event_months(${new Date(this.keptSinceMs())}::date) AS name`;
    return dropped.map(({ name }) => name);
  }

  private monthStart(offset: number): Date {
    const now = new Date(this.now());
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset));
  }
}
