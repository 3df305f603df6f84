import { Injectable } from '@nestjs/common';
import { Storage } from '../storage/storage';
import { Change } from './change';
import { KeyChangePublisher } from './key-change-publisher';
import { lockRevision } from './revision';

/** Where every change of accounts and keys goes through: one transaction at a time, over all instances, and then the word to edges. */
@Injectable()
export class Changes {
  private newest: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly storage: Storage,
    private readonly publisher: KeyChangePublisher,
  ) {}

  /**
   * Runs `work` in a transaction and commits it; edges have been told when this resolves, unless NATS is away: then they are told later.
   * @throws ControlError what `work` threw (nothing has changed then); `unavailable` when the database is away.
   */
  async commit<Result>(work: (change: Change) => Promise<Result>): Promise<Result> {
    // Changes of this instance wait here and not in the database, where each would hold a connection that lookups need.
    const transaction = this.newest.then(() => this.run(work));
    this.newest = transaction.catch(() => undefined);
    const result = await transaction;
    await this.publisher.publish();
    return result;
  }

  private run<Result>(work: (change: Change) => Promise<Result>): Promise<Result> {
    return this.storage.transaction(async (queries) => {
      const { plans } = await lockRevision(queries);
      return work(new Change(queries, plans));
    });
  }
}
