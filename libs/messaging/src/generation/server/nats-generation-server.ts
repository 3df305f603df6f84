import type { UsageEvent } from '@tollgate/contracts';
import { generationSubjects } from '@tollgate/contracts/inference';
import type { GenerationRequest } from '@tollgate/contracts/inference';
import { createLogger } from '@tollgate/observability';
import type { Logger } from '@tollgate/observability';
import type { Msg, NatsConnection, Subscription } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import { Link } from '../../connection/link';
import type { UsageNotes } from '../../usage/journal/usage-journal';
import { sealerFor } from '../../sealing';
import { dropPiece } from '../../memory/large-buffers';
import type { Owner } from '../../memory/turns-by-owner';
import { UsagePublisher } from '../../usage/usage-publisher';
import { decodeMessage, frameTypes } from '../frame';
import { toPayload } from '../frame-json';
import type { Settlement } from '../settlement';
import { FramePost } from '../frame-post';
import { GenerationServer } from '../generation-stream';
import type { GenerationHandler, PlaceKeeper } from '../generation-stream';
import { defaultHopSettings, newPeerId, tickMs } from '../hop-settings';
import type { HopSettings } from '../hop-settings';
import { decodeEnvelope } from '../request-envelope';
import type { RequestEnvelope } from '../request-envelope';
import { Ticker } from '../ticker';
import { CallRegistry } from './call-registry';
import { HeldUsage } from './held-usage';
import { requestIn } from './arrivals';
import { ReplayBudget } from './sent-frames';
import type { ServerCall, ServerCallHost } from './server-call';

/**
 * Any of the hop's settings; an id for this instance (a new one by default); what stores usage (one of its
 * own on the same connection by default); where usage is noted before it is stored (null: nowhere), which
 * should be where the publisher notes it too.
 */
export interface NatsGenerationServerOptions extends Partial<HopSettings> {
  instanceId?: string;
  usage?: UsagePublisher;
  journal?: UsageNotes | null;
  logger?: Logger;
}

/** How long calls have to end after a drain ran out of time and aborted them, milliseconds. */
const abortGraceMs = 2_000;

/** Every key has a place as long as there is one at all. */
const noKeeper: PlaceKeeper = { enter: () => null, leave: () => undefined };

/** Inference's side of the hop over NATS. */
export class NatsGenerationServer extends GenerationServer implements ServerCallHost {
  readonly instanceId: string;
  readonly usage: UsagePublisher;
  readonly settings: HopSettings;
  readonly logger: Logger;
  readonly post: FramePost;
  readonly ticker: Ticker;
  readonly journal: UsageNotes | null;
  readonly replayBudget: ReplayBudget;
  private readonly ownsUsage: boolean;
  readonly held = new HeldUsage(this);
  private readonly calls: CallRegistry;
  private readonly link: Link;
  private requests: Subscription[] = [];
  private control: Subscription | null = null;
  private handler: GenerationHandler | null = null;
  private maxInFlight = 0;
  private places = noKeeper;
  private refusing = false;
  private abortTimer: NodeJS.Timeout | undefined;

  /**
   * `usage`, when given, must publish on the same connection: only then does an end that was seen mean that
   * its usage was sent.
   */
  constructor(
    private readonly connection: NatsConnection,
    {
      instanceId = newPeerId(),
      usage,
      journal = null,
      logger = createLogger('messaging'),
      ...settings
    }: NatsGenerationServerOptions = {},
  ) {
    super();
    this.instanceId = instanceId;
    this.logger = logger;
    this.settings = { ...defaultHopSettings, ...settings };
    this.journal = journal;
    this.replayBudget = new ReplayBudget(this.settings.replayBudgetBytes);
    this.ownsUsage = usage === undefined;
    const publisher = usage ?? new UsagePublisher(connection, { journal, logger });
    this.usage = publisher;
    const { coalesceMs } = this.settings;
    this.post = new FramePost(connection, {
      sender: instanceId,
      coalesceMs,
      beforeSend: () => publisher.sendUnlessStoring(),
      logger,
    });
    publisher.onTold = () => this.post.flush();
    this.link = new Link(connection, { lost: () => this.linkLost(), restored: () => this.linkRestored() });
    this.ticker = new Ticker(tickMs(this.settings), () => this.tick());
    this.calls = new CallRegistry(
      this,
      (call) => void this.run(call),
      () => this.places,
    );
  }

  get isConnected(): boolean {
    return this.link.isUp;
  }

  /** Calls that run or whose requests are still arriving. */
  get inFlight(): number {
    return this.calls.size;
  }

  /**
   * How many requests a provider was asked for here that another instance answered: edge did not hear that
   * this one had them.
   */
  get askedTwice(): number {
    return this.calls.askedTwice;
  }

  async serve(
    surfaces: readonly string[],
    maxInFlight: number,
    handler: GenerationHandler,
    places: PlaceKeeper = noKeeper,
  ): Promise<void> {
    this.handler = handler;
    this.places = places;
    this.maxInFlight = maxInFlight;
    this.control = this.connection.subscribe(generationSubjects.control(this.instanceId), {
      callback: (error, message) => {
        if (error) this.logger.error({ err: error }, 'the subscription to control messages failed');
        else this.hear(message);
      },
    });
    this.requests = surfaces.flatMap((surface) => [
      this.subscribe(generationSubjects.request(surface), false),
      this.subscribe(generationSubjects.offer(surface), true),
    ]);
    await this.connection.flush();
  }

  async drain(timeoutMs: number): Promise<void> {
    const giveUpAt = performance.now() + timeoutMs;
    const left = () => Math.max(0, giveUpAt - performance.now());
    // Requests that were already on their way here are still served.
    await within(left(), Promise.all(this.requests.map((subscription) => subscription.drain())));
    this.refusing = true;
    await within(left(), this.calls.empty());
    this.calls.abortAll('failed');
    await within(abortGraceMs, this.calls.empty());
    await this.askOfHeld();
    this.held.tellAll();
    this.post.flush();
    if (!(await this.storeUsage(left)))
      this.logger.error({ events: this.usage.pending }, 'usage events were not stored before the stop');
    await within(abortGraceMs, this.connection.flush());
    this.ticker.stop();
    clearTimeout(this.abortTimer);
    this.control?.unsubscribe();
    if (this.ownsUsage) this.usage.close();
  }

  publishUsage(event: UsageEvent, onSent: () => void): void {
    this.usage.publish(event, onSent);
  }

  finished(call: ServerCall, settlement: Settlement): void {
    this.calls.remove(call, settlement);
  }

  /**
   * Waits until all usage is stored; false: it is not. What is noted in a journal is not waited for without a
   * connection: another process publishes it.
   */
  private async storeUsage(left: () => number): Promise<boolean> {
    for (;;) {
      if (await this.usage.flush(abortGraceMs)) return true;
      if (left() === 0 || (this.journal !== null && !this.link.isUp)) return false;
    }
  }

  /** What edge says of calls that it never confirmed is waited for, as long as it can be asked. */
  private async askOfHeld(): Promise<void> {
    if (!this.link.isUp) return;
    this.held.ask();
    this.post.flush();
    await within(abortGraceMs, this.held.empty());
  }

  private tick(): void {
    this.calls.tick();
    if (this.link.isUp) this.held.ask();
  }

  private subscribe(subject: string, offered: boolean): Subscription {
    return this.connection.subscribe(subject, {
      queue: offered ? undefined : generationSubjects.queue,
      callback: (error, message) => {
        if (error) this.logger.error({ err: error, subject }, 'the subscription to requests failed');
        else this.asked(message, offered);
      },
    });
  }

  private asked(message: Msg, offered: boolean): void {
    try {
      const envelope = decodeEnvelope(message.data);
      const peer = this.calls.peer(envelope.edge);
      if (!this.post.isSealedTo(peer.subject)) this.post.sealTo(peer.subject, sealerFor(message, peer.id));
      const receivedAt = Date.now();
      const delayMs = peer.transit.delayMs(envelope.sentAt, receivedAt);
      if (this.calls.repeatAccept(peer, envelope.stream)) return;
      const request = this.readable(envelope);
      if (request === 'unreadable' || !this.hasRoomFor(envelope, request)) {
        this.post.send(peer.subject, frameTypes.busy, envelope.stream, 0);
        return;
      }
      // An edge may have turned to another instance by now, so what came late is begun only when it confirms
      // by sending the content again.
      const isFresh = !offered && delayMs <= this.settings.staleAfterMs;
      const sentAtMs = isFresh ? performance.now() - delayMs : null;
      const refusal = this.calls.accept(peer, envelope, request, sentAtMs, receivedAt);
      if (refusal) this.post.send(peer.subject, frameTypes.busy, envelope.stream, 0, toPayload(refusal));
    } catch (error) {
      this.logger.error({ err: error }, 'an unreadable request came in; its edge will ask others');
    }
  }

  private readable(envelope: RequestEnvelope): GenerationRequest | 'unreadable' | null {
    try {
      return requestIn(envelope);
    } catch (error) {
      this.logger.error({ err: error }, 'a request cannot be read, of a newer version perhaps; it is left to others');
      return 'unreadable';
    }
  }

  private hasRoomFor(envelope: RequestEnvelope, owner: Owner | null): boolean {
    const { maxContentBytes } = this.settings;
    return (
      !this.refusing &&
      this.calls.size < this.maxInFlight &&
      this.usage.hasRoom &&
      envelope.contentBytes <= maxContentBytes &&
      (envelope.part.length === envelope.contentBytes || this.calls.hasRoomFor(owner, envelope.contentBytes))
    );
  }

  private hear(message: Msg): void {
    try {
      const { sender, frames } = decodeMessage(message.data);
      const peer = this.calls.peer(sender);
      for (const frame of frames) this.calls.hear(peer, frame);
      // A part of a request lies in the request now.
      if (frames.every(({ type }) => type === frameTypes.body)) dropPiece(message.data);
    } catch (error) {
      this.logger.error({ err: error }, 'an unreadable control message came in');
    }
  }

  private async run(call: ServerCall): Promise<void> {
    try {
      await this.handler?.(call);
    } catch (error) {
      this.logger.error({ err: error, requestId: call.request.requestId }, 'the handler of a generation failed');
    }
    call.abandon();
  }

  /**
   * What edges miss by it is told again when the connection is back; where that takes too long, everything is
   * stopped.
   */
  private linkLost(): void {
    this.post.discard();
    this.calls.dropArrivals();
    clearTimeout(this.abortTimer);
    this.abortTimer = setTimeout(() => {
      if (!this.link.isUp) this.calls.loseAll();
    }, this.settings.resumeMs).unref();
  }

  private linkRestored(): void {
    clearTimeout(this.abortTimer);
    this.calls.announceAll();
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const timeout = new AbortController();
  await Promise.race([
    work.catch(() => undefined),
    sleep(ms, undefined, { signal: timeout.signal }).catch(() => undefined),
  ]);
  timeout.abort();
}
