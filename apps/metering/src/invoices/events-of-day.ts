import type { UsageEvent } from '@tollgate/contracts';
import type { UsageEventModel } from '@tollgate/database/metering';
import { Databases } from '../databases';
import { firstIdAt, toStoredEvent } from '../ledger/find-events';

export const dayMs = 86_400_000;
const batchSize = 2_000;

/** The start of a day (`YYYY-MM-DD`, UTC), epoch milliseconds. */
export function startOf(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`);
}

/**
 * The events of requests that came on a day, in the order in which they came, behind the event `after`. Their
 * ids hold that time, so no other index is needed.
 */
export async function* eventsOfDay(
  { recount }: Pick<Databases, 'recount'>,
  day: string,
  after: string | null = null,
): AsyncGenerator<UsageEvent[]> {
  const from = startOf(day);
  const to = from + dayMs;
  const bornAt = { gte: new Date(from), lt: new Date(to) };
  const lt = firstIdAt(to);
  let id: { gte: string; lt: string } | { gt: string; lt: string } =
    after === null ? { gte: firstIdAt(from), lt } : { gt: after, lt };
  for (;;) {
    const rows: UsageEventModel[] = await recount.usageEvent.findMany({
      where: { id, bornAt },
      orderBy: { id: 'asc' },
      take: batchSize,
    });
    if (rows.length > 0) yield rows.map((row) => toStoredEvent(row).event);
    const last = rows.at(-1);
    if (!last || rows.length < batchSize) return;
    id = { gt: last.id, lt };
  }
}
