import type { PriceSheet } from '@tollgate/contracts/catalog';
import type { PricedModel } from '../effective/effective-catalog';

/** A price (null: none is known), and who says it. `isSet`: an administrator, without the file. */
interface SaidPrice extends Pick<PricedModel, 'source' | 'day'> {
  prices: PriceSheet | null;
  isSet: boolean;
}

/** A price that takes the place of the one before at the instant `from`. What is absent is as it was. */
export type DatedPrice = Pick<SaidPrice, 'prices'> & Partial<SaidPrice> & { from: string };

/** What a model costs, announced changes and those that were set among it; in the order of time. */
export interface PriceSchedule extends Omit<PricedModel, 'prices' | 'changes'> {
  prices: PriceSheet | null;
  changes?: readonly DatedPrice[];
}

/** A model of which nobody says what it costs. */
export function unknownPrice(model: string): PriceSchedule {
  return { model, prices: null, source: 'not known', day: null };
}

/** A price that holds in [from, until), epoch milliseconds. `until` null: until further notice. */
export interface Period {
  from: number;
  until: number | null;
  prices: PriceSheet;
  source: string;
  isSet: boolean;
}

/**
 * What a model costs at `at` (epoch milliseconds): the last change that has come true, else its price.
 */
export function priceAt({ prices, source, day, changes = [] }: PriceSchedule, at: number): SaidPrice {
  const last = changes.findLast(({ from }) => Date.parse(from) <= at);
  return { source, day, prices, isSet: false, ...last };
}

/** Only the sheet; null: none is known. */
export function sheetAt(one: PriceSchedule, at: number): PriceSheet | null {
  return priceAt(one, at).prices;
}

/** The other prices that hold within `boundMs` before or after `at`. */
export function sheetsBeside(one: PriceSchedule, at: number, boundMs: number): PriceSheet[] {
  const changes = (one.changes ?? []).map(({ from }) => Date.parse(from));
  const instants = [at - boundMs, ...changes.filter((from) => Math.abs(from - at) <= boundMs)];
  const sheets = new Set(changes.length === 0 ? [] : instants.map((instant) => sheetAt(one, instant)));
  sheets.delete(sheetAt(one, at));
  return [...sheets].filter((sheet) => sheet !== null);
}

/** What a model costs from `at` on, in the order of time. Where no price is known, there is a gap. */
export function periodsFrom(one: PriceSchedule, at: number): Period[] {
  const instants = [at, ...(one.changes ?? []).map(({ from }) => Date.parse(from)).filter((from) => from > at)];
  return instants.flatMap((from, index) => {
    const { prices, source, isSet } = priceAt(one, from);
    return prices ? [{ from, until: instants[index + 1] ?? null, prices, source, isSet }] : [];
  });
}
