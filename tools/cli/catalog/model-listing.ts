import { catalogModel, priceHours, retirement } from '@tollgate/contracts/catalog';
import type { EdgeRoute } from '@tollgate/contracts/edge';
import { z } from 'zod';

const none = z.strictObject({});
const usdPerMillion = z.string().nullable();

/** What is read of a model as the admin API lists it; the rest stays as it came. */
const listedModel = z.looseObject({
  id: z.string(),
  status: catalogModel.shape.status,
  contextWindow: z.number().nullable(),
  pricing: z
    .looseObject({
      input: usdPerMillion,
      output: usdPerMillion,
      hours: z.array(priceHours),
      unconfirmed: z.boolean(),
      old: z.boolean(),
    })
    .nullable(),
  retirement: retirement.nullable(),
  available: z.boolean(),
  simulated: z.boolean(),
  enabled: z.boolean(),
  discovered: z.boolean(),
});
export type ListedModel = z.infer<typeof listedModel>;

const answer = z.object({ data: z.array(listedModel), factsAsOf: z.string().nullable() });

/** The models of a gateway, for who asks from another machine. */
export const modelListing = {
  method: 'GET',
  path: '/models',
  scope: 'models:read',
  summary: 'Every model with its aliases, fallbacks and deployments',
  body: none,
  answer,
} satisfies EdgeRoute<typeof none, typeof answer>;
