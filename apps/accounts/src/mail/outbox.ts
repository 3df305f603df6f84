import { Injectable } from '@nestjs/common';
import { uuidv7 } from '@tollgate/contracts';
import { AccountsSettings } from '../settings';
import type { AccountsQueries } from '../storage';
import type { MailText } from './mail-texts';

/**
 * Mails that were written, in the order in which that happened. What is written within a transaction exists
 * if, and only if, the transaction does.
 */
@Injectable()
export class Outbox {
  constructor(private readonly settings: AccountsSettings) {}

  /**
   * Writes a mail. It is sent within seconds where a mail server is set up, and never where none is: nobody
   * wants old mails on the day one comes.
   */
  async add(queries: Pick<AccountsQueries, 'mail'>, recipient: string, { subject, body }: MailText): Promise<void> {
    const createdAt = new Date();
    const dueAt = this.settings.people.smtp === null ? null : createdAt;
    await queries.mail.create({ data: { id: uuidv7(), recipient, subject, body, createdAt, dueAt } });
  }
}
