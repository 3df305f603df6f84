import type { PriceColumns } from '@tollgate/database';
import { fromPriceColumns, toPriceColumns } from '@tollgate/database';
import { isDeepStrictEqual } from 'node:util';
import type { PricedModel } from '../effective/effective-catalog';

/** The newest row of a model. `validTo` null: the price is in force. */
export type NewestPrice = Omit<PriceColumns, 'longContext'> & {
  id: string;
  model: string;
  longContext: unknown;
  validFrom: Date;
  validTo: Date | null;
};

/** A row to add. */
type NewPrice = PriceColumns & { model: string; source: string; validFrom: Date };

export interface PriceChanges {
  /** Rows whose interval ends, and when. */
  ended: { id: string; validTo: Date }[];
  begun: NewPrice[];
}

/**
 * How much earlier than its sheet was loaded the FIRST price of a model holds. A model has no usage before it is in the catalog, but other
 * instances may have offered it a little earlier, or this one, before a restart, while Postgres was away.
 */
export const firstPriceLeadMs = 24 * 3_600_000;

/**
 * What must change in the table for the sheets that came into force at `at` (epoch milliseconds). A changed sheet ends the old interval where the new one
 * begins; the interval of a model whose price is not known any more ends; the same sheet changes nothing. No interval overlaps another or is empty.
 */
export function priceChanges(newest: readonly NewestPrice[], priced: readonly PricedModel[], at: number): PriceChanges {
  const changes: PriceChanges = { ended: [], begun: [] };
  const rows = new Map(newest.map((row) => [row.model, row]));
  for (const { model, prices, source } of priced) {
    const columns = toPriceColumns(prices);
    const row = rows.get(model);
    rows.delete(model);
    if (row?.validTo === null && isSamePrice(row, columns)) continue;
    const validFrom = row ? Math.max(at, (row.validTo ?? end(changes, row, at)).getTime()) : at - firstPriceLeadMs;
    changes.begun.push({ model, source, ...columns, validFrom: new Date(validFrom) });
  }
  for (const row of rows.values()) if (!row.validTo) end(changes, row, at);
  return changes;
}

/** Compares what is charged, not how it is written: "2.50" is "2.5". */
function isSamePrice(row: NewestPrice, columns: PriceColumns): boolean {
  return isDeepStrictEqual(fromPriceColumns(row), fromPriceColumns(columns));
}

/** Ends an open interval at `at`, or as early after its begin as an interval may. */
function end(changes: PriceChanges, row: NewestPrice, at: number): Date {
  const validTo = new Date(Math.max(at, row.validFrom.getTime() + 1));
  changes.ended.push({ id: row.id, validTo });
  return validTo;
}
