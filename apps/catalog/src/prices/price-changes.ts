import type { PriceSheet } from '@tollgate/contracts';
import type { PriceColumns } from '@tollgate/database';
import { fromPriceColumns, toPriceColumns } from '@tollgate/database';
import { isDeepStrictEqual } from 'node:util';
import type { PricedModel } from '../effective/effective-catalog';
import { sheetAt, sheetsAfter } from './sheet-at';

/** A row of a model. `validTo` null: it holds until further notice. */
export type KnownPrice = Omit<PriceColumns, 'longContext' | 'terms'> & {
  id: string;
  model: string;
  longContext: unknown;
  terms: unknown;
  validFrom: Date;
  validTo: Date | null;
};

/** A row to add. */
type NewPrice = PriceColumns & { model: string; source: string; validFrom: Date; validTo: Date | null };

export interface PriceChanges {
  /** Rows whose interval ends elsewhere than it did, and where; null: nowhere yet. */
  ended: { id: string; validTo: Date | null }[];
  /** Rows that were written ahead of their time and are not to come. */
  withdrawn: string[];
  begun: NewPrice[];
}

/**
 * How much earlier than its sheet was loaded the FIRST price of a model holds. A model has no usage before it
 * is in the catalog, but other instances may have offered it a little earlier, or this one, before a restart,
 * while Postgres was away.
 */
export const firstPriceLeadMs = 24 * 3_600_000;

/**
 * Clocks of instances differ by less than this; what begins later than that was written ahead of its time.
 */
const clockSkewMs = 300_000;

/**
 * What must change in the table for the sheets that came into force at `at` (epoch milliseconds). `rows` are
 * the newest of each model and every one that ends after `at`. A changed sheet ends the old interval where
 * the new one begins; the interval of a model whose price is not known any more ends; the same sheet changes
 * nothing. Announced changes are written ahead, so that they hold from their instant whatever runs then. No
 * interval overlaps another or is empty.
 */
export function priceChanges(rows: readonly KnownPrice[], priced: readonly PricedModel[], at: number): PriceChanges {
  const changes: PriceChanges = { ended: [], withdrawn: [], begun: [] };
  const byModel = new Map<string, KnownPrice[]>();
  for (const row of rows.toSorted((a, b) => a.validFrom.getTime() - b.validFrom.getTime()))
    byModel.set(row.model, [...(byModel.get(row.model) ?? []), row]);
  for (const one of priced) {
    const known = byModel.get(one.model) ?? [];
    byModel.delete(one.model);
    if (!agree(known, one, at)) rewrite(changes, known, one, at);
  }
  for (const known of byModel.values()) {
    const { base, plans } = split(known, at);
    if (base && isOpen(base, at)) end(changes, base, at);
    changes.withdrawn.push(...plans.map(({ id }) => id));
  }
  return changes;
}

/**
 * True when the rows from now on say what is wanted; a clock that is behind another's may still see the row
 * before.
 */
function agree(known: readonly KnownPrice[], one: PricedModel, at: number): boolean {
  const current = known.filter(({ validTo }) => validTo === null || validTo.getTime() > at);
  const { base, plans } = split(known, at);
  return says(current, one, at) || (base !== null && says([base, ...plans], one, at));
}

function says(rows: readonly KnownPrice[], one: PricedModel, at: number): boolean {
  const [first, ...later] = rows;
  const planned = sheetsAfter(one, at);
  return (
    first !== undefined &&
    rows.at(-1)?.validTo === null &&
    later.length === planned.length &&
    isSamePrice(first, sheetAt(one, at)) &&
    later.every((row, index) => {
      const plan = planned[index];
      return plan !== undefined && row.validFrom.getTime() === plan.at && isSamePrice(row, plan.prices);
    })
  );
}

function rewrite(changes: PriceChanges, known: readonly KnownPrice[], one: PricedModel, at: number): void {
  const { model, source } = one;
  const { base, plans } = split(known, at);
  changes.withdrawn.push(...plans.map(({ id }) => id));
  const planned = sheetsAfter(one, at);
  const until = (index: number): Date | null => {
    const next = planned[index];
    return next === undefined ? null : new Date(next.at);
  };
  const begin = (prices: PriceSheet, validFrom: number, next: number): void => {
    changes.begun.push({
      model,
      source,
      ...toPriceColumns(prices),
      validFrom: new Date(validFrom),
      validTo: until(next),
    });
  };
  const prices = sheetAt(one, at);
  if (base && isOpen(base, at) && isSamePrice(base, prices)) changes.ended.push({ id: base.id, validTo: until(0) });
  else begin(prices, base ? Math.max(at, endOf(changes, base, at)) : at - firstPriceLeadMs, 0);
  planned.forEach((plan, index) => begin(plan.prices, plan.at, index + 1));
}

/** The newest row that was not written ahead of its time (null: none), and those that were. */
function split(known: readonly KnownPrice[], at: number): { base: KnownPrice | null; plans: KnownPrice[] } {
  const isPlan = ({ validFrom }: KnownPrice) => validFrom.getTime() > at + clockSkewMs;
  return { base: known.findLast((row) => !isPlan(row)) ?? null, plans: known.filter(isPlan) };
}

/** In force, for good or until an announced change. */
function isOpen({ validTo }: KnownPrice, at: number): boolean {
  return validTo === null || validTo.getTime() > at + clockSkewMs;
}

/** Compares what is charged, not how it is written: "2.50" is "2.5". */
function isSamePrice(row: KnownPrice, prices: PriceSheet): boolean {
  return isDeepStrictEqual(fromPriceColumns(row), fromPriceColumns(toPriceColumns(prices)));
}

/** When a row has ended, epoch milliseconds; an open one is ended. */
function endOf(changes: PriceChanges, row: KnownPrice, at: number): number {
  return row.validTo && !isOpen(row, at) ? row.validTo.getTime() : end(changes, row, at);
}

/** Ends an open interval at `at`, or as early after its begin as an interval may. */
function end(changes: PriceChanges, row: KnownPrice, at: number): number {
  const validTo = Math.max(at, row.validFrom.getTime() + 1);
  changes.ended.push({ id: row.id, validTo: new Date(validTo) });
  return validTo;
}
