import { Controller } from '@nestjs/common';
import { peopleOperations } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import type { Reply, Request } from '../operations';
import { Outbox } from './outbox';

/** The operations on mails. */
@Controller()
export class MailsController {
  constructor(private readonly outbox: Outbox) {}

  @Serve(peopleOperations.listMails)
  list(request: Request<'listMails'>): Promise<Reply<'listMails'>> {
    return this.outbox.list(request);
  }
}
