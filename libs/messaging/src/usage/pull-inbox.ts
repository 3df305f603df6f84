import { nanos } from 'nats';
import type { Msg, NatsConnection, Subscription } from 'nats';
import { Link } from '../connection/link';
import { newInbox } from '../connection/new-inbox';
import { TransientSet } from '../memory/transient';

/**
 * Where to pull from, how many messages may lie here unread, and after which silence about a message the
 * server gives it to another (milliseconds). `unserved` hears, perhaps often, that there is no such consumer
 * now; it must not throw.
 */
export interface PullOptions {
  stream: string;
  consumer: string;
  maxBuffered: number;
  expiresMs: number;
  ackWaitMs: number;
  unserved: () => void;
}

/**
 * The status of a request that expired, or that brought all that there were. Any other but the next one says
 * that it is over for another reason (the consumer is gone, or has another leader):
 * https://github.com/nats-io/nats-architecture-and-design/blob/main/adr/ADR-13.md
 */
const expired = 408;
/** Nobody serves such requests: https://docs.nats.io/nats-concepts/core-nats/reqreply#no-responders */
const unserved = 503;

/**
 * A message's first sign of life comes within two of these parts of the wait: a process may stand still for
 * the other three.
 */
const signsPerWait = 5;

/** How often it is looked whether a request is open, milliseconds. */
const watchMs = 1_000;

/**
 * Pulls messages of a durable JetStream consumer into a bounded buffer, when somebody wants some. A request
 * waits for a message, brings all that there are, and is over: no message wakes this process while nobody
 * would take it. One request is open at a time; it is made anew when it expires, when the connection is back,
 * and when the server kept silent for longer than it may. One that was given up may still be open: what it
 * brings is taken, and its end renews nothing. While this process lives it says of every message that is not
 * answered yet that work goes on, so that the wait for an acknowledgement can be short: what a killed process
 * held is with another one soon.
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
  private readonly held = new TransientSet<Msg>();
  /** Those of them that the next sign of life is about: they were here at the last one. */
  private readonly heldForLong = new Set<Msg>();
  /** How many messages the newest request may still bring; 0: none is open. */
  private requested = 0;
  private requestedAt = 0;
  private requests = 0;
  /** Of whoever waits for messages. */
  private wake: (() => void) | null = null;
  /** No more is to come of what the buffer holds a part of. */
  private isWhole = false;
  private closed = false;

  constructor(
    private readonly connection: NatsConnection,
    private readonly options: PullOptions,
  ) {
    this.inbox = newInbox(connection);
    this.link = new Link(connection, { lost: () => this.awaken(), restored: () => this.renew() });
    this.subscription = connection.subscribe(`${this.inbox}.*`, {
      callback: (error, message) => {
        if (!error) this.receive(message);
      },
    });
    this.watch = setInterval(() => this.look(), watchMs);
    this.signsOfLife = setInterval(() => this.showLife(), options.ackWaitMs / signsPerWait);
    // The connection keeps the process alive, not these.
    for (const timer of [this.watch, this.signsOfLife]) timer.unref();
  }

  /** All messages that there are, as soon as there is one; none when the inbox is closed. At most `max`. */
  async take(max: number): Promise<Msg[]> {
    while (!this.closed && !this.hasEnough(max)) {
      this.pull();
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    const messages = this.buffer.splice(0, max);
    this.isWhole &&= this.buffer.length > 0;
    // There are probably more: they come while these are handled.
    if (messages.length === max) this.pull();
    return messages;
  }

  /** Says what became of a message that was taken: `+ACK`, or `-NAK` with or without a delay. */
  answer(message: Msg, text: string): void {
    this.held.delete(message);
    this.heldForLong.delete(message);
    message.respond(text);
    if (this.closed) this.endWhenAnswered();
  }

  /**
   * Stops. Messages that nobody took are delivered again, to whoever pulls, at once; those that were taken
   * are still to be answered.
   */
  close(): void {
    this.closed = true;
    clearInterval(this.watch);
    this.subscription.unsubscribe();
    for (const message of this.buffer.splice(0)) this.answer(message, '-NAK');
    this.endWhenAnswered();
    this.awaken();
  }

  private hasEnough(max: number): boolean {
    if (this.buffer.length >= max) return true;
    return this.buffer.length > 0 && (this.isWhole || this.requested === 0 || !this.link.isUp);
  }

  private awaken(): void {
    this.wake?.();
    this.wake = null;
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
      this.ended(message.headers?.code, message.subject === this.newest);
      return;
    }
    this.requested = Math.max(0, this.requested - 1);
    this.buffer.push(message);
    this.held.add(message);
    this.awaken();
  }

  /**
   * A request came to an end. The newest is made anew by whoever waits where it expired; where it is over for
   * a reason, or sooner than it may (others wait for the same messages), in the next turn of the watch: the
   * reason may last.
   */
  private ended(status: number | undefined, isNewest: boolean): void {
    if (status === unserved) {
      if (isNewest) this.options.unserved();
      return;
    }
    this.isWhole = this.buffer.length > 0;
    const ageMs = performance.now() - this.requestedAt;
    if (isNewest) this.requested = 0;
    if (this.isWhole || (isNewest && status === expired && ageMs > this.options.expiresMs / 2)) this.awaken();
  }

  /** What is here waits no longer for the end of a request, and a silent one is made anew. */
  private look(): void {
    if (this.buffer.length > 0) this.isWhole = true;
    if (this.isWhole) this.awaken();
    if (this.requested === 0 || performance.now() - this.requestedAt > this.options.expiresMs * 1.25) this.renew();
  }

  /** Asks anew, where somebody waits. */
  renew(): void {
    this.requested = 0;
    if (this.wake) this.pull();
  }

  private pull(): void {
    const batch = this.options.maxBuffered - this.buffer.length;
    if (this.closed || this.requested > 0 || batch < this.options.maxBuffered / 2 || !this.link.isUp) return;
    this.requested = batch;
    this.requestedAt = performance.now();
    const { stream, consumer, expiresMs } = this.options;
    // With both, a request waits for a message and is over when there are no more:
    // https://github.com/nats-io/nats-server/blob/v2.10.27/server/consumer.go (processNextMsgRequest)
    const request = JSON.stringify({ batch, expires: nanos(expiresMs), no_wait: true });
    this.requests++;
    this.connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, request, { reply: this.newest });
  }

  /** Where the newest request is answered. */
  private get newest(): string {
    return `${this.inbox}.${this.requests}`;
  }
}
