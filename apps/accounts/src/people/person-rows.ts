import { ControlError, uuidv7 } from '@tollgate/contracts';
import type { AccountRole, Person } from '@tollgate/contracts/accounts';
import { accountOfEmail, findAccount } from '../accounts/account-rows';
import type { AccountsQueries } from '../storage';
import type { StoredPerson } from './stored-person';

type PersonQueries = Pick<AccountsQueries, 'person'>;

/** What is known of a person who is made; what is absent is null, and the roles a user's and an owner's. */
type NewPerson = { accountId: string; email: string; name: string } & Partial<
  Pick<StoredPerson, 'passwordHash' | 'role' | 'accountRole' | 'emailVerifiedAt'> & {
    oidcIssuer: string;
    oidcSubject: string;
  }
>;

/** Who may administer now: the role does nothing while the account is not active. */
const acting = { role: 'administrator', account: { status: 'active' } } as const;

/** @throws ControlError `not_found`. */
export async function findPerson({ person }: PersonQueries, id: string): Promise<StoredPerson> {
  const found = await person.findUnique({ where: { id } });
  if (!found) throw new ControlError('not_found', 'There is no such person.');
  return found;
}

/** Null: nobody signs in with this address, which must be a normal one (normalEmail). */
export function personOfEmail({ person }: PersonQueries, email: string) {
  return person.findUnique({ where: { email } });
}

/** Null: nobody signed in with this identity of an OpenID provider. */
export function personOfIdentity({ person }: PersonQueries, oidcIssuer: string, oidcSubject: string) {
  return person.findFirst({ where: { oidcIssuer, oidcSubject } });
}

/** Who signs in for an account, the first one first. */
export function peopleOf({ person }: PersonQueries, accountId: string): Promise<StoredPerson[]> {
  return person.findMany({ where: { accountId }, orderBy: { id: 'asc' } });
}

/** True when somebody is an administrator, acting or not. */
export async function hasAdministrator({ person }: PersonQueries): Promise<boolean> {
  return (await person.count({ where: { role: 'administrator' } })) > 0;
}

/**
 * Who is written to about an account: its owners and who pays, else its administrators; its address where
 * nobody signs in for it; for the operator's, which has none, every administrator of the gateway.
 * @throws ControlError `not_found`.
 */
export async function addressesOf(
  queries: Pick<AccountsQueries, 'account' | 'person'>,
  accountId: string,
): Promise<{ name: string; email: string }[]> {
  const account = await findAccount(queries, accountId);
  if (!account.email.includes('@')) return administratorAddresses(queries);
  const people = await peopleOf(queries, accountId);
  if (people.length === 0) return [account];
  // Who has left is not written to, also where the account is called by their address.
  const owning = people.filter(({ accountRole }) => accountRole === 'owner' || accountRole === 'billing');
  const written = owning.length > 0 ? owning : people.filter(({ accountRole }) => accountRole === 'administrator');
  return written.length > 0 ? written : administratorAddresses(queries);
}

/** Somebody who is written to about budgets. `list`: where in the dashboard they see them, each below it. */
interface BudgetReader {
  name: string;
  email: string;
  list: string;
}

/**
 * Who is written to about budgets of an account: those of `addressesOf`, and whoever administers the gateway,
 * each once.
 * @throws ControlError `not_found`.
 */
export async function readersOfBudgets(
  queries: Pick<AccountsQueries, 'account' | 'person'>,
  accountId: string,
): Promise<BudgetReader[]> {
  const owning = await addressesOf(queries, accountId);
  const readers = [
    ...owning.map(({ name, email }) => ({ name, email, list: '/budgets' })),
    // Of those who are both the page of an administrator shows the budget, too.
    ...(await administratorAddresses(queries)).map((one) => ({ ...one, list: '/admin/budgets' })),
  ];
  return [...new Map(readers.map((reader) => [reader.email, reader])).values()];
}

/** Everybody who may administer now, the first one first. */
export function administratorAddresses({ person }: PersonQueries): Promise<{ name: string; email: string }[]> {
  return person.findMany({ where: acting, orderBy: { id: 'asc' }, select: { name: true, email: true } });
}

export function insertPerson({ person }: PersonQueries, data: NewPerson): Promise<StoredPerson> {
  return person.create({ data: { id: uuidv7(), ...data } });
}

/**
 * Who an address belongs to. An account that nobody signs in for yet gets its person here: only who reads its
 * mail can set the password. Who was removed from an account that has its name from them does not come back
 * in this way.
 */
export async function personForMail(queries: AccountsQueries, email: string): Promise<StoredPerson | null> {
  const person = await personOfEmail(queries, email);
  if (person) return person;
  const account = await accountOfEmail(queries, email);
  if (!account?.email.includes('@') || (await peopleOf(queries, account.id)).length > 0) return null;
  // Whom a directory took away does not come back as the owner of what is left.
  if (await isOfDirectory(queries, account.id, email)) return null;
  await queries.person.createMany({
    data: [{ id: uuidv7(), accountId: account.id, email, name: account.name }],
    skipDuplicates: true,
  });
  return personOfEmail(queries, email);
}

/**
 * Whether the directory of an account knows somebody by this address, a normal one, active or not; where
 * nobody is of the account any more, also whom it took away and forgot: they own nothing of what is left.
 */
export async function isOfDirectory(
  { directoryUser, person, accountAudit }: Pick<AccountsQueries, 'directoryUser' | 'person' | 'accountAudit'>,
  accountId: string,
  email: string,
): Promise<boolean> {
  if ((await directoryUser.count({ where: { accountId, email } })) > 0) return true;
  if ((await person.count({ where: { accountId } })) > 0) return false;
  const forgotten = { action: 'directory-user-removed', detail: { path: ['email'], equals: email } };
  return (await accountAudit.count({ where: { accountId, ...forgotten } })) > 0;
}

/** Somebody who came in by another way is who the directory knows by this address: it takes them away, too. */
export async function bindToDirectory(
  { directoryUser }: Pick<AccountsQueries, 'directoryUser'>,
  { id: personId, accountId, email }: Pick<StoredPerson, 'id' | 'accountId' | 'email'>,
): Promise<void> {
  const user = await directoryUser.findFirst({ where: { accountId, email, personId: null } });
  if (user) await directoryUser.update({ where: { id: user.id }, data: { personId } });
}

/** @throws ControlError `not_found`. */
export async function renamePerson(queries: PersonQueries, id: string, name: string): Promise<StoredPerson> {
  await queries.person.updateMany({ where: { id }, data: { name } });
  return findPerson(queries, id);
}

/** Makes the owners of an account administrators of the gateway, or all of its people users again. */
export async function updateRoles({ person }: PersonQueries, accountId: string, role: Person['role']): Promise<void> {
  const whose = role === 'administrator' ? { accountRole: 'owner' as const } : {};
  await person.updateMany({ where: { accountId, ...whose }, data: { role } });
}

/** What somebody is in their account from now on. */
export async function updateAccountRole(
  { person }: PersonQueries,
  id: string,
  accountRole: AccountRole,
): Promise<void> {
  await person.update({ where: { id }, data: { accountRole } });
}

/** Removes somebody with their sessions and links. Keys of theirs must not be theirs any more. */
export async function removePerson({ person }: PersonQueries, id: string): Promise<void> {
  await person.delete({ where: { id } });
}

/** The address is theirs; when that was known before, it stays as it was. */
export async function verifyAddress({ person }: PersonQueries, id: string): Promise<void> {
  await person.updateMany({ where: { id, emailVerifiedAt: null }, data: { emailVerifiedAt: new Date() } });
}

/**
 * Another password: all sessions of the person end, sign-ins that the former one began too, and links that
 * set one do not work any more.
 */
export async function replacePassword(queries: AccountsQueries, personId: string, passwordHash: string): Promise<void> {
  await queries.person.update({ where: { id: personId }, data: { passwordHash } });
  await queries.session.deleteMany({ where: { personId } });
  await queries.secondFactorAttempt.deleteMany({ where: { personId } });
  await queries.oneTimeToken.deleteMany({ where: { personId, purpose: 'reset' } });
}

/**
 * Takes all that somebody could sign in with, all sessions, and invitations of theirs: only who reads the
 * mail comes in again.
 */
export async function forgetProofs(
  queries: AccountsQueries,
  { id: personId, accountId, email }: StoredPerson,
): Promise<void> {
  const where = { personId };
  await queries.person.update({
    where: { id: personId },
    data: { passwordHash: null, oidcIssuer: null, oidcSubject: null },
  });
  await queries.session.deleteMany({ where });
  await queries.oneTimeToken.deleteMany({ where });
  await queries.secondFactor.deleteMany({ where });
  await queries.passkey.deleteMany({ where });
  await queries.passkeyChallenge.deleteMany({ where });
  await queries.recoveryCode.deleteMany({ where });
  await queries.secondFactorAttempt.deleteMany({ where });
  await queries.invitation.deleteMany({ where: { accountId, invitedBy: email } });
}

/** From now on the person signs in with this identity, too. */
export async function linkIdentity(
  { person }: PersonQueries,
  id: string,
  identity: { oidcIssuer: string; oidcSubject: string },
): Promise<void> {
  await person.update({ where: { id }, data: identity });
}

/**
 * Does a part of a change; if somebody could administer before it, somebody still must.
 * @throws ControlError `refusedAs` otherwise; what `work` throws.
 */
export async function keepAnAdministrator<Result>(
  { person }: PersonQueries,
  work: () => Promise<Result>,
  refusedAs: 'conflict' | 'forbidden' = 'conflict',
): Promise<Result> {
  const before = await person.count({ where: acting });
  const result = await work();
  if (before === 0 || (await person.count({ where: acting })) > 0) return result;
  throw new ControlError(refusedAs, 'This is the last administrator: make another one first.');
}
