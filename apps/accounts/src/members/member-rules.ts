import { ControlError } from '@tollgate/contracts';
import { mayInAccount, type AccountRole } from '@tollgate/contracts/accounts';
import { isUuid } from '@tollgate/database';
import type { StoredPerson } from '../people/stored-person';
import type { AccountsQueries } from '../storage';

/**
 * Lets somebody change the people of an account whose role allows it now, whatever it was when they were
 * asked who they are. `by` undefined: the operator, who may.
 * `touched`: the roles that they take or give. Those of owners are for owners.
 * @throws ControlError `forbidden`.
 */
export async function requireMayChange(
  queries: AccountsQueries,
  accountId: string,
  by: string | undefined,
  touched: readonly AccountRole[],
): Promise<void> {
  if (by === undefined) return;
  const role = await roleOf(queries, accountId, by);
  if (!role || !mayInAccount(role, 'people:write'))
    throw new ControlError('forbidden', 'Only owners and administrators of the account change who is in it.');
  if (!touched.every((one) => mayInvite(role, one)))
    throw new ControlError('forbidden', 'Only owners of the account make, change and remove owners.');
}

/** Whether somebody of this role makes others of an account what `role` is. */
export function mayInvite(by: AccountRole, role: AccountRole): boolean {
  return mayInAccount(by, 'people:write') && (by === 'owner' || role !== 'owner');
}

/** The role of somebody in an account now; null: they are not of it. */
export async function roleOf(
  { person: people }: Pick<AccountsQueries, 'person'>,
  accountId: string,
  personId: string,
): Promise<AccountRole | null> {
  const person = isUuid(personId) ? await people.findUnique({ where: { id: personId } }) : null;
  return person?.accountId === accountId ? person.accountRole : null;
}

/** Somebody of an account by their id. @throws ControlError `not_found`. */
export async function findMember(queries: AccountsQueries, accountId: string, personId: string): Promise<StoredPerson> {
  // Whether there is somebody elsewhere is not told.
  const person = isUuid(personId) ? await queries.person.findUnique({ where: { id: personId } }) : null;
  if (person?.accountId !== accountId) throw new ControlError('not_found', 'There is no such person in this account.');
  return person;
}

/**
 * Somebody of an account whom `by` (undefined: the operator) may change. `given`: the roles that they get.
 * @throws ControlError `forbidden`, which comes before `not_found`: who may not change people learns of none.
 */
export async function findMemberToChange(
  queries: AccountsQueries,
  accountId: string,
  { personId, by }: { personId: string; by?: string | undefined },
  given: readonly AccountRole[] = [],
): Promise<StoredPerson> {
  await requireMayChange(queries, accountId, by, []);
  const person = await findMember(queries, accountId, personId);
  await requireMayChange(queries, accountId, by, [person.accountRole, ...given]);
  return person;
}

/**
 * Does a part of a change; the account must have an owner after it.
 * @throws ControlError `conflict` otherwise; what `work` throws.
 */
export async function keepAnOwner<Result>(
  queries: AccountsQueries,
  accountId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const result = await work();
  if ((await queries.person.count({ where: { accountId, accountRole: 'owner' } })) > 0) return result;
  throw new ControlError('conflict', 'This is the last owner of the account: make another one first.');
}

/**
 * Who administers the gateway owns their account: what makes them an administrator is taken first, where
 * administrators are made.
 * @throws ControlError `conflict`.
 */
export function requireNoGatewayAdministrator({ email, role }: StoredPerson): void {
  if (role !== 'administrator') return;
  throw new ControlError('conflict', `${email} administers the gateway: an administrator must take that away first.`);
}
