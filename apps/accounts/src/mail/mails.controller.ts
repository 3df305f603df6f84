import { Controller } from '@nestjs/common';
import { peopleOperations } from '@tollgate/contracts/accounts';
import { Serve } from '@tollgate/messaging';
import type { Reply, Request } from '../operations';
import { readPage, Storage } from '../storage';

/** The operations on mails. */
@Controller()
export class MailsController {
  constructor(private readonly storage: Storage) {}

  /** One page, the newest first. @throws ControlError `invalid` (a wrong cursor), `unavailable`. */
  @Serve(peopleOperations.listMails)
  async list(wish: Request<'listMails'>): Promise<Reply<'listMails'>> {
    const { items, next } = await this.storage.read(({ mail }) =>
      readPage(wish, ({ id, ...page }) => mail.findMany({ where: { id }, ...page })),
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
  }
}
