import { ControlError } from '@tollgate/contracts';
import type { AccountsQueries } from '../storage/storage';
import { isUuid } from '../storage/uuid';
import type { StoredAccount } from './to-account';

/**
 * Finds an account by its id or its email (in any letter case).
 * @throws ControlError `not_found`.
 */
export async function findAccount(
  queries: Pick<AccountsQueries, 'account'>,
  idOrEmail: string,
): Promise<StoredAccount> {
  const where = isUuid(idOrEmail) ? { id: idOrEmail } : { email: normalEmail(idOrEmail) };
  const account = await queries.account.findUnique({ where });
  if (!account) throw new ControlError('not_found', `There is no account ${JSON.stringify(idOrEmail)}.`);
  return account;
}

/** Addresses are compared without regard to letter case. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}
