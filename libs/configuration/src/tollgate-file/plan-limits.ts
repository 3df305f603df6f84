import { z } from 'zod';

const limit = z.union([z.number().int().nonnegative(), z.literal('unlimited')], {
  error: 'must be a whole number of 0 or more, or the word unlimited',
});

/**
 * The limits of a plan, for each of its keys: requests and tokens in any 60 seconds, tokens in a calendar
 * month (UTC), generations at once. Null means unlimited.
 */
export interface PlanLimits {
  rpm: number | null;
  tpm: number | null;
  quotaTokens: number | null;
  concurrency: number | null;
}

/** A plan of tollgate.yaml. `rpm` and `quotaTokens` are required: a plan is replaced as a whole. */
export const planEntry = z
  .strictObject({
    rpm: limit,
    tpm: limit.default('unlimited'),
    quotaTokens: limit,
    concurrency: limit.default('unlimited'),
  })
  .transform(({ rpm, tpm, quotaTokens, concurrency }): PlanLimits => ({
    rpm: rpm === 'unlimited' ? null : rpm,
    tpm: tpm === 'unlimited' ? null : tpm,
    quotaTokens: quotaTokens === 'unlimited' ? null : quotaTokens,
    concurrency: concurrency === 'unlimited' ? null : concurrency,
  }));
