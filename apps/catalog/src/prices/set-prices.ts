import { priceSheet, type PriceSheet } from '@tollgate/contracts/catalog';
import type { Queries } from '@tollgate/database';
import { withPublishedTerms } from './published-terms';
import { priceAt, unknownPrice, type DatedPrice, type PriceSchedule } from './sheet-at';

/**
 * A price that an administrator set and that was not taken back. `prices` null: from then on nothing is set.
 * `from`: epoch milliseconds.
 */
export interface StandingPrice {
  prices: PriceSheet | null;
  from: number;
}

/** Who set it, and why, is not for everybody who sees what a charge follows from. */
const source = 'set by an administrator';

/** By model id, each in the order of time. */
export type StandingPrices = ReadonlyMap<string, readonly StandingPrice[]>;

/** Every price that was set and not taken back. */
export async function readStandingPrices(queries: Pick<Queries<'catalog'>, 'setPrice'>): Promise<StandingPrices> {
  const rows = await queries.setPrice.findMany({ where: { withdrawnAt: null }, orderBy: { validFrom: 'asc' } });
  const byModel = new Map<string, StandingPrice[]>();
  for (const { model, prices, validFrom } of rows) {
    const one = { prices: prices === null ? null : priceSheet.parse(prices), from: validFrom.getTime() };
    byModel.set(model, [...(byModel.get(model) ?? []), one]);
  }
  return byModel;
}

/** The same, and one more. */
export function withOneMore(
  standing: StandingPrices,
  { model, ...one }: StandingPrice & { model: string },
): StandingPrices {
  const ofModel = [...(standing.get(model) ?? []), one].toSorted((a, b) => a.from - b.from);
  return new Map([...standing, [model, ofModel]]);
}

/**
 * What a model costs with the prices that were set, each from its instant until the next one. `otherwise`:
 * what it would cost had nobody set anything; undefined: that is not known.
 */
export function withStandingPrices(
  model: string,
  otherwise: PriceSchedule | undefined,
  standing: readonly StandingPrice[],
): PriceSchedule {
  const base = otherwise ?? unknownPrice(model);
  const [first] = standing;
  const before = changesWithin(base, -Infinity, first?.from ?? Infinity);
  const since = standing.flatMap((one, index): DatedPrice[] => {
    const schedule = one.prices ? withPublishedTerms({ model, prices: one.prices, source, day: null }) : base;
    const isSet = one.prices !== null;
    const later = changesWithin(schedule, one.from, standing[index + 1]?.from ?? Infinity);
    return [
      { ...priceAt(schedule, one.from), from: new Date(one.from).toISOString(), isSet },
      ...later.map((change) => ({ ...change, isSet })),
    ];
  });
  return { ...base, changes: [...before, ...since] };
}

/** Changes after `from` and before `until`, with all that is known of each. */
function changesWithin(schedule: PriceSchedule, from: number, until: number): DatedPrice[] {
  return (schedule.changes ?? []).flatMap((change) => {
    const at = Date.parse(change.from);
    return from < at && at < until ? [{ ...priceAt(schedule, at), from: change.from }] : [];
  });
}

/** Models that cost what an administrator set, at `at` (epoch milliseconds). */
export function pricedBySetting(standing: StandingPrices, at: number): string[] {
  return [...standing].flatMap(([model, prices]) => {
    const inForce = prices.findLast(({ from }) => from <= at);
    return inForce?.prices ? [model] : [];
  });
}
