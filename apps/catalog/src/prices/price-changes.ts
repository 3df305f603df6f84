import { clockBoundMs } from '@tollgate/contracts/catalog';
import type { PriceColumns } from '@tollgate/database';
import { fromPriceColumns, toPriceColumns } from '@tollgate/database';
import { isDeepStrictEqual } from 'node:util';
import { periodsFrom, type Period, type PriceSchedule } from './sheet-at';

/** A row of a model. `validTo` null: it holds until further notice. */
export type KnownPrice = Omit<PriceColumns, 'longContext' | 'terms'> & {
  id: string;
  model: string;
  longContext: unknown;
  terms: unknown;
  validFrom: Date;
  validTo: Date | null;
  /** An administrator set it: catalogs that know of no such prices leave it as it is. */
  isSet: boolean;
};

/** A row to add. */
type NewPrice = PriceColumns & Pick<KnownPrice, 'model' | 'validFrom' | 'validTo' | 'isSet'> & { source: string };

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
 * What must change in the table for the sheets that came into force at `at` (epoch milliseconds). `rows` are
 * the newest of each model and every one that ends after `at`. A changed sheet ends the old interval where
 * the new one begins; the interval of a model whose price is not known any more ends; the same sheet changes
 * nothing. Announced changes are written ahead, so that they hold from their instant whatever runs then, and
 * so are those that administrators set. What begins within `clockBoundMs` has begun by some clock, and is not
 * withdrawn. `now`: when this is written, which may be long after `at` where the database was away; what has
 * begun since goes on until then. No interval overlaps another or is empty.
 */
export function priceChanges(
  rows: readonly KnownPrice[],
  priced: readonly PriceSchedule[],
  at: number,
  now: number,
): PriceChanges {
  const times = { at, now: Math.max(at, now) };
  const changes: PriceChanges = { ended: [], withdrawn: [], begun: [] };
  const byModel = new Map<string, KnownPrice[]>();
  for (const row of rows.toSorted((a, b) => a.validFrom.getTime() - b.validFrom.getTime()))
    byModel.set(row.model, [...(byModel.get(row.model) ?? []), row]);
  for (const one of priced) {
    const known = byModel.get(one.model) ?? [];
    byModel.delete(one.model);
    if (!agree(known, periodsFrom(one, at), times)) rewrite(changes, known, one, times);
  }
  for (const known of byModel.values()) {
    const { base, plans } = split(known, times);
    if (base && isOpen(base, at)) endAt(changes, base, begins(base) > at ? times.now : at);
    changes.withdrawn.push(...plans.map(({ id }) => id));
  }
  return changes;
}

/** Since when a price is wanted, and when that is written: epoch milliseconds. */
interface Times {
  at: number;
  now: number;
}

/**
 * True when the rows from now on say what is wanted; a clock that is behind another's may still see the row
 * before.
 */
function agree(known: readonly KnownPrice[], wanted: readonly Period[], times: Times): boolean {
  const { at } = times;
  const current = known.filter(({ validTo }) => validTo === null || validTo.getTime() > at);
  const { base, plans } = split(known, times);
  return says(current, wanted, at) || (base !== null && says([base, ...plans], wanted, at));
}

function says(rows: readonly KnownPrice[], wanted: readonly Period[], at: number): boolean {
  return (
    rows.length === wanted.length &&
    rows.every((row, index) => {
      const period = wanted[index];
      if (!period || !isSame(row, period) || endsAt(row) !== period.until) return false;
      return period.from === at || period.from === row.validFrom.getTime();
    })
  );
}

function rewrite(changes: PriceChanges, known: readonly KnownPrice[], one: PriceSchedule, times: Times): void {
  const { at } = times;
  const start = startOf(known, one, times);
  const wanted = periodsFrom(one, start);
  const later = wanted.filter(({ from }) => from > start);
  const now = wanted.find(({ from }) => from === start);
  const rowOf = (period: Period) => known.find((row) => begins(row) === period.from && isSame(row, period));
  const kept = new Set(later.map(rowOf));
  const { base, plans } = split(
    known.filter((row) => !kept.has(row)),
    times,
  );
  changes.withdrawn.push(...plans.map(({ id }) => id));
  // A row that ends where another is to begin, or behind that, has no end of its own.
  const end = base && endsAt(base);
  const next = later[0]?.from ?? Infinity;
  const isOngoing =
    base !== null &&
    (isOpen(base, at) || (end ?? Infinity) > next || known.some((row) => begins(row) > at && begins(row) === end));
  if (now) begin(changes, { row: base, isOngoing }, { model: one.model, ...now }, start);
  else if (isOngoing) endAt(changes, base, start);
  for (const period of later) {
    const row = rowOf(period);
    if (row) setEnd(changes, row, period.until);
    else changes.begun.push(toRow(one.model, period, period.from));
  }
}

/**
 * From when on rows are written: what has begun by some clock, and is not what is wanted, holds for a moment
 * before that, or until now, and what leads to it stays.
 */
function startOf(known: readonly KnownPrice[], one: PriceSchedule, { at, now }: Times): number {
  const wanted = periodsFrom(one, at);
  const last = known.findLast(
    (row) =>
      begins(row) > at &&
      begins(row) <= now + clockBoundMs &&
      !wanted.some((period) => period.from === begins(row) && isSame(row, period)),
  );
  return last ? Math.max(begins(last) + 1, now) : at;
}

/** Has a price hold from `at` on: the row before goes on where it says the same. */
function begin(
  changes: PriceChanges,
  { row, isOngoing }: { row: KnownPrice | null; isOngoing: boolean },
  now: Period & { model: string },
  at: number,
): void {
  const { model, until } = now;
  if (row && isSame(row, now) && (isOngoing || endsAt(row) === until)) return setEnd(changes, row, until);
  const ended = row && (isOngoing ? endAt(changes, row, at) : (endsAt(row) ?? at));
  const from = ended === null ? at - firstPriceLeadMs : Math.max(at, ended);
  changes.begun.push(toRow(model, now, from));
}

function toRow(model: string, { prices, source, isSet, until }: Period, from: number): NewPrice {
  return {
    ...{ model, source, isSet, ...toPriceColumns(prices) },
    ...{ validFrom: new Date(from), validTo: until === null ? null : new Date(until) },
  };
}

function setEnd({ ended }: PriceChanges, row: KnownPrice, until: number | null): void {
  if (endsAt(row) !== until) ended.push({ id: row.id, validTo: until === null ? null : new Date(until) });
}

const begins = ({ validFrom }: KnownPrice): number => validFrom.getTime();
const endsAt = ({ validTo }: KnownPrice): number | null => validTo?.getTime() ?? null;

/** The newest row that was not written ahead of its time (null: none), and those that were. */
function split(known: readonly KnownPrice[], { now }: Times): { base: KnownPrice | null; plans: KnownPrice[] } {
  const isPlan = (row: KnownPrice) => begins(row) > now + clockBoundMs;
  return { base: known.findLast((row) => !isPlan(row)) ?? null, plans: known.filter(isPlan) };
}

/** In force, for good or until an announced change. */
function isOpen({ validTo }: KnownPrice, at: number): boolean {
  return validTo === null || validTo.getTime() > at + clockBoundMs;
}

/** Compares what is charged, not how it is written ("2.50" is "2.5"), and whether somebody set it. */
function isSame(row: KnownPrice, { prices, isSet }: Pick<Period, 'prices' | 'isSet'>): boolean {
  return row.isSet === isSet && isDeepStrictEqual(fromPriceColumns(row), fromPriceColumns(toPriceColumns(prices)));
}

/** Ends an open interval at `at`, or as early after its begin as an interval may. */
function endAt(changes: PriceChanges, row: KnownPrice, at: number): number {
  const validTo = Math.max(at, row.validFrom.getTime() + 1);
  changes.ended.push({ id: row.id, validTo: new Date(validTo) });
  return validTo;
}
