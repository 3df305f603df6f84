import type { PriceSheet } from '@tollgate/contracts';
import type { PricedModel } from '../effective/effective-catalog';

type Schedule = Pick<PricedModel, 'prices' | 'changes'>;

/**
 * What a model costs at `at` (epoch milliseconds): the last announced change that has come true, else its
 * price.
 */
export function sheetAt({ prices, changes = [] }: Schedule, at: number): PriceSheet {
  return changes.findLast(({ from }) => Date.parse(from) <= at)?.prices ?? prices;
}

/** The announced changes that come true after `at`, in the order of time. */
export function sheetsAfter({ changes = [] }: Schedule, at: number): { at: number; prices: PriceSheet }[] {
  return changes.map(({ from, prices }) => ({ at: Date.parse(from), prices })).filter((change) => change.at > at);
}
