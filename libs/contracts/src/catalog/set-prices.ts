import { z } from 'zod';
import { settingsOperations } from './catalog-operations';
import { epochMs } from '../epoch-ms';
import { operation } from '../operation';
import { rateChange } from './price-import';
import { priceSheet, statedPriceSheet } from './price-sheet';
import { text } from '../text';

/**
 * The one bound of time that prices go by: clocks of instances differ by less than this, and each knows
 * within this what was set. So a price begins so long after it was set at the earliest, and may be taken back
 * until so long before it begins; whoever reserves reckons with what a model costs so long before and after.
 */
export const clockBoundMs = 300_000;

/**
 * From when something holds that was set, and who set it, when and why. Times are epoch milliseconds.
 * `withdrawnAt` null: it holds, or will, or did; else it was taken back before it began.
 */
export const setOnce = {
  from: z.number(),
  setAt: z.number(),
  setBy: z.string(),
  reason: z.string().nullable(),
  withdrawnAt: z.number().nullable(),
  withdrawnBy: z.string().nullable(),
};

/**
 * A price of a model that was set. `prices` null: from then on the model costs what it would cost had nobody
 * set anything.
 */
const setPrice = z.object({
  id: z.string(),
  model: z.string(),
  prices: priceSheet.nullable(),
  ...setOnce,
});
export type SetPrice = z.infer<typeof setPrice>;

/**
 * What a model costs now, and who says so: tollgate.yaml (`file`), which cannot be changed here, a document
 * that was imported (`import`), an administrator (`settings`), or the release. `source` says it in words;
 * `prices` null: no price is known. `next`: what it costs from instants on (epoch milliseconds) that are to
 * come, in their order.
 */
const toldPrice = z.object({
  model: z.string(),
  origin: z.enum(['file', 'settings', 'import', 'release']),
  source: z.string(),
  prices: priceSheet.nullable(),
  next: z.array(z.object({ from: z.number(), prices: priceSheet.nullable(), isSet: z.boolean() })),
});
export type ToldPrice = z.infer<typeof toldPrice>;

const { reason, by } = settingsOperations.apply.request.shape;

/**
 * Prices that administrators set without the file. Catalog answers, `unavailable` while its database is away.
 */
export const setPriceOperations = {
  /**
   * Sets what a model costs from an instant on; what was used before keeps its price. `prices` null: what it
   * would cost had nobody set anything. `from` absent: twice `clockBoundMs` from now, or at once where no
   * price of the model was known; where it is set so by then already, nothing is done. `isKnown` false: the
   * catalog has no such model yet. `changes`: what differs from the price that would hold at that instant.
   * `dryRun`: nothing is written. `invalid` for an instant that is nearer than `clockBoundMs`, where
   * tollgate.yaml has the price, and where there is nothing to remove; `conflict` where another one begins at
   * that instant.
   */
  set: operation(
    'catalog.prices.set',
    z.object({
      model: text(200).min(1),
      prices: statedPriceSheet.nullable(),
      from: epochMs.optional(),
      reason,
      dryRun: z.boolean().default(false),
      by,
    }),
    z.object({
      applied: z.boolean(),
      setPrice: setPrice.nullable(),
      from: z.number(),
      isKnown: z.boolean(),
      changes: z.array(rateChange),
    }),
  ),
  /**
   * Takes a price back that is to begin later than `clockBoundMs` from now: it never was. `conflict` where it
   * has begun, or is about to, or was taken back; `not_found`.
   */
  withdraw: operation('catalog.prices.withdraw', z.object({ id: text(100), reason, by }), z.object({ setPrice })),
  /**
   * What models cost, other than the release alone says, by their names and without `terms`; with `model`
   * this one, whoever says it, with its terms.
   */
  list: operation(
    'catalog.prices.list',
    z.object({ model: text(200).optional() }),
    z.object({ prices: z.array(toldPrice) }),
  ),
  /** The newest first, those that were taken back too; `model` absent: of all. `after`: the id told last. */
  history: operation(
    'catalog.prices.history',
    z.object({
      model: text(200).optional(),
      limit: z.number().int().min(1).max(500).default(100),
      after: text(100).optional(),
    }),
    z.object({ prices: z.array(setPrice), next: z.string().nullable() }),
  ),
};
