import { GatewayError } from '@tollgate/contracts';
import { isStopped, mayInAccount, type AccountPermission, type SignedIn } from '@tollgate/contracts/accounts';

/** @throws GatewayError 403 for who may not do this in their account. */
export function requirePermission({ person, account }: SignedIn, permission: AccountPermission): void {
  if (mayInAccount(person.accountRole, permission)) return;
  if (isStopped(account.status))
    throw new GatewayError(
      403,
      `This account is ${account.status}: its people see keys and sums alone. Ask the administrator of this gateway.`,
    );
  throw new GatewayError(
    403,
    `Your role in this account (${person.accountRole}) does not let you do this: ask an owner or an administrator of it.`,
  );
}

/**
 * Whose keys somebody may use and change: all of their account, or their own. Accounts finds no others.
 */
export function keysOf({ person, account }: SignedIn): { accountId: string; personId?: string } {
  const mine = mayInAccount(person.accountRole, 'keys:all') ? {} : { personId: person.id };
  return { accountId: account.id, ...mine };
}
