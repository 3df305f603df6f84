import { Injectable } from '@nestjs/common';
import { Changes } from '../changes/changes';
import type { Reply, Request } from '../operations';
import { findKey } from './find-key';
import { toKeySummary } from './stored-key';

/** Stops API keys for good. */
@Injectable()
export class KeyRevocation {
  constructor(private readonly changes: Changes) {}

  /**
   * Revokes a key. Doing so again changes nothing.
   * @throws ControlError `not_found`, `unavailable`.
   */
  revoke({ keyId, accountId, actor }: Request<'revokeKey'>): Promise<Reply<'revokeKey'>> {
    return this.changes.commit(async (change) => {
      const { transaction, plans } = change;
      const key = await findKey(transaction, keyId, accountId);
      if (key.status === 'revoked') return { key: toKeySummary(key, plans) };
      await transaction.apiKey.update({ where: { id: keyId }, data: { status: 'revoked' } });
      await change.touchKeys([keyId]);
      await change.audit({ actor, action: 'key-revoked', accountId: key.accountId, keyId, detail: { name: key.name } });
      return { key: toKeySummary(await findKey(transaction, keyId), plans) };
    });
  }
}
