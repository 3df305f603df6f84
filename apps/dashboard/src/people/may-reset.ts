import type { Member } from '@tollgate/contracts/accounts';
import type { User } from '../api/auth';

/**
 * Whether somebody who looks after an account is offered to reset the second factor of one of its people:
 * never their own, nor that of an administrator of the gateway; owners' by owners.
 */
export function mayReset(
  user: Pick<User, 'id' | 'accountRole'>,
  person: Pick<Member, 'id' | 'accountRole' | 'role' | 'hasSecondFactor'>,
): boolean {
  if (person.hasSecondFactor !== true || person.id === user.id || person.role === 'administrator') return false;
  return person.accountRole !== 'owner' || user.accountRole === 'owner';
}
