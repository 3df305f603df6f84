import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { accountForKey } from '../accounts/account-for-key';
import { Changes } from '../changes/changes';
import type { Reply, Request } from '../operations';
import { findKey } from './find-key';
import { insertKey } from './insert-key';
import { KeySettings } from './key-settings';
import { storedLimit, toKeySummary } from './stored-key';

/** Makes API keys. */
@Injectable()
export class KeyCreation {
  constructor(
    private readonly changes: Changes,
    private readonly settings: KeySettings,
  ) {}

  /**
   * Makes a key for an account that is active or waits for approval. The reply is the only place where the key itself ever stands.
   * @throws ControlError `invalid` (unknown plan, a time that has passed), `not_found` (no such account), `conflict` (suspended or declined), `unavailable`.
   */
  create(request: Request<'createKey'>): Promise<Reply<'createKey'>> {
    if (typeof request.expiresAt === 'number' && request.expiresAt <= Date.now())
      throw new ControlError('invalid', 'expiresAt: this time has passed already.');
    return this.changes.commit(async (change) => {
      if (request.plan !== undefined) change.plans.requireKnown(request.plan);
      const account = await accountForKey(change, request);
      const { apiKey, id } = await insertKey(change, this.settings, { accountId: account.id, ...stored(request) });
      await change.touchKeys([id]);
      const key = toKeySummary(await findKey(change.transaction, id), change.plans);
      const { name, plan, models, cacheTtlS, logContent, expiresAt } = key;
      const detail = {
        name,
        plan,
        rpm: request.rpm ?? null,
        quotaTokens: request.quotaTokens ?? null,
        models,
        cacheTtlS,
        logContent,
        expiresAt,
      };
      await change.audit({ actor: request.actor, action: 'key-created', accountId: account.id, keyId: id, detail });
      return { apiKey, key };
    });
  }
}

function stored({ name, plan, rpm, quotaTokens, models, cacheTtlS, logContent, expiresAt }: Request<'createKey'>) {
  const [ownRpm, ownQuota] = [storedLimit(rpm), storedLimit(quotaTokens)];
  return {
    name,
    plan: plan ?? null,
    rpm: ownRpm.value,
    rpmUnlimited: ownRpm.unlimited,
    quotaTokens: ownQuota.value,
    quotaUnlimited: ownQuota.unlimited,
    models,
    cacheTtlS: cacheTtlS ?? null,
    logContent: logContent ?? false,
    expiresAt: typeof expiresAt === 'number' ? new Date(expiresAt) : null,
  };
}
