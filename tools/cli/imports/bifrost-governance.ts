import { z } from 'zod';
import { secretText } from './bifrost-values';

const amount = z.coerce.number().nonnegative();
const id = z.string().nullish();

/** Several rows of one section; absent: none. */
function rows<Row extends z.ZodType>(row: Row) {
  return z
    .array(row)
    .nullish()
    .transform((list) => list ?? []);
}

/**
 * `governance` of Bifrost's config.json, as far as it is read. Older files name a budget where newer ones
 * name its owner at the budget; both are read.
 * https://docs.getbifrost.ai/deployment-guides/config-json/governance
 */
export const bifrostGovernance = z.looseObject({
  virtual_keys: rows(
    z.looseObject({
      ...{ id: z.string(), name: z.string().nullish(), value: secretText.nullish(), is_active: z.boolean().nullish() },
      ...{ team_id: id, customer_id: id, rate_limit_id: id, budget_id: id, calendar_aligned: z.boolean().nullish() },
      expires_at: z.iso.datetime({ offset: true }).nullish(),
      provider_configs: rows(
        z.looseObject({
          ...{
            provider: z.string(),
            allowed_models: z.array(z.string()).nullish(),
            key_ids: z.array(z.string()).nullish(),
          },
          ...{ weight: z.unknown().optional(), rate_limit_id: id, budget_id: id },
        }),
      ),
    }),
  ),
  budgets: rows(
    z.looseObject({
      ...{ id: z.string(), max_limit: amount, reset_duration: z.string(), current_usage: amount.nullish() },
      ...{ team_id: id, virtual_key_id: id, customer_id: id, calendar_aligned: z.boolean().nullish() },
    }),
  ),
  rate_limits: rows(
    z.looseObject({
      ...{ id: z.string(), request_max_limit: amount.nullish(), request_reset_duration: z.string().nullish() },
      ...{ token_max_limit: amount.nullish(), token_reset_duration: z.string().nullish() },
      ...{ token_current_usage: amount.nullish() },
    }),
  ),
  customers: rows(z.looseObject({ id: z.string(), name: z.string().nullish(), budget_id: id, rate_limit_id: id })),
  teams: rows(
    z.looseObject({ id: z.string(), name: z.string().nullish(), customer_id: id, budget_id: id, rate_limit_id: id }),
  ),
  model_configs: rows(
    z.looseObject({
      ...{ id: z.string(), model_name: z.string(), provider: id, scope: id, scope_id: id, budget_id: id },
      ...{ rate_limit_id: id, rate_limit_ids: z.array(z.string()).nullish() },
    }),
  ),
});
export type BifrostGovernance = z.output<typeof bifrostGovernance>;

/** Whether a limit is of all models of one key, and so of the key. */
export function isOfKey({ scope, model_name: model, provider }: BifrostGovernance['model_configs'][number]): boolean {
  return scope === 'virtual_key' && model === '*' && provider == null;
}
