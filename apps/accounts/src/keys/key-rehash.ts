import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import { Changes } from './changes';
import { replaceDigest } from './key-rows';

/**
 * Keeps keys under the digest of a new pepper. Edges alone see keys, so a key's turn comes when it is used.
 */
@Injectable()
export class KeyRehash {
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly changes: Changes,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Starts it, once at a time for each key. A failure is logged; the next use of the key tries again. */
  later(keyId: string, former: string, digest: string): void {
    if (this.running.has(keyId)) return;
    const work = this.rehash(keyId, former, digest)
      .catch((error: unknown) =>
        this.logger.error(
          { err: error, keyId },
          'a key could not be put under the new pepper; its next use tries again',
        ),
      )
      .finally(() => this.running.delete(keyId));
    this.running.set(keyId, work);
  }

  private rehash(keyId: string, former: string, digest: string): Promise<void> {
    return this.changes.commit(async (change) => {
      // Another instance may have been first.
      if (await replaceDigest(change.transaction, keyId, former, digest)) await change.touchKeys([keyId]);
    });
  }
}
