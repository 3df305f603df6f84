import { Inject, Injectable, Optional } from '@nestjs/common';
import { monthStartMs } from '@tollgate/contracts';
import { Databases } from './databases';
import { MeteringSettings } from './settings';

/** Months that get a partition: the one before (for late events), this one and two ahead. */
const monthsAround = [-1, 0, 1, 2];
const dayMs = 86_400_000;
/** Reports look 30 days back, and charts of minutes never further. */
const minuteMonths = 3;
/** So many days of names are forgotten in one statement: each holds at most so many as are told apart. */
const mostDays = 200;
/** Points of so many blocks are: each has 14 of each of its lines. */
const mostBlocks = 50;

/** The tables that lie in months, by the column that tells the month. */
const tables = [
  ['usage_event', 'born_at'],
  ['usage_minute', 'at'],
  ['usage_slice_hour', 'at'],
] as const;

/**
 * Keeps usage events and their sums by minute in months: makes partitions before they begin, and drops those
 * that need not be kept. Names that events said go with them, also from sums by day.
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
    return minutesSince(new Date(this.now())).getTime();
  }

  /** Returns the partitions that were dropped. */
  async maintain(): Promise<string[]> {
    for (const [table, column] of tables)
      for (const offset of monthsAround)
        await this.databases.ingest.$queryRaw`SELECT add_month(${table}, ${column}, ${this.monthStart(offset)}::date)`;
    const dropped = await this.drop('usage_minute', this.minutesSinceMs());
    dropped.push(...(await this.dropSliceHours(Math.max(this.minutesSinceMs(), this.keptSinceMs()))));
    while ((await this.forgetCuts(this.minutesSinceMs())) > 0);
    if (this.settings.retentionMonths === null) return dropped;
    dropped.push(...(await this.drop('usage_event', this.keptSinceMs())));
    await this.forgetBlocks(this.keptSinceMs());
    while ((await this.forgetSliceDays(this.keptSinceMs())) > 0);
    return dropped;
  }

  /** What is corrected of a month after its partition went lies in that of no month. */
  private async dropSliceHours(beforeMs: number): Promise<string[]> {
    const dropped = await this.drop('usage_slice_hour', beforeMs);
    await this.databases.ingest.$executeRaw`DELETE FROM usage_slice_hour WHERE at < ${new Date(beforeMs)}::timestamptz`;
    return dropped;
  }

  /**
   * Forgets points of some single days, which are made of rows by minute. A month of many accounts has more
   * than one statement may take away. Returns how many.
   */
  private forgetCuts(beforeMs: number): Promise<number> {
    return this.databases.ingest.$executeRaw`
      DELETE FROM usage_block_points WHERE build = ANY(ARRAY(
        SELECT block.build FROM usage_block AS block
        CROSS JOIN LATERAL (SELECT FROM usage_block_points AS points WHERE points.build = block.build LIMIT 1) AS cut
        WHERE days = 1 AND at < ${new Date(beforeMs)}::timestamptz LIMIT ${mostBlocks}))`;
  }

  /** Blocks that hold days whose names are forgotten. */
  private async forgetBlocks(beforeMs: number): Promise<void> {
    await this.databases.ingest.$executeRaw`
      WITH block AS (DELETE FROM usage_block WHERE at < ${new Date(beforeMs)}::timestamptz RETURNING build),
      stale AS (DELETE FROM usage_block_stale AS stale USING block WHERE stale.build = block.build),
      chart AS (DELETE FROM usage_block_chart AS chart USING block WHERE chart.build = block.build)
      DELETE FROM usage_block_sum AS sum USING block WHERE sum.build = block.build`;
  }

  /**
   * Forgets some sums by day, in the order in which these are locked to add to them. Returns of how many days
   * of names.
   */
  private async forgetSliceDays(beforeMs: number): Promise<number> {
    const [forgotten] = await this.databases.ingest.$queryRaw<{ days: number }[]>`
      WITH day AS (
        SELECT key_id, dimension, at FROM usage_slice_names WHERE at < ${new Date(beforeMs)}::timestamptz
        ORDER BY key_id, dimension, at LIMIT ${mostDays} FOR UPDATE SKIP LOCKED
      ),
      counts AS (
        DELETE FROM usage_slice_names AS counted USING day
        WHERE counted.key_id = day.key_id AND counted.dimension = day.dimension AND counted.at = day.at
      ),
      sums AS (
        DELETE FROM usage_slice_day AS sum USING day
        WHERE sum.key_id = day.key_id AND sum.dimension = day.dimension AND sum.at = day.at
      )
      SELECT count(*)::int AS days FROM day`;
    return forgotten?.days ?? 0;
  }

  private async drop(table: string, beforeMs: number): Promise<string[]> {
    const dropped = await this.databases.ingest.$queryRaw<{ name: string }[]>`
      SELECT name FROM drop_months(${table}, ${new Date(beforeMs)}::date) AS name`;
    return dropped.map(({ name }) => name);
  }

  private monthStart(offset: number): Date {
    return monthStart(new Date(this.now()), offset);
  }
}

/** Since when sums by minute are kept at a time. */
export function minutesSince(at: Date): Date {
  return monthStart(at, -minuteMonths);
}

/** When the month began that is so many months after that of a time (UTC). */
function monthStart(at: Date, offset: number): Date {
  return new Date(monthStartMs(at.getTime(), offset));
}
