import { ControlError } from '@tollgate/contracts';
import { directoryRole, type AccountRole } from '@tollgate/contracts/accounts';
import { findAccount } from '../accounts/account-rows';
import type { Change } from '../keys/changes';
import type { OidcGroups } from '../settings';
import type { AccountsQueries } from '../storage';
import type { OidcIdentity } from './oidc-provider';
import { findPerson, updateAccountRole } from './person-rows';

/** Where the groups of somebody lead. `role` null: into the account, they do not. */
export interface Grant {
  accountId: string;
  role: AccountRole | null;
}

/**
 * Where groups lead, by the most that one of them gives; null: groups lead nowhere here.
 * @throws ControlError `not_found` where there is no such account.
 */
export async function grantOf(
  queries: AccountsQueries,
  groups: OidcGroups | null,
  identity: Pick<OidcIdentity, 'groups'>,
): Promise<Grant | null> {
  if (!groups) return null;
  const { id: accountId } = await findAccount(queries, groups.account).catch(notThere);
  return { accountId, role: roleOf(groups, identity.groups) };
}

/** Who signs in can mend nothing of the account that OIDC_ACCOUNT names, nor is its address theirs to read. */
function notThere(error: unknown): never {
  if (!(error instanceof ControlError) || error.code !== 'not_found') throw error;
  throw new ControlError(
    'not_found',
    'The account for groups of this provider does not exist: tell the operator of this gateway.',
  );
}

/** The first of the roles, which stand by how much they may, that one of the groups gives. */
export function roleOf({ roles }: Pick<OidcGroups, 'roles'>, groups: readonly string[]): AccountRole | null {
  const given = new Set(roles.filter(([group]) => groups.includes(group)).map(([, role]) => role));
  return directoryRole.options.find((role) => given.has(role)) ?? null;
}

/**
 * Gives somebody of the account the role of their groups, as they are at this sign-in. Owners stay what they
 * are: owners make them.
 * @throws ControlError `forbidden` for who is of the account, but of no group that leads into it any more.
 */
export async function followGroups(change: Change, personId: string, grant: Grant | null): Promise<void> {
  if (!grant) return;
  const { accountId, accountRole, email } = await findPerson(change.transaction, personId);
  if (accountId !== grant.accountId || accountRole === 'owner' || accountRole === grant.role) return;
  if (grant.role === null)
    throw new ControlError('forbidden', 'None of your groups may use this gateway any more: ask an owner.');
  await updateAccountRole(change.transaction, personId, grant.role);
  const detail = { email, role: grant.role, roleBefore: accountRole };
  await change.audit({ actor: 'openid groups', action: 'person-changed', accountId, detail });
}
