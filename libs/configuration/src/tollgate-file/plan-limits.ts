import { z } from 'zod';

const limit = z.union([z.number().int().nonnegative(), z.literal('unlimited')], {
  error: 'must be a whole number of 0 or more, or the word unlimited',
});

/** The limits of a plan: requests in any 60 seconds, and tokens in a calendar month (UTC). Null means unlimited. */
export interface PlanLimits {
  rpm: number | null;
  quotaTokens: number | null;
}

/** A plan of tollgate.yaml. Both limits are required: a plan is replaced as a whole. */
export const planEntry = z
  .strictObject({ rpm: limit, quotaTokens: limit })
  .transform(({ rpm, quotaTokens }): PlanLimits => ({
    rpm: rpm === 'unlimited' ? null : rpm,
    quotaTokens: quotaTokens === 'unlimited' ? null : quotaTokens,
  }));
