import { z } from 'zod';
import { priceSheet } from './price-sheet';
import { operation } from '../operation';

/**
 * A rate that an import changes. `rate` names it, with its tier where it belongs to one; `before` and `after`
 * are decimal strings, null: no such rate.
 */
export const rateChange = z.object({
  model: z.string(),
  rate: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type RateChange = z.infer<typeof rateChange>;

export const priceOperations = {
  /**
   * Compares price sheets with those in force, and with `apply` puts them in force from now on: the rows that
   * held end, new ones begin, and no charge that was made changes. Model ids. `overridden` have a price in
   * the operator's file, or one that an administrator set, which stays in force; `unknown` are not in the
   * catalog. `unavailable` when Postgres is away.
   */
  importPrices: operation(
    'catalog.prices.import',
    z.object({
      source: z.string().min(1).max(500),
      prices: z.array(z.object({ model: z.string(), prices: priceSheet })).max(5_000),
      apply: z.boolean(),
    }),
    z.object({
      applied: z.boolean(),
      /** From when on the changes hold, or would, were they applied now: epoch milliseconds. */
      from: z.number(),
      changes: z.array(rateChange),
      unchanged: z.array(z.string()),
      /** Of these, those whose prices count as taken from their source on the day on which it is applied. */
      confirmed: z.array(z.string()).default([]),
      overridden: z.array(z.string()),
      unknown: z.array(z.string()),
    }),
  ),
};
