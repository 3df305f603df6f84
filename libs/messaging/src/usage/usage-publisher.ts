import { usageStream, uuidv7 } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { createLogger } from '@tollgate/observability';
import type { Logger } from '@tollgate/observability';
import { headers } from 'nats';
import type { Msg, NatsConnection, Subscription } from 'nats';
import { z } from 'zod';
import { Link } from '../connection/link';
import { newInbox } from '../connection/new-inbox';
import { takeBatch } from './usage-batches';
import type { UsageBatch, WaitingEvent } from './usage-batches';
import type { UsageNotes } from './journal/usage-journal';
import { createEventStream } from './usage-streams';

/**
 * `maxEventsPerMessage` and `maxUnackedMessages` bound what is under way; `gatherMs`: how long events gather at most while others are being stored; `resendAfterMs`: when a message without acknowledgement is sent again.
 * `maxPending`: above this many unacknowledged events `hasRoom` is false; above twice as many an event is not kept but logged.
 * `journal`: where unacknowledged events are noted, so that they outlive this process; null: nowhere.
 */
export interface UsagePublisherOptions {
  maxEventsPerMessage?: number;
  maxUnackedMessages?: number;
  gatherMs?: number;
  resendAfterMs?: number;
  maxPending?: number;
  journal?: UsageNotes | null;
  logger?: Logger;
}

/** What JetStream answers. A message that it had no room for has the sequence 0 and an error, never a sequence alone. */
const publishAck = z.object({ seq: z.number().default(0), error: z.object({ description: z.string() }).optional() });

/**
 * Stores usage events in JetStream, which waits for the disk with every message. Events of one turn of the event loop leave together; while others are being stored they
 * gather until those are, or `gatherMs` have passed. Each is kept and sent again until JetStream acknowledged it, through losses of the connection too. Sending twice does no harm: JetStream drops a
 * second copy of a message, and metering a second copy of an event.
 */
export class UsagePublisher {
  private readonly waiting: WaitingEvent[] = [];
  /** Who waits to hear that what is waiting was sent. */
  private untold: (() => void)[] = [];
  private gathering: NodeJS.Timeout | null = null;
  private readonly unacked = new Map<number, UsageBatch>();
  private readonly inbox: string;
  private readonly subscription: Subscription;
  private readonly link: Link;
  private readonly timer: NodeJS.Timeout;
  private readonly settings: Required<UsagePublisherOptions>;
  private readonly idle: (() => void)[] = [];
  private unackedEvents = 0;
  private nextNumber = 1;
  private scheduled = false;
  private repairing = false;

  constructor(
    private readonly connection: NatsConnection,
    options: UsagePublisherOptions = {},
  ) {
    this.settings = {
      maxEventsPerMessage: 64,
      maxUnackedMessages: 64,
      gatherMs: 2,
      resendAfterMs: 2_000,
      maxPending: 100_000,
      journal: null,
      logger: createLogger('usage'),
      ...options,
    };
    this.inbox = newInbox(connection);
    this.link = new Link(connection, { lost: () => this.send(), restored: () => this.resend(0) });
    this.subscription = connection.subscribe(`${this.inbox}.*`, {
      callback: (error, message) => {
        if (!error) this.acknowledged(message);
      },
    });
    this.timer = setInterval(() => this.resend(this.settings.resendAfterMs), this.settings.resendAfterMs / 4);
    this.timer.unref();
  }

  /** Events that are not yet stored. */
  get pending(): number {
    return this.waiting.length + this.unackedEvents;
  }

  /** False when so much is unstored that no new work should be taken on: its usage might not be kept. */
  get hasRoom(): boolean {
    return this.pending < this.settings.maxPending;
  }

  /**
   * Stores an event, sooner or later. Never throws. An event beyond twice `maxPending` is not kept: it is written to the log in full, as an error.
   * `onSent`, which must not throw, is called once the event was sent: what is then published on the same connection comes after it. While events cannot be sent it is called too, within `gatherMs`.
   */
  publish(event: UsageEvent, onSent: () => void = () => undefined): void {
    if (this.pending >= 2 * this.settings.maxPending) {
      this.settings.logger.error({ event }, 'too many unstored usage events: this one is only in this log');
      this.settings.journal?.forget(event.id);
      onSent();
      return;
    }
    const json = JSON.stringify(event);
    this.settings.journal?.note(event.id, json);
    this.waiting.push({ id: event.id, json });
    this.untold.push(onSent);
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.sendUnlessStoring());
  }

  /** Sends what is waiting, unless it may gather because other events are being stored. */
  sendUnlessStoring(): void {
    this.scheduled = false;
    if (this.unacked.size === 0 || this.waiting.length >= this.settings.maxEventsPerMessage) this.send();
    else if (this.waiting.length > 0) this.gathering ??= setTimeout(() => this.send(), this.settings.gatherMs);
  }

  /** Sends what is waiting now. */
  send(): void {
    if (this.gathering) clearTimeout(this.gathering);
    this.gathering = null;
    while (this.waiting.length > 0 && this.link.isUp && this.unacked.size < this.settings.maxUnackedMessages) {
      const maxBytes = (this.connection.info?.max_payload ?? 1_048_576) - 1_024;
      const { body, eventIds } = takeBatch(this.waiting, { maxEvents: this.settings.maxEventsPerMessage, maxBytes });
      const batch = { number: this.nextNumber++, id: uuidv7(), body, eventIds, sentAt: null };
      this.unacked.set(batch.number, batch);
      this.unackedEvents += eventIds.length;
      this.sendBatch(batch);
    }
    const told = this.untold;
    this.untold = [];
    for (const onSent of told) onSent();
  }

  /** Resolves when everything published so far is stored; true at once when nothing is pending, false when that took longer than `timeoutMs`. */
  async flush(timeoutMs: number): Promise<boolean> {
    this.send();
    if (this.pending === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      new Promise<void>((resolve) => this.idle.push(resolve)),
      new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs))),
    ]);
    clearTimeout(timer);
    return this.pending === 0;
  }

  /** Stops sending. What is not stored by then is lost, so flush first. */
  close(): void {
    clearInterval(this.timer);
    if (this.gathering) clearTimeout(this.gathering);
    this.subscription.unsubscribe();
  }

  private sendBatch(batch: UsageBatch): void {
    batch.sentAt = performance.now();
    const header = headers();
    header.set('Nats-Msg-Id', batch.id);
    try {
      this.connection.publish(usageStream.subject, batch.body, {
        headers: header,
        reply: `${this.inbox}.${batch.number}`,
      });
    } catch (error) {
      this.settings.logger.error(
        { err: error, events: batch.eventIds.length },
        'usage events could not be sent; they are kept',
      );
    }
  }

  private acknowledged(message: Msg): void {
    const batch = this.unacked.get(Number(message.subject.slice(this.inbox.length + 1)));
    if (!batch) return;
    const refusal = refusalOf(message);
    if (refusal !== null) {
      this.repair(refusal);
      return;
    }
    this.unacked.delete(batch.number);
    this.unackedEvents -= batch.eventIds.length;
    for (const id of batch.eventIds) this.settings.journal?.forget(id);
    if (this.waiting.length > 0) this.sendUnlessStoring();
    if (this.pending === 0) for (const resolve of this.idle.splice(0)) resolve();
  }

  /** Sends messages again that have waited at least `afterMs` for their acknowledgement. */
  private resend(afterMs: number): void {
    if (!this.link.isUp) return;
    const now = performance.now();
    for (const batch of this.unacked.values()) {
      if (batch.sentAt === null || now - batch.sentAt >= afterMs) this.sendBatch(batch);
    }
    this.send();
  }

  /** Nobody stored it: the disk may be full, or the stream missing (a new store). Its making is tried once at a time; the message is sent again in its turn. */
  private repair(reason: string): void {
    if (this.repairing) return;
    this.repairing = true;
    this.settings.logger.warn(
      { reason, events: this.pending },
      'usage events were not stored; they are kept and sent again',
    );
    createEventStream(this.connection)
      .catch((error: unknown) => this.settings.logger.warn({ err: error }, 'JetStream does not store usage events now'))
      .finally(() => (this.repairing = false));
  }
}

/** Why a message was not stored; null: it was. */
function refusalOf(message: Msg): string | null {
  try {
    const { seq, error } = publishAck.parse(message.json());
    if (error) return error.description;
    return seq > 0 ? null : 'JetStream told no sequence';
  } catch {
    return 'JetStream does not answer for the stream';
  }
}
