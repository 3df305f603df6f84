import { usageStream, uuidv7 } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { createLogger } from '@tollgate/observability';
import type { Logger } from '@tollgate/observability';
import { ErrorCode, headers, NatsError } from 'nats';
import type { Msg, NatsConnection, Subscription } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Link } from '../connection/link';
import { newInbox } from '../connection/new-inbox';
import { TransientMap } from '../memory/transient';
import { StoredLately, type Place, takeBatch, type UsageBatch, type WaitingEvent } from './stored-lately';
import type { UsageNotes } from './journal/usage-journal';
import { createEventStream, eventStreamNow } from './usage-streams';

/**
 * `maxEventsPerMessage` and `maxUnackedMessages` bound what is under way; `gatherMs`: how long events gather
 * at most while others are being stored; `resendAfterMs`: when a message without acknowledgement is sent
 * again.
 * `maxPending`: above this many unacknowledged events `hasRoom` is false; above twice as many an event is not
 * kept but logged.
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

/** How long a new leader of the stream has to know its last place, milliseconds. */
const leaderMs = 1_000;

/**
 * What JetStream answers. A message that it had no room for has the sequence 0 and an error, never a sequence
 * alone.
 */
const publishAck = z.object({
  seq: z.number().default(0),
  duplicate: z.boolean().default(false),
  error: z.object({ description: z.string() }).optional(),
});

/**
 * Stores usage events in JetStream, which waits for the disk with every message. Events of one turn of the
 * event loop leave together; while others are being stored they gather until those are, or `gatherMs` have
 * passed. Each is kept and sent again until JetStream acknowledged it, through losses of the connection too.
 * Sending twice does no harm: JetStream drops a second copy of a message, and metering a second copy of an
 * event. What was acknowledged in the last minutes is sent again, too, where JetStream turns out to have lost
 * it with its store: it is asked about its stream after each loss of the connection.
 */
export class UsagePublisher {
  /**
   * Called where events were sent by themselves, and who waits for that was told: what those send now leaves
   * in the same write.
   */
  onTold: () => void = () => undefined;
  private readonly waiting: WaitingEvent[] = [];
  /** Who waits to hear that what is waiting was sent. */
  private untold: (() => void)[] = [];
  private gathering: NodeJS.Timeout | null = null;
  private readonly unacked = new TransientMap<number, UsageBatch>();
  private readonly stored = new StoredLately();
  /** What JetStream lost, and gets again. */
  private lost: UsageBatch[] = [];
  private readonly inbox: string;
  private readonly subscription: Subscription;
  private readonly link: Link;
  private readonly timer: NodeJS.Timeout;
  private readonly settings: Required<UsagePublisherOptions>;
  private readonly idle: (() => void)[] = [];
  private unackedEvents = 0;
  private nextNumber = 1;
  /**
   * Counts how often the stream may have become another one. What acknowledges a message that was sent before
   * that may be of a former stream.
   */
  private turn = 0;
  private scheduled = false;
  private repairing = false;
  /** The stream may be another one since it was looked at. */
  private isUnseen = true;
  private looking = false;
  /** False: NATS does not permit to look at the stream on this connection. */
  private mayLook = true;

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
    this.link = new Link(connection, { lost: () => this.send(), restored: () => this.restored() });
    this.subscription = connection.subscribe(`${this.inbox}.*`, {
      callback: (error, message) => {
        if (!error) this.acknowledged(message);
      },
    });
    this.timer = setInterval(() => {
      this.resend(this.settings.resendAfterMs);
      // What is pending may show that the stream has lost what is held.
      if (this.link.isUp && this.pending === 0) this.stored.trim(performance.now());
    }, this.settings.resendAfterMs / 4);
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
   * Stores an event, sooner or later. Never throws. An event beyond twice `maxPending` is not kept: it is
   * written to the log in full, as an error.
   * `onSent`, which must not throw, is called once the event was sent: what is then published on the same
   * connection comes after it. While events cannot be sent it is called too, within `gatherMs`.
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
    setImmediate(() => this.byItself(() => this.sendUnlessStoring()));
  }

  /** Sends what is waiting, unless it may gather because other events are being stored. */
  sendUnlessStoring(): void {
    this.scheduled = false;
    if (this.unacked.size === 0 || this.waiting.length >= this.settings.maxEventsPerMessage) this.send();
    else if (this.waiting.length > 0)
      this.gathering ??= setTimeout(() => this.byItself(() => this.send()), this.settings.gatherMs);
  }

  /** Sends what is waiting now. */
  send(): void {
    if (this.gathering) clearTimeout(this.gathering);
    this.gathering = null;
    while (this.maySend) {
      const again = this.lost.shift();
      if (again) {
        this.sendFirst(again);
        continue;
      }
      if (this.waiting.length === 0) break;
      const maxBytes = (this.connection.info?.max_payload ?? 1_048_576) - 1_024;
      const { body, eventIds } = takeBatch(this.waiting, { maxEvents: this.settings.maxEventsPerMessage, maxBytes });
      this.unackedEvents += eventIds.length;
      this.sendFirst({ number: 0, id: uuidv7(), body, eventIds, sentAt: null, after: 0 });
    }
    const told = this.untold;
    this.untold = [];
    for (const onSent of told) onSent();
  }

  /**
   * Resolves when everything published so far is stored; true at once when nothing is pending, false when
   * that took longer than `timeoutMs`.
   */
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

  private get maySend(): boolean {
    return this.link.isUp && this.unacked.size < this.settings.maxUnackedMessages;
  }

  /** Sends outside of anybody's flush. */
  private byItself(send: () => void): void {
    const waited = this.untold.length;
    send();
    if (this.untold.length < waited) this.onTold();
  }

  private sendFirst(batch: UsageBatch): void {
    batch.number = this.nextNumber++;
    batch.after = this.stored.last;
    this.unacked.set(batch.number, batch);
    this.sendBatch(batch);
  }

  private sendBatch(batch: UsageBatch): void {
    batch.sentAt = performance.now();
    const header = headers();
    header.set('Nats-Msg-Id', batch.id);
    try {
      this.connection.publish(usageStream.subject, batch.body, {
        headers: header,
        reply: `${this.inbox}.${this.turn}-${batch.number}`,
      });
    } catch (error) {
      this.settings.logger.error(
        { err: error, events: batch.eventIds.length },
        'usage events could not be sent; they are kept',
      );
    }
  }

  private acknowledged(message: Msg): void {
    const [turn, number] = message.subject
      .slice(this.inbox.length + 1)
      .split('-', 2)
      .map(Number);
    const batch = this.unacked.get(number ?? 0);
    // One of a former turn is sent again, and acknowledged as a second copy where nothing was lost.
    if (!batch || turn !== this.turn) return;
    const place = placeOf(message);
    if (typeof place === 'string') {
      this.repair(place);
      return;
    }
    this.unacked.delete(batch.number);
    this.unackedEvents -= batch.eventIds.length;
    for (const id of batch.eventIds) this.settings.journal?.stored(id);
    this.takeUp(this.stored.note(batch, place, performance.now()));
    if (this.lost.length > 0) this.send();
    else if (this.waiting.length > 0) this.byItself(() => this.sendUnlessStoring());
    if (this.pending === 0) for (const resolve of this.idle.splice(0)) resolve();
  }

  /** JetStream has lost these since it acknowledged them. */
  private takeUp(lost: UsageBatch[]): void {
    if (lost.length === 0) return;
    this.turn++;
    // Those under way are measured by the new stream.
    for (const batch of this.unacked.values()) batch.after = 0;
    const { journal, logger } = this.settings;
    for (const { body, eventIds } of lost) {
      this.unackedEvents += eventIds.length;
      if (journal) for (const [id, json] of eventsIn(body)) journal.note(id, json);
    }
    this.lost.push(...lost);
    logger.error(
      { messages: lost.length },
      'JetStream lost usage that it had stored; what is still held is sent again',
    );
  }

  private restored(): void {
    this.isUnseen = true;
    this.mayLook = true;
    this.turn++;
    this.resend(0);
  }

  /**
   * Sees whether the stream is still that which acknowledged what is held. Where JetStream does not say, it
   * is asked again; where NATS does not permit the question, at the next connection.
   */
  private async look(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    this.isUnseen = false;
    const { last } = this.stored;
    try {
      let sight = await eventStreamNow(this.connection);
      if (sight.last < last) {
        // A leader that was chosen just now may not have looked through all that it has.
        await sleep(leaderMs, undefined, { ref: false });
        sight = await eventStreamNow(this.connection);
      }
      this.takeUp(this.stored.see(sight, last));
      this.send();
    } catch (error) {
      this.isUnseen = true;
      this.mayLook = !isForbidden(error);
    } finally {
      this.looking = false;
    }
  }

  /** Sends messages again that have waited at least `afterMs` for their acknowledgement. */
  private resend(afterMs: number): void {
    if (!this.link.isUp) return;
    if (this.mayLook && (this.isUnseen || this.stored.isInUnknown)) void this.look();
    const now = performance.now();
    for (const batch of this.unacked.values()) {
      if (batch.sentAt === null || now - batch.sentAt >= afterMs) this.sendBatch(batch);
    }
    this.send();
  }

  /**
   * Nobody stored it: the disk may be full, or the stream missing (a new store). Its making is tried once at
   * a time; the message is sent again in its turn.
   */
  private repair(reason: string): void {
    if (this.repairing) return;
    this.repairing = true;
    this.turn++;
    this.settings.logger.warn(
      { reason, events: this.pending },
      'usage events were not stored; they are kept and sent again',
    );
    createEventStream(this.connection)
      .then(() => (this.isUnseen = true))
      .catch((error: unknown) => this.settings.logger.warn({ err: error }, 'JetStream does not store usage events now'))
      .finally(() => (this.repairing = false));
  }
}

const permissionsViolation: string = ErrorCode.PermissionsViolation;

/** The users of this NATS may be older than this program. */
function isForbidden(error: unknown): boolean {
  return error instanceof NatsError && error.code === permissionsViolation;
}

/** Where a message was stored, or why it was not. */
function placeOf(message: Msg): Place | string {
  try {
    const { error, ...place } = publishAck.parse(message.json());
    if (error) return error.description;
    return place.seq > 0 ? place : 'JetStream told no sequence';
  } catch {
    return 'JetStream does not answer for the stream';
  }
}

/** The events of a message, each with its id. */
function eventsIn(body: Buffer): [id: string, json: string][] {
  const events = z.array(z.looseObject({ id: z.string() })).parse(JSON.parse(body.toString()));
  return events.map((event) => [event.id, JSON.stringify(event)]);
}
