import type { Logger } from '@tollgate/observability';
import { Events } from 'nats';
import type { NatsConnection } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import { newInbox } from './new-inbox';

const everyMs = 5_000;

/**
 * How often it connects anew in a row. Where that does not help, the cause is not this process's connection.
 */
const mostMends = 2;

/** So much less often it looks then. */
const backOff = 12;

/**
 * Sees whether everything comes to this process twice, as when its client holds two connections at once: it
 * says a number to itself, and counts how often that comes back. Then the process is not ready, and connects
 * anew, twice in a row at most: a fleet to which all comes twice is ready all the same. A number that does
 * not come back at all says nothing. Where NATS does not permit the process to say something to itself, it
 * says nothing more.
 */
export class Echo {
  private said = 0;
  private heard = 0;
  private doubled = false;
  /** How often it connected anew since a number came once. */
  private mends = 0;
  private isRefused = false;

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

  /** Everything comes twice, and connecting anew may still help. */
  get isDoubled(): boolean {
    return this.doubled;
  }

  private async watch(): Promise<void> {
    const subject = newInbox(this.connection);
    void this.hearRefusal(subject);
    this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (!error && Number(message.string()) === this.said) this.heard++;
      },
    });
    while (!this.connection.isClosed() && !this.isRefused) {
      this.heard = 0;
      this.connection.publish(subject, String(++this.said));
      const hasGivenUp = this.mends === mostMends && !this.doubled;
      await sleep(this.intervalMs * (hasGivenUp ? backOff : 1), undefined, { ref: false });
      if (this.heard > 1) await this.mend();
      else if (this.heard === 1) {
        this.doubled = false;
        this.mends = 0;
      }
    }
  }

  /** Its configuration may be older than this program. Whoever made the connection logs that. */
  private async hearRefusal(subject: string): Promise<void> {
    for await (const { type, permissionContext } of this.connection.status())
      if (type === Events.Error && permissionContext?.subject === subject) this.isRefused = true;
  }

  private async mend(): Promise<void> {
    const times = this.heard;
    if (this.mends < mostMends) {
      this.mends++;
      this.doubled = true;
      this.logger.error({ times }, 'messages of NATS come more than once; connecting anew');
      if (!this.connection.isClosed()) await this.connection.reconnect();
    } else if (this.doubled) {
      this.doubled = false;
      this.logger.error({ times }, 'messages of NATS still come more than once; connecting anew does not help');
    }
  }
}
