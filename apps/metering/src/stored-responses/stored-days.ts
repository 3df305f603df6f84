import { Injectable, Optional } from '@nestjs/common';
import { longestChainMs, storedResponseMs } from '@tollgate/contracts/metering';
import { Databases } from '../databases';

const dayMs = 86_400_000;
/**
 * Yesterday for edges whose clocks are behind, and so many days ahead for a metering that is away for long.
 */
const daysAround = [-1, 0, 1, 2, 3, 4, 5, 6, 7];

/**
 * Keeps responses and conversations in days: makes partitions before they begin, and drops those that nobody
 * can read any more.
 */
@Injectable()
export class StoredDays {
  constructor(
    private readonly databases: Databases,
    @Optional() private readonly now: () => number = Date.now,
  ) {}

  /** A turn of the last kept day may stand on one that is a chain's length older. */
  async maintain(): Promise<void> {
    const { ingest } = this.databases;
    for (const around of daysAround) {
      const day = this.dayOf(around * dayMs);
      await ingest.$queryRaw`SELECT add_stored_turn_day(${day}::date), add_conversation_item_day(${day}::date)`;
    }
    const oldest = this.dayOf(-storedResponseMs - longestChainMs);
    await ingest.$queryRaw`SELECT name FROM drop_stored_turn_days(${oldest}::date) AS name`;
    await ingest.$queryRaw`SELECT name FROM drop_conversation_item_days(${oldest}::date) AS name`;
    await ingest.conversation.deleteMany({ where: { day: { lt: new Date(oldest) } } });
    await ingest.storedBytes.deleteMany({ where: { day: { lt: new Date(oldest) } } });
  }

  /** The UTC day of so many milliseconds from now, as a date. */
  private dayOf(fromNowMs: number): string {
    return new Date(this.now() + fromNowMs).toISOString().slice(0, 10);
  }
}
