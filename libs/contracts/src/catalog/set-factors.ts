import { z } from 'zod';
import { settingsOperations } from './catalog-operations';
import { epochMs } from '../epoch-ms';
import { priceFactors, type PriceFactors } from '../money';
import { operation } from '../operation';
import { setOnce } from './set-prices';
import { text } from '../text';

/** A discount and a markup that were set for a deployment. `factors` null: from then on it has none. */
const setFactors = z.object({
  id: z.string(),
  deployment: z.string(),
  factors: priceFactors.nullable(),
  ...setOnce,
});
export type SetFactors = z.infer<typeof setFactors>;

/**
 * What a deployment costs now beside the price of its model (`factors` null: nothing), who says so:
 * tollgate.yaml (`file`), which cannot be changed here, or an administrator (`settings`). `next`: what holds
 * from instants on (epoch milliseconds) that are to come, in their order.
 */
const toldFactors = z.object({
  deployment: z.string(),
  origin: z.enum(['file', 'settings']),
  factors: priceFactors.nullable(),
  next: z.array(z.object({ from: z.number(), factors: priceFactors.nullable() })),
});
export type ToldFactors = z.infer<typeof toldFactors>;

/** A markup that somebody hardly means who sets it: more than the whole price, in words. Null: it is none. */
export function largeMarkup({ markup = '0' }: PriceFactors): string | null {
  if (Number(markup) <= 1) return null;
  const percent = Number((Number(markup) * 100).toFixed(4)).toLocaleString('en');
  return `A markup of ${markup} is ${percent} %. For ${markup} % say ${Number((Number(markup) / 100).toFixed(6))}.`;
}

const { reason, by } = settingsOperations.apply.request.shape;
const deployment = text(300).min(1);
const stated = z
  .strictObject(priceFactors.shape)
  .refine(({ discount, markup }) => discount !== undefined || markup !== undefined, 'needs a discount or a markup');

/**
 * Discounts and markups of deployments that administrators set without the file. Catalog answers,
 * `unavailable` while its database is away.
 */
export const setFactorOperations = {
  /**
   * Sets the discount and the markup of a deployment from an instant on, both of them; what started before
   * keeps its own. `factors` null: none. `from` absent: twice `clockBoundMs` from now, or at once where the
   * catalog has no such deployment yet (`isKnown` false) and none were ever set; where they are set so by
   * then already, nothing is done. `before`: what would hold at that instant otherwise. `dryRun`: nothing is
   * written. `invalid` for an instant that is nearer than `clockBoundMs`, where tollgate.yaml says them, and
   * where there is nothing to remove; `conflict` where others begin at that instant.
   */
  set: operation(
    'catalog.factors.set',
    z.object({
      deployment,
      factors: stated.nullable(),
      from: epochMs.optional(),
      reason,
      dryRun: z.boolean().default(false),
      by,
    }),
    z.object({
      applied: z.boolean(),
      setFactors: setFactors.nullable(),
      from: z.number(),
      isKnown: z.boolean(),
      before: priceFactors.nullable(),
    }),
  ),
  /**
   * Takes back what is to begin later than `clockBoundMs` from now: it never was. `conflict` where it has
   * begun, or is about to, or was taken back; `not_found`.
   */
  withdraw: operation('catalog.factors.withdraw', z.object({ id: text(100), reason, by }), z.object({ setFactors })),
  /** Deployments that have a discount or a markup, or will, by their names. */
  list: operation('catalog.factors.list', z.object({}), z.object({ deployments: z.array(toldFactors) })),
  /** The newest first, those that were taken back too; `deployment` absent: all. `after`: the id told last. */
  history: operation(
    'catalog.factors.history',
    z.object({
      deployment: deployment.optional(),
      limit: z.number().int().min(1).max(500).default(100),
      after: text(100).optional(),
    }),
    z.object({ factors: z.array(setFactors), next: z.string().nullable() }),
  ),
};
