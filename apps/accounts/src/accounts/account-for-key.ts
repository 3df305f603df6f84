import { ControlError, uuidv7 } from '@tollgate/contracts';
import type { Change } from '../changes/change';
import { findAccount } from './find-account';
import type { StoredAccount } from './to-account';

/** Stands where an email stands. No request for access can claim it, because it is no address. */
const operatorEmail = 'operator';

/**
 * The account that a new key is for: the one named by id or email, else the operator's own, which is made when it is first needed.
 * @throws ControlError `not_found`; `conflict` when the account is suspended or declined.
 */
export async function accountForKey(
  change: Change,
  { accountId, email, actor }: { accountId?: string | undefined; email?: string | undefined; actor: string },
): Promise<StoredAccount> {
  const named = accountId ?? email;
  const account =
    named === undefined ? await operatorAccount(change, actor) : await findAccount(change.transaction, named);
  if (account.status === 'active' || account.status === 'pending') return account;
  throw new ControlError('conflict', `The account of ${account.email} is ${account.status}. Approve it first.`);
}

/** The operator's own account. Changes of accounts run one after another, so that no two can make it. */
export async function operatorAccount(change: Change, actor: string): Promise<StoredAccount> {
  const { transaction } = change;
  const existing = await transaction.account.findUnique({ where: { email: operatorEmail } });
  if (existing) return existing;
  const account = await transaction.account.create({
    data: { id: uuidv7(), name: 'Operator', email: operatorEmail, purpose: '', status: 'active', plan: 'beta' },
  });
  await change.audit({ actor, action: 'operator-account-made', accountId: account.id, detail: {} });
  return account;
}
