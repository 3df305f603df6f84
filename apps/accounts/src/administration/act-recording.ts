import { Injectable } from '@nestjs/common';
import { operatorAccount } from '../accounts/account-for-key';
import { findAccount } from '../accounts/find-account';
import { Changes } from '../changes/changes';
import type { Reply, Request } from '../operations';

/** Keeps in the audit log what administrators do in other services. */
@Injectable()
export class ActRecording {
  constructor(private readonly changes: Changes) {}

  /** @throws ControlError `not_found` (the account), `unavailable`. */
  record({ accountId, actor, action, detail }: Request<'recordAct'>): Promise<Reply<'recordAct'>> {
    return this.changes.commit(async (change) => {
      const { id } =
        accountId === undefined
          ? await operatorAccount(change, actor)
          : await findAccount(change.transaction, accountId);
      await change.audit({ actor, action, accountId: id, detail });
      return {};
    });
  }
}
