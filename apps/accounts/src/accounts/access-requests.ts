import { Injectable } from '@nestjs/common';
import { ControlError, uuidv7 } from '@tollgate/contracts';
import { Changes } from '../changes/changes';
import type { Reply, Request } from '../operations';
import { normalEmail } from './find-account';
import { toAccount } from './to-account';

/** Takes requests for access. */
@Injectable()
export class AccessRequests {
  constructor(private readonly changes: Changes) {}

  /**
   * Makes an account on the beta plan that waits for approval.
   * @throws ControlError `conflict` when the email has an account already, `unavailable`.
   */
  request({ name, email, purpose }: Request<'requestAccess'>): Promise<Reply<'requestAccess'>> {
    const address = normalEmail(email);
    return this.changes.commit(async (change) => {
      const existing = await change.transaction.account.findUnique({ where: { email: address } });
      if (existing) throw new ControlError('conflict', `${address} has an account already; it is ${existing.status}.`);
      const account = await change.transaction.account.create({
        data: { id: uuidv7(), name, email: address, purpose, status: 'pending', plan: 'beta' },
      });
      const detail = { name, email: address };
      await change.audit({ actor: address, action: 'access-requested', accountId: account.id, detail });
      return { account: toAccount(account) };
    });
  }
}
