import { ControlError } from '@tollgate/contracts';
import { usageBacklog } from '@tollgate/messaging';
import type { StreamState } from '@tollgate/messaging';
import type { NatsConnection } from 'nats';

/** How many messages of usage wait in JetStream, and in how many copies. `copies`: how many were asked for; null: as the cluster is. */
export class UsageBacklog {
  constructor(
    private readonly connection: NatsConnection,
    private readonly copies: number | null,
  ) {}

  /** @throws ControlError `unavailable` when JetStream does not answer. */
  async read(): Promise<StreamState> {
    try {
      return await usageBacklog(this.connection, this.copies);
    } catch {
      throw new ControlError('unavailable', 'JetStream does not say how much usage is waiting; try again in a moment.');
    }
  }
}
