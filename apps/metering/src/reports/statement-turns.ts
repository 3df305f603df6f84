import { ControlError } from '@tollgate/contracts';
import { KeyedQueue } from '../quota/keyed-queue';

/** As many as are read while their callers still wait, with a second for each. */
const mostWaiting = 20;

/**
 * Statements are read one after the other, whoever asks: each is many queries, on the connections that
 * reserve from budgets, too.
 */
export class StatementTurns {
  private readonly queue = new KeyedQueue();
  private waiting = 0;

  /** @throws ControlError `unavailable` when too many wait already; what `read` throws. */
  async take<Result>(read: () => Promise<Result>): Promise<Result> {
    if (this.waiting >= mostWaiting)
      throw new ControlError('unavailable', 'Many statements are being read just now. Try again in a minute.');
    this.waiting += 1;
    try {
      return await this.queue.run('', read);
    } finally {
      this.waiting -= 1;
    }
  }
}
