import { generationAttempt, generationFailure, generationHead, generationSubjects } from '@tollgate/contracts';
import type { CancelReason, GenerationFailure, GenerationRequest } from '@tollgate/contracts';
import type { Logger } from '@tollgate/observability';
import { FrameError, frameTypes } from '../frame';
import type { Frame } from '../frame';
import { fromPayload } from '../frame-json';
import type { FramePost } from '../frame-post';
import type { GenerationHandle, GenerationListener } from '../generation-stream';
import { hopFailures } from '../hop-failures';
import type { HopSettings } from '../hop-settings';
import { decodeSettlement, settlementBytes } from '../settlement';
import type { Settlement } from '../settlement';
import type { TickClock } from '../ticker';
import { AcceptTimer } from './accept-timer';
import { ContentSender } from './content-sender';
import type { InstanceDirectory } from './instance-directory';
import { RequestContent } from './request-content';

/** What a stream needs of its client. `publishRequest` sends to a subject and hears under the stream's id when nobody listens there. */
export interface EdgeStreamHost {
  readonly edgeId: string;
  readonly settings: HopSettings;
  readonly post: FramePost;
  readonly ticker: TickClock;
  readonly instances: InstanceDirectory;
  readonly logger: Logger;
  readonly isConnected: boolean;
  /** A new id that leads to this stream. */
  register(stream: EdgeStream): number;
  /** `had`: an instance had the stream, after more than one was asked for it; whoever else accepts it later comes too late. */
  release(id: number, had: boolean): void;
  publishRequest(subject: string, envelope: Buffer, id: number): void;
  /** Resolves when NATS has everything that was published before; it may never, or reject. */
  delivered(): Promise<void>;
}

/**
 * opening: no instance accepted yet. open: one did. over: the listener heard onEnd or onFail, and waits to hear whether the instance accounts for it.
 * settled: the listener heard everything.
 */
type State = 'opening' | 'open' | 'over' | 'settled';

/** No instance will account for the stream. */
const unaccounted: Settlement = { accounted: false, usedTokens: null };

/**
 * One generation as edge holds it. It is asked for under its first id; when that brings nothing it is offered, under its second id, to every instance, and
 * the first instance to accept under either id gets it. Any other that accepts is told to stop: one that took an offer has not begun, because only
 * the winner is sent the content.
 */
export class EdgeStream implements GenerationHandle {
  private state: State = 'opening';
  private readonly firstId: number;
  private offerId: number | null = null;
  private winner: { instance: string; id: number } | null = null;
  private content: RequestContent | null;
  private sender: ContentSender | null = null;
  private readonly busy = new Set<string>();
  private readonly acceptTimer = new AcceptTimer();
  private nextNumber = 0;
  private ungranted = 0;
  private heardAt: number;
  /** The tick at which waiting for the instance's last word ends; null: not set. */
  private settleAt: number | null = null;

  constructor(
    private readonly host: EdgeStreamHost,
    private readonly request: GenerationRequest,
    body: Uint8Array,
    private readonly listener: GenerationListener,
  ) {
    this.content = new RequestContent(request, body);
    this.heardAt = host.ticker.now;
    this.firstId = host.register(this);
  }

  /** Sends the request; where that is impossible it fails at once (after the caller got its handle). */
  start(): void {
    if (!this.host.isConnected || !this.content) {
      queueMicrotask(() => this.giveUp());
      return;
    }
    const { post, settings } = this.host;
    const from = { edge: this.host.edgeId, stream: this.firstId, window: settings.windowBytes };
    const envelope = this.content.envelope(from, post.maxPayload);
    this.host.publishRequest(generationSubjects.request(this.request.surface), envelope, this.firstId);
    this.acceptTimer.start(settings.acceptTimeoutMs, () => this.offerPatiently());
  }

  consumed(bytes: number): void {
    this.ungranted += bytes;
    if (this.state !== 'open' || !this.winner || this.ungranted < this.host.settings.windowBytes / 4) return;
    this.tell(frameTypes.credit, this.ungranted);
    this.ungranted = 0;
  }

  cancel(reason: CancelReason): void {
    if (this.state === 'over' || this.state === 'settled') return;
    this.stopInstance(reason);
    this.failAndAwaitSettlement(hopFailures.cancelled);
  }

  /** The instance that holds this stream, null while or when none does. */
  get instance(): string | null {
    return this.winner?.instance ?? null;
  }

  /** A frame for one of this stream's ids. Never throws. */
  receive(sender: string, frame: Frame): void {
    try {
      if (frame.type === frameTypes.accept) this.accepted(sender, frame);
      else if (frame.type === frameTypes.busy) this.refused(sender);
      else if (!this.winner && this.state === 'over') this.accepted(sender, frame);
      else if (this.winner?.instance === sender && this.winner.id === frame.stream) this.progress(frame);
    } catch (error) {
      this.host.logger.error(
        { err: error, requestId: this.request.requestId },
        'a stream failed while a frame was handled',
      );
      this.breakOff(error instanceof FrameError ? hopFailures.gap : hopFailures.internal);
    }
  }

  /** Nobody listens for the request under this id. */
  unheard(id: number): void {
    if (this.state === 'opening' && (id === this.firstId || id === this.offerId)) this.giveUp();
  }

  /** The connection to NATS is lost: what was under way may be missing. */
  connectionLost(): void {
    this.settleAt = null;
    if (this.state === 'opening' || this.state === 'open') this.fail(hopFailures.disconnected);
  }

  connectionRestored(): void {
    if (this.state !== 'over') return;
    this.stopInstance('disconnected');
    this.awaitSettlement();
  }

  tick(now: number): void {
    const { ticker, settings } = this.host;
    if (this.state === 'open' && now - this.heardAt > ticker.ticks(settings.silenceMs)) {
      this.stopInstance('failed');
      this.fail(hopFailures.instanceLost);
      this.settle(unaccounted);
    } else if (this.state === 'over' && this.settleAt !== null && now > this.settleAt) {
      this.settle(unaccounted);
    }
  }

  /** An instance took the request. A stream that is over hears of it late, by this frame or by whatever comes first after a loss. */
  private accepted(sender: string, frame: Frame): void {
    if (this.winner) {
      if (this.winner.instance !== sender || this.winner.id !== frame.stream) this.dismiss(sender, frame.stream);
      return;
    }
    this.winner = { instance: sender, id: frame.stream };
    this.heardAt = this.host.ticker.now;
    this.acceptTimer.stop();
    if (this.state !== 'opening') {
      this.stopInstance('caller_left');
      return;
    }
    this.state = 'open';
    if (this.content && frame.number < this.content.length) {
      const target = { subject: generationSubjects.control(sender), stream: frame.stream };
      const { post, settings } = this.host;
      this.sender = new ContentSender(post, target, this.content, frame.number, settings.bodyWindowBytes);
      this.sender.send();
    }
    this.content = null;
  }

  private refused(sender: string): void {
    if (this.state !== 'opening') return;
    this.busy.add(sender);
    if (this.offerId === null) {
      this.offer();
      return;
    }
    const { instances, ticker, settings } = this.host;
    const since = ticker.now - ticker.ticks(settings.silenceMs);
    if (instances.coveredBy(this.busy, since)) this.acceptTimer.start(settings.busyGraceMs, () => this.giveUp());
  }

  private progress(frame: Frame): void {
    this.heardAt = this.host.ticker.now;
    if (frame.type === frameTypes.fail || frame.type === frameTypes.closed) this.closing(frame);
    else if (this.state === 'over' && frame.type === frameTypes.end) this.settle(decodeSettlement(frame.payload));
    else if (this.state !== 'open') return;
    else if (frame.type === frameTypes.more) this.sender?.more(frame.number);
    else if (frame.type !== frameTypes.ping) this.sequenced(frame);
  }

  private sequenced(frame: Frame): void {
    if (frame.number !== this.nextNumber) {
      if (frame.type === frameTypes.end) {
        this.fail(hopFailures.gap);
        this.settle(decodeSettlement(frame.payload));
      } else this.breakOff(hopFailures.gap);
      return;
    }
    this.nextNumber++;
    this.sender = null;
    if (frame.type === frameTypes.data) this.listener.onData(frame.payload);
    else if (frame.type === frameTypes.attempt) this.listener.onAttempt(fromPayload(generationAttempt, frame.payload));
    else if (frame.type === frameTypes.head) this.listener.onHead(fromPayload(generationHead, frame.payload));
    else if (frame.type === frameTypes.end) {
      const settlement = decodeSettlement(frame.payload);
      this.state = 'over';
      this.notify(() => this.listener.onEnd());
      this.settle(settlement);
    }
  }

  /** The instance says that it is done with the stream, and not by `end`. */
  private closing(frame: Frame): void {
    const settlement = decodeSettlement(frame.payload);
    if (this.state === 'open') {
      const told = frame.type === frameTypes.fail;
      this.fail(
        told ? fromPayload(generationFailure, frame.payload.subarray(settlementBytes)) : hopFailures.disconnected,
      );
    }
    this.settle(settlement);
  }

  /** Asks every instance at once, with no content: whoever accepts first is sent it. */
  private offer(): void {
    if (!this.content || this.state !== 'opening') return;
    this.offerId = this.host.register(this);
    const { settings, post } = this.host;
    const from = { edge: this.host.edgeId, stream: this.offerId, window: settings.windowBytes };
    const envelope = this.content.envelope(from, post.maxPayload, 0);
    this.host.publishRequest(generationSubjects.offer(this.request.surface), envelope, this.offerId);
    this.acceptTimer.start(settings.offerTimeoutMs, () => this.giveUp());
  }

  /** Nobody said a word. Where the offer reaches NATS and somebody listens, that one is slow, and is waited for. */
  private offerPatiently(): void {
    this.offer();
    let isDelivered = false;
    this.host.delivered().then(
      () => (isDelivered = true),
      () => undefined,
    );
    const { offerTimeoutMs, patienceMs } = this.host.settings;
    this.acceptTimer.start(offerTimeoutMs, () => {
      if (isDelivered) this.acceptTimer.start(patienceMs, () => this.giveUp());
      else this.giveUp();
    });
  }

  private giveUp(): void {
    if (this.state !== 'opening') return;
    this.fail(hopFailures.overloaded);
    this.settle(unaccounted);
  }

  private tell(type: typeof frameTypes.credit | typeof frameTypes.cancel, number: number, payload?: Uint8Array): void {
    if (!this.winner || !this.host.isConnected) return;
    this.host.post.send(generationSubjects.control(this.winner.instance), type, this.winner.id, number, payload);
  }

  private stopInstance(reason: CancelReason): void {
    this.tell(frameTypes.cancel, 0, Buffer.from(reason));
  }

  /** Another instance has this generation. */
  private dismiss(instance: string, id: number): void {
    const payload = Buffer.from('failed' satisfies CancelReason);
    this.host.post.send(generationSubjects.control(instance), frameTypes.cancel, id, 1, payload);
  }

  /** Fails a stream whose instance still runs. */
  private breakOff(failure: GenerationFailure): void {
    if (this.state === 'over' || this.state === 'settled') return;
    this.stopInstance('failed');
    this.failAndAwaitSettlement(failure);
  }

  private failAndAwaitSettlement(failure: GenerationFailure): void {
    this.fail(failure);
    this.awaitSettlement();
  }

  private awaitSettlement(): void {
    const { ticker, settings } = this.host;
    this.settleAt = ticker.now + ticker.ticks(settings.settleMs);
  }

  private fail(failure: GenerationFailure): void {
    this.state = 'over';
    this.acceptTimer.stop();
    this.content = null;
    this.sender = null;
    this.notify(() => this.listener.onFail(failure));
  }

  private settle({ accounted, usedTokens }: Settlement): void {
    if (this.state === 'settled') return;
    this.state = 'settled';
    this.acceptTimer.stop();
    this.sender = null;
    const had = this.winner !== null && this.offerId !== null;
    this.host.release(this.firstId, had);
    if (this.offerId !== null) this.host.release(this.offerId, had);
    this.notify(() => this.listener.onSettled(accounted, usedTokens));
  }

  private notify(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.host.logger.error({ err: error, requestId: this.request.requestId }, 'the listener of a stream failed');
    }
  }
}
