import type { PlanLimits } from './tollgate-file/plan-limits';

const unlimited: PlanLimits = { rpm: null, tpm: null, quotaTokens: null, concurrency: null, modelLimits: [] };

/** The plans that every gateway has, unless it says otherwise. */
export const releasePlans = {
  beta: { ...unlimited, rpm: 60, quotaTokens: 1_000_000 },
  pro: { ...unlimited, rpm: 250, quotaTokens: 50_000_000 },
  // Custom: unlimited, unless the key says otherwise.
  enterprise: unlimited,
} as const satisfies Record<string, PlanLimits>;
