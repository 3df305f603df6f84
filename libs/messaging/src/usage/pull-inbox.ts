import { nanos } from 'nats';
import type { Msg, NatsConnection, Subscription } from 'nats';
import { Link } from '../connection/link';
import { newInbox } from '../connection/new-inbox';

/** Where to pull from, how many messages may lie here unread, and after which silence about a message the server gives it to another (milliseconds). `unserved` hears, perhaps often, that there is no such consumer now; it must not throw. */
export interface PullOptions {
  stream: string;
  consumer: string;
  maxBuffered: number;
  expiresMs: number;
  ackWaitMs: number;
  unserved: () => void;
}

/**
 * Pulls messages of a durable JetStream consumer into a bounded buffer. One request is open at a time; it is renewed when it is used up, when it expires,
 * when the connection is back, and when the server kept silent for longer than it may. While this process lives it says of every message that is not
 * answered yet that work goes on, so that the wait for an acknowledgement can be short: what a killed process held is with another one soon.
 * @see https://docs.nats.io/reference/reference-protocols/nats_api_reference#fetching-from-a-pull-consumer
 */
export class PullInbox {
  private readonly buffer: Msg[] = [];
  private readonly inbox: string;
  private readonly subscription: Subscription;
  private readonly link: Link;
  private readonly watch: NodeJS.Timeout;
  private readonly signsOfLife: NodeJS.Timeout;
  /** Messages that are not answered yet. */
  private readonly held = new Set<Msg>();
  /** Those of them that the next sign of life is about: they were here at the last one. */
  private readonly heldForLong = new Set<Msg>();
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
    this.signsOfLife = setInterval(() => this.showLife(), options.ackWaitMs / 4);
    // The connection keeps the process alive, not these.
    for (const timer of [this.watch, this.signsOfLife]) timer.unref();
    this.pull();
  }

  /** The messages that are here, as soon as there is one; none when the inbox is closed. At most `max`. */
  async take(max: number): Promise<Msg[]> {
    while (this.buffer.length === 0 && !this.closed) await new Promise<void>((resolve) => (this.wake = resolve));
    const messages = this.buffer.splice(0, max);
    this.pull();
    return messages;
  }

  /** Says what became of a message that was taken: `+ACK`, or `-NAK` with or without a delay. */
  answer(message: Msg, text: string): void {
    this.held.delete(message);
    this.heldForLong.delete(message);
    message.respond(text);
    if (this.closed) this.endWhenAnswered();
  }

  /** Stops. Messages that nobody took are delivered again, to whoever pulls, at once; those that were taken are still to be answered. */
  close(): void {
    this.closed = true;
    clearInterval(this.watch);
    this.subscription.unsubscribe();
    for (const message of this.buffer.splice(0)) this.answer(message, '-NAK');
    this.endWhenAnswered();
    this.wake?.();
  }

  private endWhenAnswered(): void {
    if (this.held.size === 0 && this.heldForLong.size === 0) clearInterval(this.signsOfLife);
  }

  private showLife(): void {
    for (const message of this.heldForLong) message.respond('+WPI');
    for (const message of this.held) this.heldForLong.add(message);
    this.held.clear();
  }

  private receive(message: Msg): void {
    if (!message.reply) {
      // A status, not a message: the request expired, or nobody serves it now. The watch asks again in the latter case.
      if (message.headers?.code === 408) this.renew();
      else if (message.headers?.code === 503) this.options.unserved();
      return;
    }
    this.requested = Math.max(0, this.requested - 1);
    this.buffer.push(message);
    this.held.add(message);
    this.pull();
    this.wake?.();
    this.wake = null;
  }

  private renewWhenSilent(): void {
    if (performance.now() - this.requestedAt > this.options.expiresMs * 1.25) this.renew();
  }

  /** Asks anew. */
  renew(): void {
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
