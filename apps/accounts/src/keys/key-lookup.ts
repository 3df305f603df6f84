import { Injectable } from '@nestjs/common';
import { readRevision } from '../changes/revision';
import type { Reply, Request } from '../operations';
import { Storage } from '../storage/storage';
import { findKey } from './find-key';
import { toCallerKey } from './stored-key';

/** Finds keys by their digest, for edges. */
@Injectable()
export class KeyLookup {
  constructor(private readonly storage: Storage) {}

  /**
   * A key of any state: whether it may be used is the edge's to decide. `key` null: no key has this digest.
   * @throws ControlError `unavailable` when the database is away.
   */
  async resolve(digest: string): Promise<Reply<'resolveKey'>> {
    return this.storage.read(async (queries) => {
      // The revision first: the key may then be newer than it says, never older.
      const { revision, plans } = await readRevision(queries);
      if (!/^[0-9a-f]{64}$/.test(digest)) return { key: null, revision };
      const key = await queries.apiKey.findUnique({ where: { digest }, include: { account: true } });
      return { key: key && toCallerKey(key, plans), revision };
    });
  }

  /** @throws ControlError `not_found`, `unavailable`. */
  digest({ keyId, accountId }: Request<'keyDigest'>): Promise<Reply<'keyDigest'>> {
    return this.storage.read(async (queries) => ({ digest: (await findKey(queries, keyId, accountId)).digest }));
  }
}
