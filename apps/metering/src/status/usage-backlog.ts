import { ControlError } from '@tollgate/contracts';
import { usageBacklog } from '@tollgate/messaging';
import type { NatsConnection } from 'nats';

/** How many messages of usage wait in JetStream. */
export class UsageBacklog {
  constructor(private readonly connection: NatsConnection) {}

  /** @throws ControlError `unavailable` when JetStream does not answer. */
  async read(): Promise<{ messages: number; deadLetters: number }> {
    try {
      return await usageBacklog(this.connection);
    } catch {
      throw new ControlError('unavailable', 'JetStream does not say how much usage is waiting; try again in a moment.');
    }
  }
}
