import { Injectable } from '@nestjs/common';
import { makePendingAccount } from '../accounts/account-rows';
import type { StoredAccount } from '../accounts/stored-account';
import type { Change } from '../keys/changes';
import { accessMail, asksForAccess } from '../mail/mail-texts';
import { Outbox } from '../mail/outbox';
import { AccountsSettings } from '../settings';
import { administratorAddresses } from './person-rows';

type Asked = Parameters<typeof makePendingAccount>[1];

/** Many may ask at once, and anybody may: an administrator gets one mail in so long, milliseconds. */
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
    const account = await makePendingAccount(change, asked, this.link);
    if (asked.actor === undefined) await this.tell(change, asked);
    return account;
  }

  private get link(): string {
    return `${this.settings.people.publicUrl}/admin/accounts?status=pending`;
  }

  private async tell({ transaction }: Change, asked: Asked): Promise<void> {
    const lately = { subject: { endsWith: asksForAccess }, createdAt: { gt: new Date(Date.now() - quietMs) } };
    const told = await transaction.mail.findMany({ where: lately, select: { recipient: true } });
    for (const { name, email } of await administratorAddresses(transaction))
      if (!told.some(({ recipient }) => recipient === email))
        await this.outbox.add(transaction, email, accessMail(name, asked, this.link));
  }
}
