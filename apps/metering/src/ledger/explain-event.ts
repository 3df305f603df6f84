import { withoutParts } from '@tollgate/contracts';
import { hoursAt } from '@tollgate/contracts/catalog';
import type { ChargeLine, ExplainedEvent } from '@tollgate/contracts/metering';
import type { Price } from '@tollgate/database';
import { tierOf } from '../rating/charge-lines';
import { foundPrice, PriceBook } from '../rating/price-book';
import { chargeEvent } from '../rating/rate-usage';
import type { EventLine, FoundPrice } from '../rating/rate-usage';
import type { StoredEvent } from './find-events';

/** The charge of an event, beside which stands what it held of budgets. */
type ExplainedCharge = Omit<ExplainedEvent, 'budgets'>;

/**
 * Works the charge of an event out again. `rows` are the price rows of its models: the one that the event
 * keeps rates its own model, and where it keeps none, as each other model, the one that was valid when it
 * started.
 */
export function explainEvent({ event, priceId, costNanoUsd }: StoredEvent, rows: readonly Price[]): ExplainedCharge {
  const kept = rows.find(({ id }) => id === priceId);
  const book = PriceBook.of(0n, [...rows]);
  const find = (model: string): FoundPrice | null => {
    if (model !== event.model || priceId === null) return book.find(model, event.startedAt);
    return kept ? foundPrice(kept) : null;
  };
  const { price, lines, nanoUsd } = chargeEvent(event, find);
  const row = rows.find(({ id }) => id === price?.id);
  return {
    event,
    price: row
      ? {
          id: row.id,
          source: row.source,
          validFrom: row.validFrom.getTime(),
          validTo: row.validTo?.getTime() ?? null,
        }
      : null,
    aboveInputTokens: price && (tierOf(price.sheet, withoutParts(event.usage))?.aboveInputTokens ?? null),
    hours: price && hoursAt(price.sheet.hours, event.endedAt),
    lines: lines.map(toChargeLine),
    computedNanoUsd: nanoUsd?.toString() ?? null,
    storedNanoUsd: costNanoUsd?.toString() ?? null,
  };
}

function toChargeLine({ kind, tokens, rate, unit, fraction, part }: EventLine): ChargeLine {
  return {
    kind,
    tokens,
    ratePicoUsd: rate?.toString() ?? null,
    amountPicoUsd: rate === null ? null : (BigInt(tokens) * rate).toString(),
    ...(unit !== undefined && { unit }),
    ...(fraction !== undefined && { fraction }),
    ...(part && { model: part.model, ...(part.price && { priceId: part.price.id }) }),
  };
}
