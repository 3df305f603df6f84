import { priceFactors } from '@tollgate/contracts';
import { catalogModel, statedDeployment, statedModel, statedPriceSheet } from '@tollgate/contracts/catalog';
import { z } from 'zod';

/**
 * Prices as people write them: `input: 0.15` or `input: "0.15"`, US dollars per million tokens. A number
 * becomes its shortest decimal form, which is the one that was typed.
 */
const prices = z.preprocess(numbersToDecimals, statedPriceSheet);

/** A day `2026-03-17` or a Unix time in seconds; both become Unix seconds. */
const created = z.union([z.number().int().nonnegative(), z.iso.date().transform((day) => Date.parse(day) / 1000)], {
  error: 'must be a day such as 2026-03-17, or a Unix time in seconds',
});

export const deploymentEntry = statedDeployment.extend({
  discount: z.preprocess(numberToDecimal, priceFactors.shape.discount),
  markup: z.preprocess(numberToDecimal, priceFactors.shape.markup),
});

/**
 * A model of tollgate.yaml or of the seed. Only `id` is needed to change a model that the catalog has: what
 * is absent stays as it is, `capabilities`
 * flag by flag, `timeouts` one by one, everything else (prices too) as a whole. `kind` is `generation` unless
 * it says `embedding` or `rerank`. A new model needs `provider` or `deployments`. `prices: null` means the
 * price is unknown.
 * `priceChanges` are prices that come into force later, in the order of their instants; they take the place
 * of `prices` then.
 * `upstreamModel` is the name at the provider; absent, it is the id without its `provider/`.
 */
export const modelEntry = z.strictObject({
  id: catalogModel.shape.id,
  ...statedModel.shape,
  created: created.optional(),
  prices: prices.nullable().optional(),
  priceUnconfirmed: z.boolean().optional(),
  priceChanges: z.array(z.strictObject({ from: z.iso.datetime(), prices })).optional(),
  deployments: z.array(deploymentEntry).min(1).optional(),
});
export type ModelEntry = z.infer<typeof modelEntry>;

function numberToDecimal(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}

function numbersToDecimals(sheet: unknown): unknown {
  if (Array.isArray(sheet)) return sheet.map(numbersToDecimals);
  if (typeof sheet !== 'object' || sheet === null) return sheet;
  return Object.fromEntries(
    Object.entries(sheet).map(([field, value]: [string, unknown]) => {
      if (typeof value === 'object') return [field, numbersToDecimals(value)];
      return [field, typeof value === 'number' && field !== 'aboveInputTokens' ? String(value) : value];
    }),
  );
}
