import { Injectable } from '@nestjs/common';
import { makePendingAccount } from '../accounts/account-rows';
import type { StoredAccount } from '../accounts/stored-account';
import type { Change } from '../keys/changes';
import { accessMail } from '../mail/mail-texts';
import { Outbox } from '../mail/outbox';
import { AccountsSettings } from '../settings';
import { administratorAddresses } from './person-rows';

type Asked = Parameters<typeof makePendingAccount>[1];

/** Many may ask at once, and anybody may: administrators get one mail in so long, milliseconds. */
const quietMs = 3_600_000;

/** Requests for access, which administrators are told of by mail. */
@Injectable()
export class AccessRequests {
  constructor(
    private readonly outbox: Outbox,
    private readonly settings: AccountsSettings,
  ) {}

  /** As makePendingAccount. What an administrator asks for somebody needs no word to administrators. */
  async make(change: Change, asked: Asked): Promise<StoredAccount> {
    const account = await makePendingAccount(change, asked);
    if (asked.actor === undefined) await this.tell(change, account.id, asked);
    return account;
  }

  private async tell({ transaction }: Change, id: string, asked: Asked): Promise<void> {
    const since = new Date(Date.now() - quietMs);
    const where = { id: { not: id }, status: 'pending', createdAt: { gt: since } } as const;
    if ((await transaction.account.count({ where })) > 0) return;
    const link = `${this.settings.people.publicUrl}/admin/accounts?status=pending`;
    for (const administrator of await administratorAddresses(transaction))
      await this.outbox.add(transaction, administrator.email, accessMail(administrator.name, asked, link));
  }
}
