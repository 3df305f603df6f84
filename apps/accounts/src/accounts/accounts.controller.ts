import { Controller } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { accountsOperations, administrationOperations, type Account } from '@tollgate/contracts/accounts';
import { isUuid } from '@tollgate/database';
import { Serve } from '@tollgate/messaging';
import { Changes } from '../keys/changes';
import { keyIdsOf } from '../keys/key-rows';
import { readRevision } from '../keys/revision';
import { approvalMail, declineMail } from '../mail/mail-texts';
import { Outbox } from '../mail/outbox';
import type { Reply, Request } from '../operations';
import { AccessRequests } from '../people/access-requests';
import { keepAnAdministrator } from '../people/person-rows';
import { AccountsSettings } from '../settings';
import { Storage } from '../storage';
import {
  findAccount,
  normalEmail,
  pageOfAccounts,
  searchAccounts,
  type SearchedAccount,
  updateAccount,
} from './account-rows';
import { planUse } from './plan-use';
import { toAccount, type StoredAccount } from './stored-account';

type Status = Account['status'];

/**
 * From which status an account may come to another. Nobody goes back to waiting, and who was let in is
 * suspended rather than declined.
 */
const from: Record<Status, readonly Status[]> = {
  pending: [],
  active: ['pending', 'suspended', 'declined'],
  suspended: ['active'],
  declined: ['pending'],
};

/**
 * The operations on accounts. All throw ControlError `unavailable` when the database is away, and lists
 * `invalid` for a wrong cursor.
 */
@Controller()
export class AccountsController {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly outbox: Outbox,
    private readonly requests: AccessRequests,
    private readonly settings: AccountsSettings,
  ) {}

  /**
   * Makes an account on the beta plan that waits for approval.
   * @throws ControlError `conflict` when the email has an account already.
   */
  @Serve(accountsOperations.requestAccess)
  request({ email, ...asked }: Request<'requestAccess'>): Promise<Reply<'requestAccess'>> {
    return this.changes.commit(async (change) => ({
      account: toAccount(await this.requests.make(change, { ...asked, email: normalEmail(email) })),
    }));
  }

  /**
   * Sets status and plan (absent: as it is) together; all keys of the account change with it. Asking for what
   * is already so changes nothing.
   * @throws ControlError `not_found`, `invalid` (unknown plan), `conflict` (no way from the present status;
   * the last administrator).
   */
  @Serve(accountsOperations.setAccountStatus)
  setStatus({ account, status, plan, actor }: Request<'setAccountStatus'>): Promise<Reply<'setAccountStatus'>> {
    return this.changes.commit(async (change) => {
      const { transaction, plans } = change;
      if (plan !== undefined) plans.requireKnown(plan);
      const before = await findAccount(transaction, account);
      const isSame = status === before.status && (plan === undefined || plan === before.plan);
      if (isSame) return { account: toAccount(before) };
      requireWay(before.email, before.status, status);
      const after = await keepAnAdministrator(transaction, () =>
        updateAccount(transaction, before.id, { status, plan }),
      );
      await change.touchKeys(await keyIdsOf(transaction, before.id));
      const detail = { statusBefore: before.status, planBefore: before.plan, status, plan: after.plan };
      await change.audit({ actor, action: 'account-changed', accountId: before.id, detail });
      // Who waited for it hears how it was decided.
      if (before.status === 'pending' && status !== 'pending')
        await this.outbox.add(transaction, after.email, this.decision(after));
      return { account: toAccount(after) };
    });
  }

  /** One page of accounts, the newest first: all, or those of one status. */
  @Serve(accountsOperations.listAccounts)
  list({ status, ...wish }: Request<'listAccounts'>): Promise<Reply<'listAccounts'>> {
    return this.storage.read(async (queries) => {
      const { items, next } = await pageOfAccounts(queries, status, wish);
      return { accounts: items.map(toAccount), next };
    });
  }

  /**
   * One page, the newest first, for administrators. `query` is a part of a name or an address, in any letter
   * case, or an id.
   */
  @Serve(administrationOperations.searchAccounts)
  search({ status, query, signsIn, ...wish }: Request<'searchAccounts'>): Promise<Reply<'searchAccounts'>> {
    return this.storage.read(async (queries) => {
      const { items, next } = await searchAccounts(queries, { status, query, signsIn }, wish);
      const accounts = items.map((row) => ({
        ...toAccount(row),
        purpose: row.purpose,
        keys: row._count.keys,
        people: row._count.people,
        role: highest(row),
      }));
      return { accounts, next };
    });
  }

  /** What keys and accounts are called. What is no id, or nothing's, is left out. */
  @Serve(administrationOperations.names)
  names({ keyIds, accountIds }: Request<'names'>): Promise<Reply<'names'>> {
    const named = (ids: readonly string[]) => ({
      where: { id: { in: ids.filter(isUuid) } },
      select: { id: true, name: true },
    });
    return this.storage.read(async ({ apiKey, account }) => ({
      keys: byId(await apiKey.findMany(named(keyIds))),
      accounts: byId(await account.findMany(named(accountIds))),
    }));
  }

  /** The plans in force, and how many keys and accounts have each. */
  @Serve(administrationOperations.listPlans)
  listPlans(): Promise<Reply<'listPlans'>> {
    return this.storage.read(async (queries) => {
      const { plans } = await readRevision(queries);
      const use = await planUse(queries);
      const inForce = Object.entries(plans.toJson());
      return {
        plans: inForce.map(([name, limits]) => ({ name, ...limits, keys: 0, accounts: 0, ...use.get(name) })),
      };
    });
  }

  private decision({ name, status }: StoredAccount) {
    return status === 'declined' ? declineMail(name) : approvalMail(name, this.settings.people.publicUrl);
  }
}

const byId = (rows: readonly { id: string; name: string }[]): Record<string, string> =>
  Object.fromEntries(rows.map(({ id, name }) => [id, name]));

function requireWay(email: string, before: Status, after: Status): void {
  if (before === after || from[after].includes(before)) return;
  throw new ControlError('conflict', `The account of ${email} is ${before}; from there it cannot become ${after}.`);
}

function highest({ people, _count }: SearchedAccount): 'user' | 'administrator' | null {
  if (people.length > 0) return 'administrator';
  return _count.people > 0 ? 'user' : null;
}
