import { nanos } from 'nats';
import type { Msg, NatsConnection, Subscription } from 'nats';
import { Link } from '../connection/link';
import { newInbox } from '../connection/new-inbox';

/** Where to pull from, and how many messages may lie here unread. */
export interface PullOptions {
  stream: string;
  consumer: string;
  maxBuffered: number;
  expiresMs: number;
}

/**
 * Pulls messages of a durable JetStream consumer into a bounded buffer. One request is open at a time; it is renewed when it is used up, when it expires,
 * when the connection is back, and when the server kept silent for longer than it may.
 * @see https://docs.nats.io/reference/reference-protocols/nats_api_reference#fetching-from-a-pull-consumer
 */
export class PullInbox {
  private readonly buffer: Msg[] = [];
  private readonly inbox: string;
  private readonly subscription: Subscription;
  private readonly link: Link;
  private readonly watch: NodeJS.Timeout;
  private requested = 0;
  private requestedAt = 0;
  private wake: (() => void) | null = null;
  private closed = false;

  constructor(
    private readonly connection: NatsConnection,
    private readonly options: PullOptions,
  ) {
    this.inbox = newInbox(connection);
    this.link = new Link(connection, { lost: () => undefined, restored: () => this.renew() });
    this.subscription = connection.subscribe(this.inbox, {
      callback: (error, message) => {
        if (!error) this.receive(message);
      },
    });
    this.watch = setInterval(() => this.renewWhenSilent(), options.expiresMs / 4);
    this.pull();
  }

  /** The messages that are here, as soon as there is one; none when the inbox is closed. At most `max`. */
  async take(max: number): Promise<Msg[]> {
    while (this.buffer.length === 0 && !this.closed) await new Promise<void>((resolve) => (this.wake = resolve));
    const messages = this.buffer.splice(0, max);
    this.pull();
    return messages;
  }

  /** Stops. Messages that nobody took are delivered again, to whoever pulls, after the consumer's wait for an acknowledgement. */
  close(): void {
    this.closed = true;
    clearInterval(this.watch);
    this.subscription.unsubscribe();
    this.wake?.();
  }

  private receive(message: Msg): void {
    if (!message.reply) {
      // A status, not a message: the request expired, or nobody serves it now. The watch asks again in the latter case.
      if (message.headers?.code === 408) this.renew();
      return;
    }
    this.requested = Math.max(0, this.requested - 1);
    this.buffer.push(message);
    this.pull();
    this.wake?.();
    this.wake = null;
  }

  private renewWhenSilent(): void {
    if (performance.now() - this.requestedAt > this.options.expiresMs * 1.25) this.renew();
  }

  private renew(): void {
    this.requested = 0;
    this.pull();
  }

  private pull(): void {
    const batch = this.options.maxBuffered - this.buffer.length;
    if (this.closed || this.requested > 0 || batch < this.options.maxBuffered / 2 || !this.link.isUp) return;
    this.requested = batch;
    this.requestedAt = performance.now();
    const { stream, consumer, expiresMs } = this.options;
    const request = JSON.stringify({ batch, expires: nanos(expiresMs) });
    this.connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, request, { reply: this.inbox });
  }
}
