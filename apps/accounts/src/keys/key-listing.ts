import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { readRevision } from '../changes/revision';
import type { Reply, Request } from '../operations';
import { readPage } from '../storage/page';
import { Storage } from '../storage/storage';
import { isUuid } from '../storage/uuid';
import { toKeySummary } from './stored-key';

/** Shows API keys to people. */
@Injectable()
export class KeyListing {
  constructor(private readonly storage: Storage) {}

  /**
   * One page of keys, the newest first: all, or those of one account (none when there is no such account).
   * @throws ControlError `invalid` (what is given as an id is none), `unavailable`.
   */
  list({ accountId, limit, after }: Request<'listKeys'>): Promise<Reply<'listKeys'>> {
    if (accountId !== undefined && !isUuid(accountId))
      throw new ControlError('invalid', 'accountId: give the id that the list of accounts shows.');
    return this.storage.read(async (queries) => {
      const { plans } = await readRevision(queries);
      const { items, next } = await readPage({ limit, after }, (id, take) =>
        queries.apiKey.findMany({
          where: { accountId, id },
          orderBy: { id: 'desc' },
          take,
          include: { account: true },
        }),
      );
      return { keys: items.map((key) => toKeySummary(key, plans)), next };
    });
  }
}
