import { ControlError } from '@tollgate/contracts';
import type { DirectoryUser } from '@tollgate/contracts/accounts';
import { isUuid } from '@tollgate/database';
import type { AccountsQueries } from '../storage';

type DirectoryQueries = Pick<AccountsQueries, 'directoryUser'>;

/** Somebody of a directory as the database holds them. */
export interface StoredUser extends Omit<DirectoryUser, 'active' | 'createdAt' | 'changedAt'> {
  accountId: string;
  personId: string | null;
  createdAt: Date;
  changedAt: Date;
}

/** User names are one whatever their letter case: https://www.rfc-editor.org/rfc/rfc7643#section-4.1.1. */
export function nameKey(userName: string): string {
  return userName.toLowerCase();
}

/** @throws ControlError `not_found`, also for somebody of another account. */
export async function findUser(
  { directoryUser }: DirectoryQueries,
  accountId: string,
  id: string,
): Promise<StoredUser> {
  const user = isUuid(id) ? await directoryUser.findFirst({ where: { id, accountId } }) : null;
  if (!user) throw new ControlError('not_found', 'There is no such user in this directory.');
  return user;
}

/** @throws ControlError `conflict` where another user of the account has this name. */
export async function requireNewName(
  { directoryUser }: DirectoryQueries,
  { id, accountId, userName }: Pick<StoredUser, 'id' | 'accountId' | 'userName'>,
): Promise<void> {
  const other = await directoryUser.findFirst({ where: { accountId, nameKey: nameKey(userName), id: { not: id } } });
  if (other) throw new ControlError('conflict', `There is a user ${userName} already.`);
}

export function toDirectoryUser({ accountId: _, personId, ...user }: StoredUser): DirectoryUser {
  const { id, userName, externalId, email, name, role, createdAt, changedAt } = user;
  const times = { createdAt: createdAt.getTime(), changedAt: changedAt.getTime() };
  return { id, userName, externalId, email, name, role, active: personId !== null, ...times };
}
