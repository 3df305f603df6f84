import { usageStream } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { createLogger } from '@tollgate/observability';
import type { Logger } from '@tollgate/observability';
import { headers, nanos } from 'nats';
import type { Msg, NatsConnection } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import { PullInbox } from './pull-inbox';
import { readUsageMessage } from './usage-message';
import { ackWaitMs, ensureUsageStreams } from './usage-streams';

/** Making streams that are there changes nothing, and asks JetStream ten times. */
const makeAnewEveryMs = 1_000;

/**
 * `maxMessages` bounds a batch (a message holds up to 64 events); after a batch that was not full, messages
 * gather for `gatherMs`, so that few large batches are handled: each costs its statements, however small it
 * is. After a failure the consumer waits `retryMs`, doubled each time up to `maxRetryMs`. A handler that has
 * not come to an end after `handleMs` has failed. `copies`: of the streams, where they are made; null: as the
 * cluster is.
 */
export interface UsageConsumerOptions {
  maxMessages?: number;
  gatherMs?: number;
  retryMs?: number;
  maxRetryMs?: number;
  handleMs?: number;
  copies?: number | null;
  logger?: Logger;
}

/**
 * Handles the events of some messages as one. When it resolves they are stored for good; when it rejects, or
 * takes too long, they come again.
 */
export type UsageHandler = (events: UsageEvent[]) => Promise<void>;

/**
 * Thrown by a handler for events that it can never handle: their messages go to the dead letters instead of
 * coming again.
 */
export class UnusableEventsError extends Error {}

/**
 * Delivers usage events from JetStream, each at least once, in batches, one batch at a time. A message is
 * acknowledged after its handler resolved. What cannot be read goes to the dead letter subject, with the
 * reason in its header, and is then acknowledged. Survives restarts of nats-server.
 */
export class UsageConsumer {
  private readonly settings: Required<UsageConsumerOptions>;
  private inbox: PullInbox | null = null;
  private running: Promise<void> | null = null;
  private readonly stopped = new AbortController();
  private failures = 0;
  private isMaking = false;
  /** When the streams were made last, by this process's steady clock, milliseconds. */
  private madeAtMs = -Infinity;

  constructor(
    private readonly connection: NatsConnection,
    private readonly handler: UsageHandler,
    options: UsageConsumerOptions = {},
  ) {
    this.settings = {
      maxMessages: 256,
      gatherMs: 300,
      retryMs: 250,
      maxRetryMs: 10_000,
      handleMs: 60_000,
      copies: null,
      logger: createLogger('usage'),
      ...options,
    };
  }

  /** Makes the streams where they are missing and starts to deliver. */
  async start(): Promise<void> {
    await this.makeStreams();
    if (this.stopping) return;
    const { name: stream, consumer } = usageStream;
    this.inbox = new PullInbox(this.connection, {
      stream,
      consumer,
      maxBuffered: 2 * this.settings.maxMessages,
      expiresMs: 4_000,
      ackWaitMs,
      unserved: () => void this.makeAnew(),
    });
    this.running = this.run(this.inbox);
  }

  /** Finishes the batch at hand and stops. */
  async stop(): Promise<void> {
    this.stopped.abort();
    this.inbox?.close();
    await this.running;
  }

  private get stopping(): boolean {
    return this.stopped.signal.aborted;
  }

  private makeStreams(): Promise<void> {
    return ensureUsageStreams(this.connection, this.settings.logger, this.settings.copies);
  }

  /**
   * JetStream may have lost the streams with its store, or only have no leader for them now: then nothing is
   * made.
   */
  private async makeAnew(): Promise<void> {
    if (this.isMaking || this.stopping) return;
    this.isMaking = true;
    const restMs = this.madeAtMs + makeAnewEveryMs - performance.now();
    if (restMs > 0) await sleep(restMs, undefined, { ref: false });
    try {
      if (this.stopping) return;
      await this.makeStreams();
      this.inbox?.renew();
    } catch (error) {
      if (!this.connection.isClosed()) this.settings.logger.error({ err: error }, 'the streams of usage are not made');
    } finally {
      this.isMaking = false;
      this.madeAtMs = performance.now();
    }
  }

  private async run(inbox: PullInbox): Promise<void> {
    while (!this.stopping) {
      const messages = await inbox.take(this.settings.maxMessages);
      if (messages.length > 0) await this.deliver(messages);
      if (!this.stopping && messages.length < this.settings.maxMessages) await sleep(this.settings.gatherMs);
    }
  }

  private async deliver(messages: Msg[]): Promise<void> {
    try {
      await this.inTime(this.handle(messages));
      this.failures = 0;
    } catch (error) {
      const delayMs = Math.min(this.settings.retryMs * 2 ** this.failures++, this.settings.maxRetryMs);
      this.settings.logger.error({ err: error, messages: messages.length, delayMs }, 'usage events wait for a retry');
      const later = `-NAK ${JSON.stringify({ delay: nanos(delayMs) })}`;
      for (const message of messages) this.inbox?.answer(message, later);
      // Rejects where it is stopped meanwhile: there is nothing left to wait for.
      await sleep(delayMs, undefined, { signal: this.stopped.signal }).catch(() => undefined);
    }
  }

  /**
   * While a handler works its messages are nobody else's: one that never ends would keep them for as long as
   * this process lives. Should it end later, that does no harm.
   */
  private async inTime(handling: Promise<void>): Promise<void> {
    const { handleMs } = this.settings;
    const timer = new AbortController();
    const tooLate = sleep(handleMs, undefined, { signal: timer.signal, ref: false }).then(() => {
      throw new Error(`The handler of usage events did not come to an end within ${handleMs} ms.`);
    });
    await Promise.race([handling, tooLate]).finally(() => timer.abort());
  }

  private async handle(messages: Msg[]): Promise<void> {
    const read = messages.map((message) => ({ message, ...readUsageMessage(message.data) }));
    for (const { message, problems } of read) if (problems.length > 0) await this.bury(message, problems.join(' '));
    const events = read.flatMap((each) => each.events);
    try {
      if (events.length > 0) await this.handler(events);
    } catch (error) {
      if (!(error instanceof UnusableEventsError)) throw error;
      await this.isolate(messages, error);
      return;
    }
    for (const message of messages) this.inbox?.answer(message, '+ACK');
  }

  /** Finds the messages that cannot be handled by trying each alone. */
  private async isolate(messages: Msg[], error: UnusableEventsError): Promise<void> {
    const [first] = messages;
    if (first && messages.length === 1) {
      await this.bury(first, error.message);
      this.inbox?.answer(first, '+ACK');
      return;
    }
    for (const message of messages) await this.handle([message]);
  }

  private async bury(message: Msg, reason: string): Promise<void> {
    const header = headers();
    header.set('Tollgate-Reason', reason.replace(/[^\x20-\x7e]/g, '?').slice(0, 1_000));
    // The same id each time: should this be repeated, JetStream keeps one.
    header.set('Nats-Msg-Id', message.headers?.get('Nats-Msg-Id') || `${usageStream.name}-${sequenceOf(message)}`);
    await this.connection
      .jetstream({ timeout: 2_000 })
      .publish(usageStream.deadLetterSubject, message.data, { headers: header });
    this.settings.logger.error({ reason }, 'a usage message cannot be used; it is in the dead letters');
  }
}

/**
 * The message's place in its stream, from where its acknowledgement goes:
 * `$JS.ACK.<stream>.<consumer>.<delivered>.<place>…`, with two tokens more before the stream where there are
 * domains.
 */
function sequenceOf({ reply = '' }: Msg): string {
  const tokens = reply.split('.');
  return tokens[tokens.length > 9 ? 7 : 5] ?? '';
}
