import { ControlError } from '@tollgate/contracts';
import type { Change } from '../keys/changes';
import { requireFree } from '../members/invitations';
import { dismiss } from '../members/dismiss';
import { insertPerson, keepAnAdministrator, personOfEmail } from '../people/person-rows';
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
 * What the directory says of somebody, as their person; the role where it said one (`saysRole`), and not that
 * of an owner, whom owners make.
 * @throws ControlError `conflict` for an address that somebody else has.
 */
export async function carryOver(
  { transaction }: Change,
  personId: string,
  user: StoredUser,
  saysRole: boolean,
): Promise<void> {
  const { accountId, email, name, role } = user;
  const before = await transaction.person.findUniqueOrThrow({ where: { id: personId } });
  const isMoved = before.email !== email;
  if (isMoved) await requireFree(transaction, email, accountId);
  const isGiven = saysRole && before.accountRole !== 'owner';
  const verified = isMoved || before.emailVerifiedAt === null ? { emailVerifiedAt: new Date() } : {};
  await transaction.person.update({
    where: { id: personId },
    data: { email, name, ...verified, ...(isGiven ? { accountRole: role } : {}) },
  });
}

/**
 * Removes the person of a user. Who left goes also where they were the last owner, whom an operator can
 * invite anew, or one of several administrators of the gateway.
 * @throws ControlError `conflict` for the last administrator of the gateway.
 */
export async function letGo(change: Change, { personId }: StoredUser): Promise<number> {
  if (personId === null) return 0;
  const person = await change.transaction.person.findUnique({ where: { id: personId } });
  if (!person) throw new ControlError('not_found', 'There is no such person.');
  return keepAnAdministrator(change.transaction, () => dismiss(change, person));
}
