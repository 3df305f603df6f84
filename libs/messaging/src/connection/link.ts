import { Events } from 'nats';
import type { NatsConnection } from 'nats';

/** What to do when the connection to NATS is lost and when it is back. Neither may throw. */
export interface LinkObserver {
  lost(): void;
  restored(): void;
}

/**
 * Knows whether a connection stands now. What is published while it does not stand is thrown away by the
 * client library, and what was published shortly before may never have arrived.
 */
export class Link {
  private up = true;

  constructor(
    private readonly connection: NatsConnection,
    observer: LinkObserver,
  ) {
    void this.watch(observer);
  }

  get isUp(): boolean {
    return this.up && !this.connection.isClosed();
  }

  private async watch(observer: LinkObserver): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === Events.Disconnect && this.up) {
        this.up = false;
        observer.lost();
      } else if (type === Events.Reconnect && !this.up) {
        this.up = true;
        observer.restored();
      }
    }
    if (this.up) {
      this.up = false;
      observer.lost();
    }
  }
}
