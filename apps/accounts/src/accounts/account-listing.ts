import { Injectable } from '@nestjs/common';
import type { Reply, Request } from '../operations';
import { readPage } from '../storage/page';
import { Storage } from '../storage/storage';
import { toAccount } from './to-account';

/** Shows accounts to people. */
@Injectable()
export class AccountListing {
  constructor(private readonly storage: Storage) {}

  /**
   * One page of accounts, the newest first: all, or those of one status.
   * @throws ControlError `invalid` (a wrong cursor), `unavailable`.
   */
  list({ status, limit, after }: Request<'listAccounts'>): Promise<Reply<'listAccounts'>> {
    return this.storage.read(async (queries) => {
      const { items, next } = await readPage({ limit, after }, (id, take) =>
        queries.account.findMany({ where: { status, id }, orderBy: { id: 'desc' }, take }),
      );
      return { accounts: items.map(toAccount), next };
    });
  }
}
