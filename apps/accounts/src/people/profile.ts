import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { findAccount } from '../accounts/find-account';
import { Changes } from '../changes/changes';
import type { Reply, Request } from '../operations';
import { Storage } from '../storage/storage';
import { keepAnAdministrator } from './keep-an-administrator';
import { toPerson } from './person';

/** Changes what is known of people. */
@Injectable()
export class Profile {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
  ) {}

  /** @throws ControlError `not_found`, `unavailable`. */
  rename({ personId, name }: Request<'updateProfile'>): Promise<Reply<'updateProfile'>> {
    return this.storage.transaction(async (queries) => {
      const { count } = await queries.person.updateMany({ where: { id: personId }, data: { name } });
      if (count === 0) throw new ControlError('not_found', 'There is no such person.');
      return { person: toPerson(await queries.person.findUniqueOrThrow({ where: { id: personId } })) };
    });
  }

  /**
   * Gives all people of an account a role. Somebody must stay who can administer.
   * @throws ControlError `not_found` (no account, or nobody signs in for it), `conflict` (the last administrator), `unavailable`.
   */
  setRole({ account: named, role, actor }: Request<'setRole'>): Promise<Reply<'setRole'>> {
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const { id: accountId, email } = await findAccount(transaction, named);
      const before = await transaction.person.findMany({ where: { accountId }, orderBy: { id: 'asc' } });
      if (before.length === 0) throw new ControlError('not_found', `Nobody signs in for the account of ${email}.`);
      await keepAnAdministrator(transaction, () =>
        transaction.person.updateMany({ where: { accountId }, data: { role } }),
      );
      const detail = { role, roleBefore: before.map((person) => person.role) };
      if (before.some((person) => person.role !== role))
        await change.audit({ actor, action: 'role-changed', accountId, detail });
      return { people: before.map((person) => toPerson({ ...person, role })) };
    });
  }
}
