import { Injectable } from '@nestjs/common';
import { readRevision } from '../changes/revision';
import type { Reply, Request } from '../operations';
import { Storage } from '../storage/storage';
import { findKey } from './find-key';
import { KeyRehash } from './key-rehash';
import { toCallerKey } from './stored-key';

/** Finds keys by their digest, for edges. */
@Injectable()
export class KeyLookup {
  constructor(
    private readonly storage: Storage,
    private readonly rehash: KeyRehash,
  ) {}

  /**
   * A key of any state: whether it may be used is the edge's to decide. `key` null: no key has this digest.
   * @throws ControlError `unavailable` when the database is away.
   */
  async resolve({ digest, formerDigests = [] }: Request<'resolveKey'>): Promise<Reply<'resolveKey'>> {
    return this.storage.read(async (queries) => {
      // The revision first: the key may then be newer than it says, never older.
      const { revision, plans } = await readRevision(queries);
      // One statement: a key that is just being kept under its new digest is found by one of them.
      const digests = [digest, ...formerDigests].filter(isDigest);
      const key = await queries.apiKey.findFirst({ where: { digest: { in: digests } }, include: { account: true } });
      // Nobody waits for the new digest to be stored: until then the key is found by its former one again.
      if (key && key.digest !== digest && isDigest(digest)) this.rehash.later(key.id, key.digest, digest);
      return { key: key && toCallerKey(key, plans), revision };
    });
  }

  /** @throws ControlError `not_found`, `unavailable`. */
  digest({ keyId, accountId }: Request<'keyDigest'>): Promise<Reply<'keyDigest'>> {
    return this.storage.read(async (queries) => ({ digest: (await findKey(queries, keyId, accountId)).digest }));
  }
}

function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
