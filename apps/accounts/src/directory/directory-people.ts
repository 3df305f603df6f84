import { ControlError } from '@tollgate/contracts';
import type { Change } from '../keys/changes';
import { requireFree } from '../members/invitations';
import { dismiss } from '../members/dismiss';
import { findPerson, forgetProofs, insertPerson, keepAnAdministrator, personOfEmail } from '../people/person-rows';
import type { StoredUser } from './directory-rows';

/**
 * The person of a user who is in the account from now on, whom the directory vouches for. Somebody of the
 * account who has the address is taken over, and stays an owner where they are one.
 * @throws ControlError `conflict` for an address of another account.
 */
export async function personFor(change: Change, user: StoredUser): Promise<string> {
  const { transaction } = change;
  const { accountId, email, name, role } = user;
  const there = await personOfEmail(transaction, email);
  if (there?.accountId === accountId) {
    await carryOver(change, there.id, user, true);
    return there.id;
  }
  await requireFree(transaction, email, accountId);
  await transaction.invitation.deleteMany({ where: { email } });
  const known = { accountId, email, name, accountRole: role, emailVerifiedAt: new Date() };
  return (await insertPerson(transaction, known)).id;
}

/**
 * What the directory says of somebody, as their person; the role where it said one (`saysRole`). Of owners
 * and of administrators of the gateway it changes the name alone: they are made by others than a directory,
 * and who moves their address could have a new password mailed to it.
 * @throws ControlError `conflict` for an address that somebody else has, `forbidden` for one of those.
 */
export async function carryOver(
  { transaction }: Change,
  personId: string,
  user: StoredUser,
  saysRole: boolean,
): Promise<void> {
  const { accountId, email, name, role } = user;
  const before = await findPerson(transaction, personId);
  const isMoved = before.email !== email;
  if (before.accountRole === 'owner' || before.role === 'administrator') {
    if (isMoved) throw new ControlError('forbidden', `A directory does not move the address of ${before.email}.`);
    await transaction.person.update({ where: { id: personId }, data: { name } });
    return;
  }
  if (isMoved) {
    await requireFree(transaction, email, accountId);
    await transaction.oneTimeToken.deleteMany({ where: { personId } });
  }
  // Whoever came in before the address was proven may be a stranger to it.
  if (before.emailVerifiedAt === null) await forgetProofs(transaction, before);
  const data = { email, name, ...(saysRole ? { accountRole: role } : {}) };
  const verified = isMoved || before.emailVerifiedAt === null ? { emailVerifiedAt: new Date() } : {};
  await transaction.person.update({ where: { id: personId }, data: { ...data, ...verified } });
  const theirs = { accountId, invitedBy: before.email };
  if (isMoved) await transaction.invitation.updateMany({ where: theirs, data: { invitedBy: email } });
}

/**
 * Removes the person of a user. Who left goes also where they were the last owner, whom an operator can
 * invite anew, or one of several administrators of the gateway.
 * @throws ControlError `forbidden` for the last administrator of the gateway.
 */
export async function letGo(change: Change, { personId, accountId, email }: StoredUser): Promise<number> {
  const { transaction } = change;
  // Who came back by another way than the directory is the same person.
  const person = personId === null ? await personOfEmail(transaction, email) : await findPerson(transaction, personId);
  if (person?.accountId !== accountId) return 0;
  return keepAnAdministrator(transaction, () => dismiss(change, person), 'forbidden');
}
