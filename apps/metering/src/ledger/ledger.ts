import { Injectable, Optional } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import type { ExplainedEvent } from '@tollgate/contracts/metering';
import { Databases } from '../databases';
import type { LedgerReply } from '../operations';
import { CurrentPrices } from '../rating/price-book';
import { chargeEvent } from '../rating/rate-usage';
import { explainEvent } from './explain-event';
import { findEvent, findEvents } from './find-events';
import type { StoredEvent } from './find-events';
import { heldBudgets } from './held-budgets';

/** Single events, and how their charges came about. */
@Injectable()
export class Ledger {
  constructor(
    private readonly databases: Databases,
    private readonly prices: CurrentPrices,
    @Optional() private readonly now: () => number = Date.now,
  ) {}

  /** The event of an event id alone. @throws ControlError as `explain`. */
  async explainEvent(id: string): Promise<LedgerReply<'explain'>> {
    return this.explained(id, await findEvent(this.databases.operations, id));
  }

  /** @throws ControlError `not_found` when no event has this id. */
  async explain(id: string): Promise<LedgerReply<'explain'>> {
    return this.explained(id, await findEvents(this.databases.recount, id, this.now()));
  }

  private async explained(id: string, events: readonly StoredEvent[]): Promise<LedgerReply<'explain'>> {
    if (events.length === 0)
      throw new ControlError(
        'not_found',
        `No usage event has the id or request id ${id}. An event is here about a second after its request ended, unless its partition was dropped (METERING_RETENTION_MONTHS).`,
      );
    const models = events.flatMap(({ event }) => [event.model, ...partsOf(event).map(({ model }) => model)]);
    const rows = await this.databases.operations.price.findMany({ where: { model: { in: models } } });
    const explain = async (stored: StoredEvent): Promise<ExplainedEvent> => {
      return { ...explainEvent(stored, rows), budgets: await heldBudgets(this.databases.operations, stored) };
    };
    return { events: await Promise.all(events.map(explain)) };
  }

  /** What an event will be charged when it is stored, which may be before or after this. */
  async quote(event: UsageEvent): Promise<LedgerReply<'quote'>> {
    const prices = await this.prices.read();
    const { nanoUsd } = chargeEvent(event, (model) => prices.find(model, Math.floor(event.startedAt)));
    return { costNanoUsd: nanoUsd?.toString() ?? null };
  }
}

function partsOf({ usage }: UsageEvent): readonly { model: string }[] {
  return usage.served?.parts ?? [];
}
