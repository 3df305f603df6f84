import type { ExplainedEvent } from '@tollgate/contracts';
import { fromPriceColumns } from '@tollgate/database';
import type { Price } from '@tollgate/database';
import { isCharged } from '../ingest/usage-row';
import { chargeLines, tierOf } from '../rating/charge-lines';
import { toRateSheet } from '../rating/rate-sheet';
import { rateUsage } from '../rating/rate-usage';
import type { StoredEvent } from './find-events';

/** Works the charge of an event out again. `price` is the row that the event keeps; null when it keeps none, or the row is gone. */
export function explainEvent({ event, costNanoUsd }: StoredEvent, price: Price | null): ExplainedEvent {
  const storedNanoUsd = costNanoUsd?.toString() ?? null;
  if (!price) return { event, price: null, aboveInputTokens: null, lines: [], computedNanoUsd: null, storedNanoUsd };
  const sheet = toRateSheet(fromPriceColumns(price));
  const completed = isCharged(event);
  return {
    event,
    price: {
      id: price.id,
      source: price.source,
      validFrom: price.validFrom.getTime(),
      validTo: price.validTo?.getTime() ?? null,
    },
    aboveInputTokens: tierOf(sheet, event.usage)?.aboveInputTokens ?? null,
    lines: chargeLines(sheet, event.usage, completed).map(({ kind, tokens, rate }) => ({
      kind,
      tokens,
      ratePicoUsd: rate.toString(),
      amountPicoUsd: (BigInt(tokens) * rate).toString(),
    })),
    computedNanoUsd: rateUsage(sheet, event.usage, completed).toString(),
    storedNanoUsd,
  };
}
