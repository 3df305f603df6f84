import { Controller } from '@nestjs/common';
import { ControlError, uuidv7 } from '@tollgate/contracts';
import type { ServedBy } from '@tollgate/contracts';
import { directoryOperations } from '@tollgate/contracts/accounts';
import { Serve } from '@tollgate/messaging';
import { findAccount, normalEmail } from '../accounts/account-rows';
import { Changes, type Change } from '../keys/changes';
import { Storage } from '../storage';
import { carryOver, letGo, personFor } from './directory-people';
import { findUser, nameKey, requireNewName, toDirectoryUser, type StoredUser } from './directory-rows';

type Served = ServedBy<typeof directoryOperations>;

/**
 * The operations of the directory of an account. All throw ControlError `unavailable` when the database is
 * away.
 */
@Controller()
export class DirectoryController {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
  ) {}

  @Serve(directoryOperations.list)
  list({ accountId, userName, externalId, skip, limit }: Served['list']['request']): Promise<Served['list']['reply']> {
    const where = { accountId, externalId, ...(userName !== undefined && { nameKey: nameKey(userName) }) };
    return this.storage.read(async ({ directoryUser }) => {
      const users = await directoryUser.findMany({ where, orderBy: { id: 'asc' }, skip, take: limit });
      return { users: users.map(toDirectoryUser), total: await directoryUser.count({ where }) };
    });
  }

  /** @throws ControlError `not_found`. */
  @Serve(directoryOperations.get)
  get({ accountId, id }: Served['get']['request']): Promise<Served['get']['reply']> {
    return this.storage.read(async (queries) => ({ user: toDirectoryUser(await findUser(queries, accountId, id)) }));
  }

  /**
   * @throws ControlError `not_found` (no such account), `forbidden` (it is not active), `conflict` (the name,
   * the address).
   */
  @Serve(directoryOperations.create)
  create({ accountId, actor, active, ...said }: Served['create']['request']): Promise<Served['create']['reply']> {
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      await findAccount(transaction, accountId);
      const now = new Date();
      const email = normalEmail(said.email);
      const user = { id: uuidv7(), accountId, ...said, email, personId: null, createdAt: now, changedAt: now };
      await requireNewName(transaction, user);
      await transaction.directoryUser.create({ data: { ...user, nameKey: nameKey(user.userName) } });
      if (active) await this.bind(change, user);
      const detail = { userName: user.userName, email, role: user.role, active };
      await change.audit({ actor, action: 'directory-user-made', accountId, detail });
      return { user: toDirectoryUser(await findUser(transaction, accountId, user.id)) };
    });
  }

  /**
   * @throws ControlError `not_found`, `conflict` (the name, the address), `forbidden` (the account is not
   * active, the last administrator, the address of an owner or an administrator of the gateway).
   */
  @Serve(directoryOperations.change)
  change({ accountId, id, actor, active, ...said }: Served['change']['request']): Promise<Served['change']['reply']> {
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const before = await findUser(transaction, accountId, id);
      const given = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
      const user: StoredUser = { ...before, ...given };
      user.email = normalEmail(user.email);
      await requireNewName(transaction, user);
      const { userName, externalId, email, name, role } = user;
      const data = { userName, nameKey: nameKey(userName), externalId, email, name, role, changedAt: new Date() };
      await transaction.directoryUser.update({ where: { id }, data });
      const isActive = active ?? before.personId !== null;
      const revokedKeys = await this.follow(change, user, isActive, said.role !== undefined);
      const after = toDirectoryUser(await findUser(transaction, accountId, id));
      const detail = { userName, email, role, active: after.active, activeBefore: before.personId !== null };
      await change.audit({ actor, action: 'directory-user-changed', accountId, detail: { ...detail, revokedKeys } });
      return { user: after };
    });
  }

  /** @throws ControlError `not_found`, `forbidden` (the last administrator). */
  @Serve(directoryOperations.remove)
  remove({ accountId, id, actor }: Served['remove']['request']): Promise<Served['remove']['reply']> {
    return this.changes.commit(async (change) => {
      const user = await findUser(change.transaction, accountId, id);
      const revokedKeys = await letGo(change, user);
      await change.transaction.directoryUser.delete({ where: { id } });
      const detail = { userName: user.userName, email: user.email, revokedKeys };
      await change.audit({ actor, action: 'directory-user-removed', accountId, detail });
      return {};
    });
  }

  /** Makes the person of a user what the directory says; returns how many keys stopped. */
  private async follow(change: Change, user: StoredUser, active: boolean, saysRole: boolean): Promise<number> {
    if (!active) return letGo(change, user);
    if (user.personId === null) await this.bind(change, user);
    else await carryOver(change, user.personId, user, saysRole);
    return 0;
  }

  /** @throws ControlError `conflict` (another user is this person), `forbidden` (the account is not active). */
  private async bind(change: Change, user: StoredUser): Promise<void> {
    const { directoryUser } = change.transaction;
    const { email, status } = await findAccount(change.transaction, user.accountId);
    if (status !== 'active') throw new ControlError('forbidden', `The account of ${email} is ${status}.`);
    const personId = await personFor(change, user);
    if (await directoryUser.findUnique({ where: { personId } }))
      throw new ControlError('conflict', `Another user has the address ${user.email}.`);
    await directoryUser.update({ where: { id: user.id }, data: { personId } });
  }
}
