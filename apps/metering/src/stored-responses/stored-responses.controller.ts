import { Controller } from '@nestjs/common';
import { storedResponseOperations } from '@tollgate/contracts/metering';
import { Serve } from '@tollgate/messaging';
import { databaseAnswer } from '../databases';
import type { StoredResponseReply, StoredResponseRequest } from '../operations';
import { StoredResponses } from './stored-responses';

/** Keeps, shows and removes responses that callers may go on from. */
@Controller()
export class StoredResponsesController {
  constructor(private readonly stored: StoredResponses) {}

  @Serve(storedResponseOperations.keep)
  keep(part: StoredResponseRequest<'keep'>): Promise<StoredResponseReply<'keep'>> {
    return databaseAnswer(async () => {
      await this.stored.keep(part);
      return {};
    });
  }

  @Serve(storedResponseOperations.read)
  read(wanted: StoredResponseRequest<'read'>): Promise<StoredResponseReply<'read'>> {
    return databaseAnswer(() => this.stored.read(wanted));
  }

  @Serve(storedResponseOperations.holding)
  holding({ accountId, itemIds }: StoredResponseRequest<'holding'>): Promise<StoredResponseReply<'holding'>> {
    return databaseAnswer(async () => ({ ids: await this.stored.holding(accountId, itemIds) }));
  }

  @Serve(storedResponseOperations.remove)
  remove({ accountId, id }: StoredResponseRequest<'remove'>): Promise<StoredResponseReply<'remove'>> {
    return databaseAnswer(async () => {
      await this.stored.remove(accountId, id);
      return {};
    });
  }
}
