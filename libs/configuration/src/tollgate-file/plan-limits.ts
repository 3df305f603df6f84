import { keySettings, planName, type KeySettings } from '@tollgate/contracts/accounts';
import { z } from 'zod';

const limit = z.union([z.number().int().nonnegative(), z.literal('unlimited')], {
  error: 'must be a whole number of 0 or more, or the word unlimited',
});

/**
 * The limits of a plan, for each of its keys: requests and tokens in any 60 seconds, tokens in a calendar
 * month (UTC), generations at once, and requests and tokens of models in any 60 seconds. Null means
 * unlimited.
 */
export interface PlanLimits {
  rpm: number | null;
  tpm: number | null;
  quotaTokens: number | null;
  concurrency: number | null;
  modelLimits: KeySettings['modelLimits'];
}

/** A plan of tollgate.yaml. `rpm` and `quotaTokens` are required: a plan is replaced as a whole. */
const planEntry = z
  .strictObject({
    rpm: limit,
    tpm: limit.default('unlimited'),
    quotaTokens: limit,
    concurrency: limit.default('unlimited'),
    modelLimits: keySettings.shape.modelLimits.default([]),
  })
  .transform(({ rpm, tpm, quotaTokens, concurrency, modelLimits }): PlanLimits => ({
    rpm: numberOf(rpm),
    tpm: numberOf(tpm),
    quotaTokens: numberOf(quotaTokens),
    concurrency: numberOf(concurrency),
    modelLimits,
  }));

/** The section `plans`: plans by their names. */
export const planEntries = z.record(planName, planEntry);

function numberOf(typed: z.output<typeof limit>): number | null {
  return typed === 'unlimited' ? null : typed;
}

/** A plan in the words of tollgate.yaml. What may be left out is left out where it is unlimited. */
export function toPlanEntry({ rpm, tpm, quotaTokens, concurrency, modelLimits }: PlanLimits): object {
  return {
    rpm: rpm ?? 'unlimited',
    ...(tpm !== null && { tpm }),
    quotaTokens: quotaTokens ?? 'unlimited',
    ...(concurrency !== null && { concurrency }),
    ...(modelLimits.length > 0 && {
      modelLimits: modelLimits.map(({ model, rpm: requests, tpm: tokens }) => ({
        model,
        ...(requests !== null && { rpm: requests }),
        ...(tokens !== null && { tpm: tokens }),
      })),
    }),
  };
}
