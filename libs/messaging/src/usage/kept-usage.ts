import { usageStream } from '@tollgate/contracts';
import type { NatsConnection, StoredMsg } from 'nats';
import { orNull } from './dead-letters';
import { readUsageMessage } from './usage-message';
import type { ReadMessage } from './usage-message';

/** Some messages that were kept. `next`: the number from which to go on; null: there is no more. */
export interface KeptPage extends ReadMessage {
  next: number | null;
}

/**
 * Usage that metering may have acknowledged already: JetStream writes each message into a second stream as it
 * stores it, and keeps it there for hours. Its numbers have no gaps, because it only loses its beginning.
 * Every method throws what JetStream says when it does not answer.
 */
export class KeptUsage {
  constructor(private readonly connection: NatsConnection) {}

  /**
   * The number of the first message that was stored at `atMs` (epoch milliseconds) or later; null: there is
   * none.
   */
  async firstSince(atMs: number): Promise<number | null> {
    const { first_seq: first, last_seq: last } = await this.state();
    // An empty stream says 0, which is no number of a message.
    let from = Math.max(1, first);
    let to = last + 1;
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      const message = await this.find(middle);
      // One that left meanwhile was older than all that are there.
      if (!message || message.time.getTime() < atMs) from = middle + 1;
      else to = middle;
    }
    return from > last ? null : from;
  }

  /** Reads `count` messages from a number on. */
  async read(from: number, count: number): Promise<KeptPage> {
    const { last_seq: last } = await this.state();
    const numbers = Array.from({ length: Math.max(0, Math.min(count, last + 1 - from)) }, (_, index) => from + index);
    const found = await Promise.all(numbers.map((number) => this.find(number)));
    const read = found.flatMap((message) => (message ? [readUsageMessage(message.data)] : []));
    return {
      events: read.flatMap(({ events }) => events),
      problems: read.flatMap(({ problems }) => problems),
      next: from + count > last ? null : from + count,
    };
  }

  private async find(seq: number): Promise<StoredMsg | null> {
    const manager = await this.manager();
    return orNull(manager.streams.getMessage(usageStream.keptName, { seq }));
  }

  private async state() {
    const manager = await this.manager();
    return (await manager.streams.info(usageStream.keptName)).state;
  }

  private manager() {
    return this.connection.jetstreamManager({ checkAPI: false, timeout: 2_000 });
  }
}
