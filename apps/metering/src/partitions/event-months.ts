import { Inject, Injectable, Optional } from '@nestjs/common';
import { Databases } from '../databases';
import { MeteringSettings } from '../settings';

/** Months that get a partition: the one before (for late events), this one and two ahead. */
const monthsAround = [-1, 0, 1, 2];
const dayMs = 86_400_000;
/** Reports look 30 days back, and charts of minutes never further. */
const minuteMonths = 3;

/** The tables that lie in months, by the column that tells the month. */
const tables = [
  ['usage_event', 'born_at'],
  ['usage_minute', 'at'],
  ['usage_slice_hour', 'at'],
] as const;

/**
 * Keeps usage events and their sums by minute in months: makes partitions before they begin, and drops those
 * that need not be kept.
 */
@Injectable()
export class EventMonths {
  constructor(
    private readonly databases: Databases,
    @Inject(MeteringSettings) private readonly settings: Pick<MeteringSettings, 'retentionMonths'>,
    @Optional() private readonly now: () => number = Date.now,
  ) {}

  /** The start of the oldest month of events that is kept, epoch milliseconds; 0 when everything is. */
  keptSinceMs(): number {
    return this.settings.retentionMonths === null ? 0 : this.monthStart(-this.settings.retentionMonths).getTime();
  }

  /**
   * Since when every event that ended is still there: a generation may have begun (and have its event in the
   * partition of) the day before.
   * 0 when everything is kept.
   */
  completeSinceMs(): number {
    return this.settings.retentionMonths === null ? 0 : this.keptSinceMs() + dayMs;
  }

  /**
   * The start of the oldest month whose sums by minute, and of slices by hour, are kept, epoch milliseconds.
   */
  minutesSinceMs(): number {
    return this.monthStart(-minuteMonths).getTime();
  }

  /** Returns the partitions that were dropped. */
  async maintain(): Promise<string[]> {
    for (const [table, column] of tables)
      for (const offset of monthsAround)
        await this.databases.ingest.$queryRaw`SELECT add_month(${table}, ${column}, ${this.monthStart(offset)}::date)`;
    const dropped = await this.drop('usage_minute', this.minutesSinceMs());
    dropped.push(...(await this.drop('usage_slice_hour', this.minutesSinceMs())));
    if (this.settings.retentionMonths !== null) dropped.push(...(await this.drop('usage_event', this.keptSinceMs())));
    return dropped;
  }

  private async drop(table: string, beforeMs: number): Promise<string[]> {
    const dropped = await this.databases.ingest.$queryRaw<{ name: string }[]>`
      SELECT name FROM drop_months(${table}, ${new Date(beforeMs)}::date) AS name`;
    return dropped.map(({ name }) => name);
  }

  private monthStart(offset: number): Date {
    const now = new Date(this.now());
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset));
  }
}
