import { Injectable } from '@nestjs/common';
import { uuidv7 } from '@tollgate/contracts';
import { PeopleSettings } from '../people/people-settings';
import type { Reply, Request } from '../operations';
import { readPage } from '../storage/page';
import { Storage, type AccountsQueries } from '../storage/storage';
import type { Letter } from './letters';

/** Mails that were written, in the order in which that happened. What is written within a transaction exists if, and only if, the transaction does. */
@Injectable()
export class Outbox {
  constructor(
    private readonly storage: Storage,
    private readonly settings: PeopleSettings,
  ) {}

  /** Writes a mail. It is sent within seconds where a mail server is set up, and never where none is: nobody wants old mails on the day one comes. */
  async add(queries: Pick<AccountsQueries, 'mail'>, recipient: string, { subject, body }: Letter): Promise<void> {
    const createdAt = new Date();
    const dueAt = this.settings.smtp === null ? null : createdAt;
    await queries.mail.create({ data: { id: uuidv7(), recipient, subject, body, createdAt, dueAt } });
  }

  /** One page, the newest first. @throws ControlError `invalid` (a wrong cursor), `unavailable`. */
  list({ limit, after }: Request<'listMails'>): Promise<Reply<'listMails'>> {
    return this.storage.read(async (queries) => {
      const { items, next } = await readPage({ limit, after }, (id, take) =>
        queries.mail.findMany({ where: { id }, orderBy: { id: 'desc' }, take }),
      );
      const mails = items.map(({ id, recipient, subject, body, createdAt, sentAt, problem }) => ({
        id,
        recipient,
        subject,
        body,
        createdAt: createdAt.getTime(),
        sentAt: sentAt?.getTime() ?? null,
        problem,
      }));
      return { mails, next };
    });
  }
}
