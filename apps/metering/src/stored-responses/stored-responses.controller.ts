import { Controller } from '@nestjs/common';
import { storedResponseOperations } from '@tollgate/contracts/metering';
import { Serve } from '@tollgate/messaging';
import { KeptTurns } from '../account-turns';
import { databaseAnswer } from '../databases';
import type { StoredResponseReply, StoredResponseRequest } from '../operations';
import { StoredResponses } from './stored-responses';

/** Keeps, shows and removes responses that callers may go on from. */
@Controller()
export class StoredResponsesController {
  constructor(
    private readonly stored: StoredResponses,
    private readonly turns: KeptTurns,
  ) {}

  @Serve(storedResponseOperations.keep)
  keep(part: StoredResponseRequest<'keep'>): Promise<StoredResponseReply<'keep'>> {
    return this.answer(part.accountId, async () => {
      await this.stored.keep(part);
      return {};
    });
  }

  @Serve(storedResponseOperations.read)
  read(wanted: StoredResponseRequest<'read'>): Promise<StoredResponseReply<'read'>> {
    return this.answer(wanted.accountId, () => this.stored.read(wanted));
  }

  @Serve(storedResponseOperations.holding)
  holding({ accountId, itemIds }: StoredResponseRequest<'holding'>): Promise<StoredResponseReply<'holding'>> {
    return this.answer(accountId, async () => ({ ids: await this.stored.holding(accountId, itemIds) }));
  }

  @Serve(storedResponseOperations.remove)
  remove({ accountId, id }: StoredResponseRequest<'remove'>): Promise<StoredResponseReply<'remove'>> {
    return this.answer(accountId, async () => {
      await this.stored.remove(accountId, id);
      return {};
    });
  }

  private answer<Result>(accountId: string, work: () => Promise<Result>): Promise<Result> {
    return this.turns.take(accountId, () => databaseAnswer(work));
  }
}
