import { Injectable } from '@nestjs/common';
import type { NanoUsd, UsageEvent } from '@tollgate/contracts';
import { isDataRefused } from '@tollgate/database';
import { UnusableEventsError } from '@tollgate/messaging';
import { Databases } from '../databases';
import { MeteringMetrics } from '../metering-metrics';
import { EventMonths } from '../event-months';
import { PriceBook } from '../rating/price-book';
import { applyChanges } from './apply-changes';
import { foldRows } from './fold-rows';
import { storeEvents } from './store-events';
import { replaces, takeEstimates } from './take-estimates';
import { toUsageRow, unusable } from './usage-row';
import type { UsageRow } from './usage-row';

/** Events of one transaction at most: bounds its time and memory. */
const mostEvents = 2_000;

/** The prices changed while a batch was rated with older ones. */
class StalePricesError extends Error {}

/**
 * What an ingest did, for logs and metrics. `inserted` leaves out events that were stored before;
 * `costNanoUsd` is what the sums grew by.
 */
export interface IngestResult {
  received: number;
  inserted: number;
  unpriced: number;
  costNanoUsd: NanoUsd;
  /** Of those whose provider tells its own charge. */
  told: NonNullable<UsageRow['told']>[];
  unbilled: UsageRow['unbilled'];
}

type OnStored = (result: IngestResult) => void;

/**
 * Stores usage events, each once however often it is reported, with its price, and adds it to every sum in
 * the same transaction. A whole answer takes the place of what another instance estimated of it before.
 */
@Injectable()
export class UsageIngest {
  private prices: PriceBook | null = null;

  constructor(
    private readonly databases: Databases,
    private readonly months: EventMonths,
    private readonly metrics: MeteringMetrics,
  ) {}

  /**
   * Resolves when all events are committed; `onStored` hears of each transaction, also of those before a
   * failure.
   * @throws UnusableEventsError when some can never be stored; the others are committed by then.
   * @throws what the database says, when nothing of the batch at hand was stored.
   */
  async ingest(events: UsageEvent[], onStored: OnStored = () => undefined): Promise<void> {
    // Events of months that were dropped must not come back.
    const keptSinceMs = this.months.keptSinceMs();
    const problems: string[] = [];
    const usable = new Map<string, UsageEvent>();
    for (const event of events) {
      const problem = unusable(event, keptSinceMs);
      const id = event.id.toLowerCase();
      const known = usable.get(id);
      if (problem) problems.push(problem);
      else if (!known || replaces(event, known)) usable.set(id, event);
    }
    const batch = [...usable.values()];
    for (let from = 0; from < batch.length; from += mostEvents)
      problems.push(...(await this.storeUsable(batch.slice(from, from + mostEvents), onStored)));
    if (problems.length > 0) throw new UnusableEventsError(problems.slice(0, 5).join('; '));
  }

  /**
   * Stores a batch, or, when Postgres refuses a value in it, its halves, down to the events at fault. Returns
   * what is wrong with those.
   */
  private async storeUsable(events: UsageEvent[], onStored: OnStored): Promise<string[]> {
    try {
      onStored(await this.store(events));
      return [];
    } catch (error) {
      if (!isDataRefused(error)) throw error;
      const [first] = events;
      if (first && events.length === 1) return [`event ${first.id} is refused by Postgres: ${String(error)}`];
      const half = Math.ceil(events.length / 2);
      return [
        ...(await this.storeUsable(events.slice(0, half), onStored)),
        ...(await this.storeUsable(events.slice(half), onStored)),
      ];
    }
  }

  private async store(events: UsageEvent[]): Promise<IngestResult> {
    for (;;) {
      const prices = (this.prices ??= await PriceBook.load(this.databases.ingest));
      try {
        const result = await this.storeWith(prices, events);
        this.metrics.count(result);
        return result;
      } catch (error) {
        if (!(error instanceof StalePricesError)) throw error;
        this.prices = null;
      }
    }
  }

  private storeWith(prices: PriceBook, events: UsageEvent[]): Promise<IngestResult> {
    const rows = events.map((event) => toUsageRow(event, prices));
    return this.databases.statements.transaction(async (transaction) => {
      const { inserted, catalogRevision } = await storeEvents(transaction, rows);
      if (catalogRevision !== prices.revision) throw new StalePricesError();
      const isNew = ({ event }: UsageRow) => inserted.has(event.id.toLowerCase());
      const replaced = await takeEstimates(
        transaction,
        rows.filter((row) => !isNew(row)),
      );
      const ids = new Set(replaced.map(({ event }) => event.id));
      const better = rows.filter(({ event }) => ids.has(event.id.toLowerCase()));
      if (better.length > 0) await storeEvents(transaction, better);
      const fresh = [...rows.filter(isNew), ...better];
      if (fresh.length > 0) await applyChanges(transaction, foldRows(fresh, replaced));
      return {
        received: events.length,
        inserted: inserted.size,
        unpriced: fresh.filter(({ priceId }) => priceId === null).length,
        costNanoUsd: costOf(fresh) - costOf(replaced),
        told: fresh.flatMap(({ told }) => told ?? []),
        unbilled: fresh.flatMap(({ unbilled }) => unbilled),
      };
    });
  }
}

function costOf(rows: readonly UsageRow[]): NanoUsd {
  return rows.reduce((sum, { costNanoUsd }) => sum + (costNanoUsd ?? 0n), 0n);
}
