import { Injectable } from '@nestjs/common';
import { ControlError, uuidv7 } from '@tollgate/contracts';
import type { Change } from '../changes/change';
import { Changes } from '../changes/changes';
import type { Reply, Request } from '../operations';
import { normalEmail } from './find-account';
import { toAccount, type StoredAccount } from './to-account';

/** Takes requests for access. */
@Injectable()
export class AccessRequests {
  constructor(private readonly changes: Changes) {}

  /**
   * Makes an account on the beta plan that waits for approval.
   * @throws ControlError `conflict` when the email has an account already, `unavailable`.
   */
  request({ name, email, purpose }: Request<'requestAccess'>): Promise<Reply<'requestAccess'>> {
    return this.changes.commit(async (change) => ({
      account: toAccount(await makePendingAccount(change, { name, email: normalEmail(email), purpose })),
    }));
  }
}

/** Within a change: a pending account, and the line of the audit log. @throws ControlError `conflict` when the address has an account already. */
export async function makePendingAccount(
  change: Change,
  { name, email, purpose }: { name: string; email: string; purpose: string },
): Promise<StoredAccount> {
  const existing = await change.transaction.account.findUnique({ where: { email } });
  if (existing) throw new ControlError('conflict', `${email} has an account already; it is ${existing.status}.`);
  const account = await change.transaction.account.create({
    data: { id: uuidv7(), name, email, purpose, status: 'pending', plan: 'beta' },
  });
  await change.audit({ actor: email, action: 'access-requested', accountId: account.id, detail: { name, email } });
  return account;
}
