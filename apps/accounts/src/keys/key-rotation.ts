import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { Changes } from '../changes/changes';
import type { Reply, Request } from '../operations';
import { findKey } from './find-key';
import { insertKey } from './insert-key';
import { KeySettings } from './key-settings';
import { toKeySummary, type StoredKey } from './stored-key';

/** Replaces API keys. */
@Injectable()
export class KeyRotation {
  constructor(
    private readonly changes: Changes,
    private readonly settings: KeySettings,
  ) {}

  /**
   * Makes a key with the settings of another, which goes on for `overlapS` seconds, though never longer than it would have. With no overlap it is revoked,
   * so that no clock decides.
   * @throws ControlError `not_found`, `conflict` (the old key does not work any more), `unavailable`.
   */
  rotate({ keyId, accountId, overlapS, actor }: Request<'rotateKey'>): Promise<Reply<'rotateKey'>> {
    return this.changes.commit(async (change) => {
      const { transaction, plans } = change;
      const old = await findKey(transaction, keyId, accountId);
      const nowMs = Date.now();
      requireUsable(old, nowMs);
      const { apiKey, id } = await insertKey(change, this.settings, settingsOf(old));
      await transaction.apiKey.update({ where: { id: old.id }, data: ending(old, nowMs, overlapS) });
      await change.touchKeys([id, old.id]);
      const [key, oldKey] = [await findKey(transaction, id), await findKey(transaction, old.id)];
      const detail = { newKeyId: id, overlapS };
      await change.audit({ actor, action: 'key-rotated', accountId: old.accountId, keyId: old.id, detail });
      return { apiKey, key: toKeySummary(key, plans), oldKey: toKeySummary(oldKey, plans) };
    });
  }
}

function requireUsable(key: StoredKey, nowMs: number): void {
  const expired = key.expiresAt !== null && key.expiresAt.getTime() <= nowMs;
  if (key.status === 'active' && !expired) return;
  const state = key.status === 'active' ? 'has expired' : 'is revoked';
  throw new ControlError(
    'conflict',
    `The key ${key.display} ${state}, so that it cannot be rotated. Create a new one.`,
  );
}

function settingsOf(key: StoredKey) {
  return {
    accountId: key.accountId,
    name: key.name,
    plan: key.plan,
    rpm: key.rpm,
    rpmUnlimited: key.rpmUnlimited,
    quotaTokens: key.quotaTokens,
    quotaUnlimited: key.quotaUnlimited,
    models: key.models,
    cacheTtlS: key.cacheTtlS,
    logContent: key.logContent,
    expiresAt: key.expiresAt,
  };
}

function ending({ expiresAt }: StoredKey, nowMs: number, overlapS: number) {
  if (overlapS === 0) return { status: 'revoked' as const };
  const endMs = nowMs + overlapS * 1_000;
  return { expiresAt: new Date(Math.min(endMs, expiresAt?.getTime() ?? endMs)) };
}
