import { z } from 'zod';

/**
 * What is doubtful about the price behind a cost of one model: whether sources disagree on it, and the day
 * on which it was last taken from its source where that is longer ago than the operator trusts (null: it is
 * not).
 * Who knows the catalog says it, as the admin API does in its rows; metering does not. Absent: nobody said.
 */
export const priceDoubt = z.object({
  priceUnconfirmed: z.boolean().optional(),
  pricesOldSince: z.string().nullable().optional(),
});
export type PriceDoubt = z.infer<typeof priceDoubt>;
