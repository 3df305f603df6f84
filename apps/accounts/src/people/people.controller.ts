import { Controller } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { peopleOperations, type ResetLink } from '@tollgate/contracts/accounts';
import { Serve } from '@tollgate/messaging';
import { findAccount } from '../accounts/account-rows';
import { keyIdsOf } from '../keys/key-rows';
import { Changes } from '../keys/changes';
import { findMember } from '../members/member-rules';
import type { Reply, Request } from '../operations';
import { Storage } from '../storage';
import { OneTimeLinks } from './one-time-links';
import { keepAnAdministrator, peopleOf, renamePerson, updateRoles, verifyAddress } from './person-rows';
import { toPerson } from './stored-person';
import { Throttle } from './throttle';

const freeMails = 3;

/**
 * The operations on what is known of people. All throw ControlError `unavailable` when the database is away.
 */
@Controller()
export class PeopleController {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly throttle: Throttle,
    private readonly links: OneTimeLinks,
  ) {}

  /**
   * Mails the link that confirms an address again, unless it is confirmed or too many were mailed of late.
   */
  @Serve(peopleOperations.sendVerification)
  async sendVerification({ personId }: Request<'sendVerification'>): Promise<Reply<'sendVerification'>> {
    if ((await this.throttle.take({ subject: `verify:${personId}`, free: freeMails })) !== null) return {};
    await this.storage.transaction(async (queries) => {
      const person = await queries.person.findUnique({ where: { id: personId } });
      if (person?.emailVerifiedAt === null) await this.links.mail(queries, person, 'verify');
    });
    return {};
  }

  /** @throws ControlError `invalid` for a link that does not work any more. */
  @Serve(peopleOperations.verifyEmail)
  async verifyEmail({ token }: Request<'verifyEmail'>): Promise<Reply<'verifyEmail'>> {
    await this.storage.transaction(async (queries) => {
      const { personId } = await this.links.consume(queries, token, 'verify');
      await verifyAddress(queries, personId);
    });
    return {};
  }

  /** @throws ControlError `not_found`. */
  @Serve(peopleOperations.updateProfile)
  updateProfile({ personId, name }: Request<'updateProfile'>): Promise<Reply<'updateProfile'>> {
    return this.storage.transaction(async (queries) => ({
      person: toPerson(await renamePerson(queries, personId, name)),
    }));
  }

  /** @throws ControlError `not_found` (no account, nobody signs in for it, or no such person in it). */
  @Serve(peopleOperations.makeResetLinks)
  makeResetLinks({ account: named, personId, actor }: Request<'makeResetLinks'>): Promise<Reply<'makeResetLinks'>> {
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const { id: accountId, email } = await findAccount(transaction, named);
      const people =
        personId === undefined
          ? await peopleOf(transaction, accountId)
          : [await findMember(transaction, accountId, personId)];
      if (people.length === 0) throw new ControlError('not_found', `Nobody signs in for the account of ${email}.`);
      const links: ResetLink[] = [];
      for (const person of people) links.push(await this.links.handOver(transaction, person));
      const detail = { email: people.map((person) => person.email) };
      await change.audit({ actor, action: 'reset-link-made', accountId, detail });
      return { links };
    });
  }

  /**
   * Makes the owners of an account administrators of the gateway, or all of its people users again. Somebody
   * must stay who can administer.
   * @throws ControlError `not_found` (no account, or nobody signs in for it), `conflict` (the last
   * administrator).
   */
  @Serve(peopleOperations.setRole)
  setRole({ account: named, role, actor }: Request<'setRole'>): Promise<Reply<'setRole'>> {
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const { id: accountId, email } = await findAccount(transaction, named);
      const before = await peopleOf(transaction, accountId);
      if (before.length === 0) throw new ControlError('not_found', `Nobody signs in for the account of ${email}.`);
      await keepAnAdministrator(transaction, () => updateRoles(transaction, accountId, role));
      const after = await peopleOf(transaction, accountId);
      const detail = { role, roleBefore: before.map((person) => person.role) };
      if (before.some((person, index) => person.role !== after[index]?.role)) {
        await change.audit({ actor, action: 'role-changed', accountId, detail });
        await change.touchKeys(await keyIdsOf(transaction, accountId));
      }
      return { people: after.map(toPerson) };
    });
  }
}
