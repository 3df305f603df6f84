import type { CallerKey, KeySummary } from '@tollgate/contracts';
import type { PlanTable } from '../plans/plan-table';

/** A key with its account, as the database holds them. */
export interface StoredKey {
  id: string;
  accountId: string;
  digest: string;
  display: string;
  name: string;
  status: CallerKey['keyStatus'];
  plan: string | null;
  rpm: bigint | null;
  rpmUnlimited: boolean;
  quotaTokens: bigint | null;
  quotaUnlimited: boolean;
  models: string[];
  cacheTtlS: number | null;
  logContent: boolean;
  expiresAt: Date | null;
  version: bigint;
  createdAt: Date;
  account: { name: string; status: CallerKey['accountStatus']; plan: string };
}

/** The key as edges hold it, with its effective limits: its own, else its plan's; its own plan, else its account's. */
export function toCallerKey(key: StoredKey, plans: PlanTable): CallerKey {
  const plan = key.plan ?? key.account.plan;
  const limits = plans.limits(plan);
  return {
    id: key.id,
    accountId: key.accountId,
    version: Number(key.version),
    name: key.name,
    keyStatus: key.status,
    accountStatus: key.account.status,
    plan,
    rpm: effective(key.rpm, key.rpmUnlimited, limits.rpm),
    quotaTokens: effective(key.quotaTokens, key.quotaUnlimited, limits.quotaTokens),
    concurrency: limits.concurrency,
    models: key.models,
    cacheTtlS: key.cacheTtlS,
    logContent: key.logContent,
    expiresAt: key.expiresAt?.getTime() ?? null,
  };
}

/** The key as people see it. */
export function toKeySummary(key: StoredKey, plans: PlanTable): KeySummary {
  return {
    ...toCallerKey(key, plans),
    display: key.display,
    createdAt: key.createdAt.getTime(),
    accountName: key.account.name,
  };
}

/** A key's own limit as it is stored: absent (the plan decides), null (unlimited) or a number. */
export function storedLimit(limit: number | null | undefined): { value: bigint | null; unlimited: boolean } {
  return { value: typeof limit === 'number' ? BigInt(limit) : null, unlimited: limit === null };
}

function effective(own: bigint | null, unlimited: boolean, ofPlan: number | null): number | null {
  if (unlimited) return null;
  return own === null ? ofPlan : Number(own);
}
