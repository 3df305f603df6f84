import { usageEvent } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import type { Attribution } from '@tollgate/contracts/metering';
import type { UsageEventModel } from '@tollgate/database/metering';
import type { Queries } from '@tollgate/database';
import { bornAt } from '../ingest/usage-row';

/** An event as it is stored, with the price row that rated it and its charge; both null: unpriced. */
export interface StoredEvent {
  event: UsageEvent;
  priceId: string | null;
  costNanoUsd: bigint | null;
}

const uuidVersion7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/**
 * How far the event of a request may be born from the request id that the gateway made: both are made as the
 * request arrives.
 */
const spanMs = 60_000;
/** How far back a request id that a caller chose is looked for. Nothing in it tells when. */
const lookBackMs = 31 * 86_400_000;
const mostEvents = 20;

/**
 * The events of an event id or a request id, oldest first. Ids hold the time they were made at, and events
 * lie in the order of theirs, so no index of request ids is kept; only for one that a caller chose
 * (`x-request-id`) are the events of the last 31 days read.
 */
export async function findEvents(database: Queries<'metering'>, id: string, nowMs: number): Promise<StoredEvent[]> {
  if (!uuidVersion7.test(id)) return eventsOf(database, id, nowMs - lookBackMs, nowMs + spanMs);
  const found = await findEvent(database, id);
  if (found.length > 0) return found;
  const born = bornAt(id);
  return eventsOf(database, id, born - spanMs, born + spanMs);
}

/** The event of an event id, in a list; none where there is no such event. */
export async function findEvent(database: Queries<'metering'>, id: string): Promise<StoredEvent[]> {
  if (!uuidVersion7.test(id)) return [];
  const where = { id: id.toLowerCase(), bornAt: new Date(bornAt(id)) };
  return (await database.usageEvent.findMany({ where })).map(toStoredEvent);
}

async function eventsOf(
  database: Queries<'metering'>,
  requestId: string,
  fromMs: number,
  toMs: number,
): Promise<StoredEvent[]> {
  const rows = await database.usageEvent.findMany({
    where: {
      requestId,
      id: { gte: firstIdAt(fromMs), lt: firstIdAt(toMs) },
      bornAt: { gte: new Date(fromMs), lt: new Date(toMs) },
    },
    orderBy: { id: 'asc' },
    take: mostEvents,
  });
  return rows.map(toStoredEvent);
}

/** The smallest UUID version 7 of a millisecond. */
export function firstIdAt(timeMs: number): string {
  const hex = Math.max(0, timeMs).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** For whom a request was made, of its columns; undefined: nothing was said. */
export function attributionIn({
  endUser,
  session,
  agent,
  tags,
}: Pick<UsageEventModel, 'endUser' | 'session' | 'agent' | 'tags'>): Attribution | undefined {
  if (endUser === null && session === null && agent === null && tags.length === 0) return undefined;
  return {
    ...(endUser !== null && { endUser }),
    ...(session !== null && { session }),
    ...(agent !== null && { agent }),
    ...(tags.length > 0 && { tags }),
  };
}

/** A row of the ledger, but for when it was written. */
export type LedgerRow = Omit<UsageEventModel, 'recordedAt'>;

/** Reads a row of the ledger. */
export function toStoredEvent(row: LedgerRow): StoredEvent {
  return {
    event: usageEvent.parse({
      ...row,
      usage: {
        input: Number(row.inputTokens),
        output: Number(row.outputTokens),
        cachedInput: Number(row.cachedInput),
        cacheWrite5m: Number(row.cacheWrite5m),
        cacheWrite1h: Number(row.cacheWrite1h),
        reasoning: Number(row.reasoning),
        audioInput: Number(row.audioInput),
        audioOutput: Number(row.audioOutput),
        served: row.served ?? undefined,
      },
      attribution: attributionIn(row),
      reserved: row.reserved === null ? undefined : Number(row.reserved),
      budgets: row.budgets ?? undefined,
      startedAt: row.startedAt.getTime(),
      firstTokenAt: row.firstTokenAt?.getTime() ?? null,
      endedAt: row.endedAt.getTime(),
    }),
    priceId: row.priceId,
    costNanoUsd: row.costNanoUsd,
  };
}
