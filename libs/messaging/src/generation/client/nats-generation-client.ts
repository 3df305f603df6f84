import type { Msg, NatsConnection, Subscription } from 'nats';
import { generationSubjects, type CancelReason, type GenerationRequest } from '@tollgate/contracts/inference';
import { createLogger, type Logger } from '@tollgate/observability';
import { Link } from '../../connection/link';
import { knownServers } from '../../connection/server-choice';
import { TransientMap } from '../../memory/transient';
import { AnswerKey } from '../../sealing';
import { decodeMessage, frameTypes, type Frame } from '../frame';
import { FramePost } from '../frame-post';
import { GenerationClient, type GenerationHandle, type GenerationListener } from '../generation-stream';
import { defaultHopSettings, tickMs, type HopSettings } from '../hop-settings';
import { Ticker } from '../ticker';
import { EdgeStream } from './edge-stream';
import type { EdgeStreamHost, StreamWinner } from './edge-stream-host';
import { InstanceDirectory } from './instance-directory';
import { SendingTurns } from './sending-turns';

/** Any of the hop's settings. */
export interface NatsGenerationClientOptions extends Partial<HopSettings> {
  logger?: Logger;
}

/**
 * How long an instance may be stalled or silent and still be known, and learn that another had its stream,
 * milliseconds.
 */
const pastMs = 5 * 60_000;

/** A request that has not left yet; answers to it come under the id of its stream. */
interface OutgoingRequest {
  subject: string;
  envelope: Buffer;
  id: number;
}

/**
 * Edge's side of the hop over NATS. All its streams share one subscription of the connection,
 * `edge.frames.<edge>.*`.
 */
export class NatsGenerationClient extends GenerationClient implements EdgeStreamHost {
  readonly edgeId: string;
  readonly settings: HopSettings;
  readonly logger: Logger;
  readonly post: FramePost;
  readonly ticker: Ticker;
  readonly instances = new InstanceDirectory();
  readonly sendingTurns = new SendingTurns();
  private readonly streams = new TransientMap<number, EdgeStream>();
  /** Streams that another instance may still believe to have. */
  private readonly past = new PastStreams();
  private readonly answerKey = new AnswerKey();
  private readonly link: Link;
  private readonly subscription: Subscription;
  /** Requests of this turn of the event loop: they leave together, in one write. */
  private outgoing: OutgoingRequest[] = [];
  private lastId = 0;
  /** When the connection was lost last, by this process's steady clock. */
  private lostAtMs = Number.NEGATIVE_INFINITY;
  private heartbeatAt = 0;

  constructor(
    private readonly connection: NatsConnection,
    { logger = createLogger('messaging'), ...settings }: NatsGenerationClientOptions = {},
  ) {
    super();
    const edgeId = this.answerKey.id;
    this.edgeId = edgeId;
    this.logger = logger;
    this.settings = { ...defaultHopSettings, ...settings };
    // A frame about a request never leaves before the request itself.
    this.post = new FramePost(connection, {
      sender: edgeId,
      coalesceMs: 0,
      beforeSend: () => this.sendRequests(),
      logger,
    });
    this.link = new Link(connection, { lost: () => this.linkLost(), restored: () => this.linkRestored() });
    this.ticker = new Ticker(tickMs(this.settings), () => this.tick());
    this.subscription = connection.subscribe(generationSubjects.frames(`${edgeId}.*`), {
      callback: (error, message) => {
        if (error) logger.error({ err: error }, 'the subscription to answers failed');
        else this.receive(message);
      },
    });
  }

  get isConnected(): boolean {
    return this.link.isUp;
  }

  get linkPatienceMs(): number {
    const { resumeMs, linkWaitMs } = this.settings;
    if (this.connection.isClosed()) return 0;
    return Math.max(0, Math.min(linkWaitMs, this.lostAtMs + resumeMs - performance.now()));
  }

  get hasOtherServers(): boolean {
    return knownServers(this.connection) > 1;
  }

  /** Streams that are not settled yet. */
  get openStreams(): number {
    return new Set(this.streams.values()).size;
  }

  open(request: GenerationRequest, body: Uint8Array, listener: GenerationListener): GenerationHandle {
    const stream = new EdgeStream(this, request, body, listener);
    stream.start();
    return stream;
  }

  /** Stops listening. Streams that still run get no further frame; cancel them first. */
  close(): void {
    this.ticker.stop();
    for (const stream of new Set(this.streams.values())) stream.forget();
    this.post.flush();
    this.subscription.unsubscribe();
  }

  register(stream: EdgeStream): number {
    do this.lastId = (this.lastId % 0xffff_ffff) + 1;
    while (this.streams.has(this.lastId));
    this.streams.set(this.lastId, stream);
    return this.lastId;
  }

  release(id: number, winner: StreamWinner | null): void {
    this.streams.delete(id);
    if (winner) this.past.add(id, winner.id === id ? winner.instance : null, this.ticker.now);
  }

  publishRequest(subject: string, envelope: Buffer, id: number): void {
    this.outgoing.push({ subject, envelope, id });
    if (this.outgoing.length === 1) setImmediate(() => this.sendRequests());
  }

  delivered(): Promise<void> {
    this.sendRequests();
    return this.connection.flush();
  }

  private sendRequests(): void {
    const requests = this.outgoing;
    this.outgoing = [];
    for (const { subject, envelope, id } of requests) {
      try {
        const reply = generationSubjects.frames(`${this.edgeId}.${id}`);
        this.connection.publish(subject, envelope, { reply, headers: this.answerKey.headers });
      } catch (error) {
        this.logger.error({ err: error, subject }, 'a request could not be sent');
        this.streams.get(id)?.unheard(id);
      }
    }
  }

  private receive(message: Msg): void {
    if (message.data.length === 0) {
      const id = Number(message.subject.slice(message.subject.lastIndexOf('.') + 1));
      this.streams.get(id)?.unheard(id);
      return;
    }
    try {
      const { sender, frames } = decodeMessage(message.data, this.answerKey);
      this.instances.heard(sender, this.ticker.now);
      for (const frame of frames) this.dispatch(sender, frame);
    } catch (error) {
      this.logger.error({ err: error }, 'an unreadable message came in; streams that miss its frames will fail');
    }
  }

  private dispatch(sender: string, frame: Frame): void {
    const stream = this.streams.get(frame.stream);
    if (stream) stream.receive(sender, frame);
    else if (frame.type === frameTypes.accept || frame.type === frameTypes.ping) {
      const isElsewhere = this.past.wasElsewhere(frame.stream, sender);
      const reason = Buffer.from((isElsewhere ? 'failed' : 'caller_left') satisfies CancelReason);
      this.post.send(generationSubjects.control(sender), frameTypes.cancel, frame.stream, isElsewhere ? 1 : 0, reason);
    }
  }

  private tick(): void {
    const { now } = this.ticker;
    for (const stream of new Set(this.streams.values())) stream.tick(now);
    this.instances.forgetBefore(now - this.ticker.ticks(pastMs));
    this.past.forgetBefore(now - this.ticker.ticks(pastMs));
    if (now - this.heartbeatAt < this.ticker.ticks(this.settings.heartbeatMs)) return;
    this.heartbeatAt = now;
    if (this.isConnected) this.sendHeartbeats();
  }

  private sendHeartbeats(): void {
    const holders = new Set<string>();
    for (const { instance } of this.streams.values()) if (instance) holders.add(instance);
    for (const instance of holders) this.post.send(generationSubjects.control(instance), frameTypes.heartbeat, 0, 0);
  }

  private linkLost(): void {
    this.lostAtMs = performance.now();
    this.post.discard();
    for (const stream of new Set(this.streams.values())) stream.connectionLost();
  }

  private linkRestored(): void {
    for (const stream of new Set(this.streams.values())) stream.connectionRestored();
  }
}

/** How many ids are remembered at most; beyond, the oldest is forgotten. */
const mostIds = 100_000;

/**
 * A settled stream's id: who had the stream under it (null: it was had under another id), and the tick at
 * which it was added.
 */
interface PastStream {
  holder: string | null;
  addedAt: number;
}

/** Ids of streams that are settled, for a while: an instance that was stalled may still speak of them. */
export class PastStreams {
  /** By id, oldest first. */
  private readonly streams = new TransientMap<number, PastStream>();

  add(id: number, holder: string | null, now: number): void {
    this.streams.set(id, { holder, addedAt: now });
    if (this.streams.size > mostIds) this.dropFirst();
  }

  /** Another than this instance had the stream. False also of a stream that is not remembered. */
  wasElsewhere(id: number, instance: string): boolean {
    const stream = this.streams.get(id);
    return stream !== undefined && stream.holder !== instance;
  }

  forgetBefore(tick: number): void {
    for (const { addedAt } of this.streams.values()) {
      if (addedAt >= tick) return;
      this.dropFirst();
    }
  }

  private dropFirst(): void {
    for (const id of this.streams.keys()) {
      this.streams.delete(id);
      return;
    }
  }
}
