import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import { newInbox } from './new-inbox';

const everyMs = 5_000;

/**
 * Sees whether everything comes to this process twice, as when its client holds two connections at once: it says a number to itself, and counts how often that comes
 * back. Then the process is not ready, and connects anew. A number that does not come back at all says nothing.
 */
export class Echo {
  private said = 0;
  private heard = 0;
  private doubled = false;

  constructor(
    private readonly connection: NatsConnection,
    private readonly logger: Logger,
    private readonly intervalMs = everyMs,
  ) {
    this.watch().catch((error: unknown) => {
      // It ends with the connection.
      if (!connection.isClosed()) logger.warn({ err: error }, 'it is not seen any more whether messages come twice');
    });
  }

  get isDoubled(): boolean {
    return this.doubled;
  }

  private async watch(): Promise<void> {
    const subject = newInbox(this.connection);
    this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (!error && Number(message.string()) === this.said) this.heard++;
      },
    });
    while (!this.connection.isClosed()) {
      this.heard = 0;
      this.connection.publish(subject, String(++this.said));
      await sleep(this.intervalMs, undefined, { ref: false });
      this.doubled = this.heard > 1;
      if (this.doubled) await this.mend();
    }
  }

  private async mend(): Promise<void> {
    this.logger.error({ times: this.heard }, 'messages of NATS come more than once; connecting anew');
    if (!this.connection.isClosed()) await this.connection.reconnect();
  }
}
