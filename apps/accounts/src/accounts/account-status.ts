import { Injectable } from '@nestjs/common';
import { ControlError, type Account } from '@tollgate/contracts';
import { Changes } from '../changes/changes';
import { approvalLetter, declineLetter } from '../mail/letters';
import { Outbox } from '../mail/outbox';
import type { Reply, Request } from '../operations';
import { keepAnAdministrator } from '../people/keep-an-administrator';
import { PeopleSettings } from '../people/people-settings';
import type { AccountsQueries } from '../storage/storage';
import { findAccount } from './find-account';
import { toAccount, type StoredAccount } from './to-account';

type Status = Account['status'];

/** From which status an account may come to another. Nobody goes back to waiting, and who was let in is suspended rather than declined. */
const from: Record<Status, readonly Status[]> = {
  pending: [],
  active: ['pending', 'suspended', 'declined'],
  suspended: ['active'],
  declined: ['pending'],
};

/** Approves, suspends and declines accounts, and changes their plans. */
@Injectable()
export class AccountStatus {
  constructor(
    private readonly changes: Changes,
    private readonly outbox: Outbox,
    private readonly settings: PeopleSettings,
  ) {}

  /**
   * Sets status and plan (absent: as it is) together; all keys of the account change with it. Asking for what is already so changes nothing.
   * @throws ControlError `not_found`, `invalid` (unknown plan), `conflict` (no way from the present status; the last administrator), `unavailable`.
   */
  set({ account: named, status, plan, actor }: Request<'setAccountStatus'>): Promise<Reply<'setAccountStatus'>> {
    return this.changes.commit(async (change) => {
      const { transaction, plans } = change;
      if (plan !== undefined) plans.requireKnown(plan);
      const before = await findAccount(transaction, named);
      const isSame = status === before.status && (plan === undefined || plan === before.plan);
      if (isSame) return { account: toAccount(before) };
      requireWay(before.email, before.status, status);
      const data = plan === undefined ? { status } : { status, plan };
      const after = await keepAnAdministrator(transaction, () =>
        transaction.account.update({ where: { id: before.id }, data }),
      );
      const keys = await transaction.apiKey.findMany({ where: { accountId: before.id }, select: { id: true } });
      await change.touchKeys(keys.map(({ id }) => id));
      const detail = { statusBefore: before.status, planBefore: before.plan, status, plan: after.plan };
      await change.audit({ actor, action: 'account-changed', accountId: before.id, detail });
      if (before.status === 'pending' && status !== 'pending') await this.tell(transaction, after);
      return { account: toAccount(after) };
    });
  }

  /** Who waited for it hears how it was decided. */
  private async tell(queries: AccountsQueries, { email, name, status }: StoredAccount): Promise<void> {
    const letter = status === 'declined' ? declineLetter(name) : approvalLetter(name, this.settings.publicUrl);
    await this.outbox.add(queries, email, letter);
  }
}

function requireWay(email: string, before: Status, after: Status): void {
  if (before === after || from[after].includes(before)) return;
  throw new ControlError('conflict', `The account of ${email} is ${before}; from there it cannot become ${after}.`);
}
