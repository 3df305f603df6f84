import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { Changes } from '../changes/changes';
import type { Reply, Request } from '../operations';
import { findKey } from './find-key';
import { storedLimit, toKeySummary, type StoredKey } from './stored-key';

/** Changes what API keys may do. */
@Injectable()
export class KeyUpdate {
  constructor(private readonly changes: Changes) {}

  /**
   * Changes a key's plan, limits, models, expiry and what is logged; edges know within a second.
   * @throws ControlError `not_found`, `invalid` (unknown plan, a time that has passed), `conflict` (the key is revoked), `unavailable`.
   */
  update(request: Request<'updateKey'>): Promise<Reply<'updateKey'>> {
    const { keyId, accountId, actor } = request;
    if (typeof request.expiresAt === 'number' && request.expiresAt <= Date.now())
      throw new ControlError('invalid', 'expiresAt: this time has passed already.');
    return this.changes.commit(async (change) => {
      const { transaction, plans } = change;
      if (typeof request.plan === 'string') plans.requireKnown(request.plan);
      const before = await findKey(transaction, keyId, accountId);
      if (before.status === 'revoked')
        throw new ControlError('conflict', `The key ${before.display} is revoked, so that it cannot be changed.`);
      await transaction.apiKey.update({ where: { id: keyId }, data: changed(request) });
      await change.touchKeys([keyId]);
      const after = await findKey(transaction, keyId);
      const detail = { ...settingsOf(after, ''), ...settingsOf(before, 'Before') };
      await change.audit({ actor, action: 'key-changed', accountId: before.accountId, keyId, detail });
      return { key: toKeySummary(after, plans) };
    });
  }
}

/** What is undefined here stays as it is. */
function changed({ plan, rpm, quotaTokens, models, cacheTtlS, logContent, expiresAt }: Request<'updateKey'>) {
  const [ownRpm, ownQuota] = [ownLimit(rpm), ownLimit(quotaTokens)];
  return {
    plan,
    rpm: ownRpm?.value,
    rpmUnlimited: ownRpm?.unlimited,
    quotaTokens: ownQuota?.value,
    quotaUnlimited: ownQuota?.unlimited,
    models,
    cacheTtlS,
    logContent,
    expiresAt: typeof expiresAt === 'number' ? new Date(expiresAt) : expiresAt,
  };
}

function ownLimit(limit: number | 'plan' | null | undefined): ReturnType<typeof storedLimit> | undefined {
  if (limit === undefined) return undefined;
  return storedLimit(limit === 'plan' ? undefined : limit);
}

/** For the audit log: null is the plan's. */
function settingsOf(key: StoredKey, suffix: '' | 'Before') {
  return {
    [`plan${suffix}`]: key.plan,
    [`rpm${suffix}`]: toldLimit(key.rpm, key.rpmUnlimited),
    [`quotaTokens${suffix}`]: toldLimit(key.quotaTokens, key.quotaUnlimited),
    [`models${suffix}`]: key.models,
    [`cacheTtlS${suffix}`]: key.cacheTtlS,
    [`logContent${suffix}`]: key.logContent,
    [`expiresAt${suffix}`]: key.expiresAt?.getTime() ?? null,
  };
}

function toldLimit(own: bigint | null, unlimited: boolean): number | 'unlimited' | null {
  if (unlimited) return 'unlimited';
  return own === null ? null : Number(own);
}
