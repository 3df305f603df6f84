import { Controller } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { ServedBy } from '@tollgate/contracts';
import { memberOperations } from '@tollgate/contracts/accounts';
import { isUuid } from '@tollgate/database';
import { Serve } from '@tollgate/messaging';
import { findAccount, normalEmail } from '../accounts/account-rows';
import { Changes } from '../keys/changes';
import { updateAccountRole } from '../people/person-rows';
import { toPerson } from '../people/stored-person';
import { Throttle } from '../people/throttle';
import { Storage } from '../storage';
import { dismiss } from './dismiss';
import { Invitations, toInvitation } from './invitations';
import { findMemberToChange, keepAnOwner, requireMayChange, requireNoGatewayAdministrator } from './member-rules';

type Served = ServedBy<typeof memberOperations>;

/** Each invitation may be a mail to whoever is named: an account writes to so many, and then slowly. */
const freeInvitations = 30;

/**
 * The operations on the people of an account. All throw ControlError `unavailable` when the database is away.
 */
@Controller()
export class MembersController {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly throttle: Throttle,
    private readonly invitations: Invitations,
  ) {}

  /** @throws ControlError `not_found` (no such account). */
  @Serve(memberOperations.list)
  list({ account: named }: Served['list']['request']): Promise<Served['list']['reply']> {
    return this.storage.read(async (queries) => {
      const { id: accountId } = await findAccount(queries, named);
      const people = await queries.person.findMany({
        where: { accountId },
        orderBy: { id: 'asc' },
        include: {
          _count: { select: { keys: { where: { status: 'active' } }, passkeys: true } },
          secondFactor: { select: { enabledAt: true } },
        },
      });
      const invitations = await this.invitations.open(queries, accountId);
      return {
        people: people.map(({ _count: { keys, passkeys }, secondFactor, ...person }) => ({
          ...toPerson(person),
          keys,
          hasSecondFactor: passkeys > 0 || (secondFactor?.enabledAt ?? null) !== null,
        })),
        invitations: invitations.map(toInvitation),
      };
    });
  }

  /**
   * @throws ControlError `not_found` (no such account), `forbidden`, `conflict` (the address is taken, the
   * account is not active, too many invitations).
   */
  @Serve(memberOperations.invite)
  async invite({
    account: named,
    role,
    way,
    actor,
    by,
    ...asked
  }: Served['invite']['request']): Promise<Served['invite']['reply']> {
    const email = normalEmail(asked.email);
    await this.requireRoom(named, by);
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const account = await findAccount(transaction, named);
      await requireMayChange(transaction, account.id, by, [role]);
      if (account.status !== 'active' || !account.email.includes('@'))
        throw new ControlError('conflict', `Nobody can be invited into the account of ${account.email}.`);
      const made = await this.invitations.make(transaction, { account, email, role, invitedBy: actor, way });
      await change.audit({ actor, action: 'person-invited', accountId: account.id, detail: { email, role, way } });
      return made;
    });
  }

  /** @throws ControlError `not_found`, `forbidden`. */
  @Serve(memberOperations.withdraw)
  withdraw({
    account: named,
    invitationId: id,
    actor,
    by,
  }: Served['withdraw']['request']): Promise<Served['withdraw']['reply']> {
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const { id: accountId } = await findAccount(transaction, named);
      const found = isUuid(id) ? await transaction.invitation.findFirst({ where: { id, accountId } }) : null;
      await requireMayChange(transaction, accountId, by, found ? [found.role] : []);
      if (!found) throw new ControlError('not_found', 'There is no such invitation; it may have been taken.');
      await transaction.invitation.deleteMany({ where: { id } });
      const detail = { email: found.email, role: found.role };
      await change.audit({ actor, action: 'invitation-withdrawn', accountId, detail });
      return { invitation: toInvitation(found) };
    });
  }

  /** @throws ControlError `not_found`, `forbidden`, `conflict` (the last owner; administers the gateway). */
  @Serve(memberOperations.setRole)
  setRole({
    account: named,
    personId,
    role,
    actor,
    by,
  }: Served['setRole']['request']): Promise<Served['setRole']['reply']> {
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const { id: accountId } = await findAccount(transaction, named);
      const before = await findMemberToChange(transaction, accountId, { personId, by }, [role]);
      if (before.accountRole === role) return { person: toPerson(before) };
      requireNoGatewayAdministrator(before);
      await keepAnOwner(transaction, accountId, () => updateAccountRole(transaction, personId, role));
      const detail = { email: before.email, role, roleBefore: before.accountRole };
      await change.audit({ actor, action: 'person-changed', accountId, detail });
      return { person: toPerson({ ...before, accountRole: role }) };
    });
  }

  /** @throws ControlError `not_found`, `forbidden`, `conflict` (the last owner; administers the gateway). */
  @Serve(memberOperations.remove)
  remove({ account: named, personId, actor, by }: Served['remove']['request']): Promise<Served['remove']['reply']> {
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const { id: accountId } = await findAccount(transaction, named);
      const person = await findMemberToChange(transaction, accountId, { personId, by });
      requireNoGatewayAdministrator(person);
      const revokedKeys = await keepAnOwner(transaction, accountId, () => dismiss(change, person));
      const { email, accountRole: role } = person;
      await change.audit({ actor, action: 'person-removed', accountId, detail: { email, role, revokedKeys } });
      return { person: toPerson(person), revokedKeys };
    });
  }

  /** @throws ControlError `conflict` when a person invites too many of late. */
  private async requireRoom(account: string, by: string | undefined): Promise<void> {
    if (by === undefined) return;
    const waitS = await this.throttle.take({ subject: `invite:${account}`, free: freeInvitations });
    if (waitS === null) return;
    throw new ControlError('conflict', `Many were invited of late: wait ${waitS} seconds before the next one.`);
  }
}
