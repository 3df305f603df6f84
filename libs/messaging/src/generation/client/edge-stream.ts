import { usageEvent } from '@tollgate/contracts';
import { generationAttempt, generationHead, generationSubjects } from '@tollgate/contracts/inference';
import type { CancelReason, GenerationFailure, GenerationRequest } from '@tollgate/contracts/inference';
import { encodeTotal, FrameError, frameTypes, neverBegan } from '../frame';
import { fromPayload, fromPayloadIfKnown, RepeatedPayloads } from '../frame-json';
import type { Frame, FrameType } from '../frame';
import { decodeSettlement, settlementBytes, type Settlement, toldFailure } from '../settlement';
import type { GenerationHandle, GenerationListener } from '../generation-stream';
import { hopFailures } from '../hop-failures';
import { Asking, Resumption } from './asking';
import { ContentSender } from './content-sender';
import type { EdgeStreamHost, StreamWinner } from './edge-stream-host';
import { RequestContent } from './request-content';

/**
 * opening: no instance accepted yet. open: one did. over: the listener heard onEnd or onFail, and waits to
 * hear whether the instance accounts for it.
 * settled: the listener heard everything.
 */
type State = 'opening' | 'open' | 'over' | 'settled';

/** What an instance says of a stream that it believes to have. */
const { accept, attempt, head, data, ping } = frameTypes;
const claims = new Set<FrameType>([accept, attempt, head, data, ping]);

const attempts = new RepeatedPayloads(generationAttempt);
const heads = new RepeatedPayloads(generationHead);

/** How often a request is asked for anew that instances took and gave up, before it fails. */
const mostAnew = 3;

/** Who has a stream that is asked for anew: nobody under the ids that it had before. */
const underNewIds: StreamWinner = { instance: '', id: 0 };

/** No instance will account for the stream. */
const unaccounted: Settlement = { accounted: false, usedTokens: null };

/**
 * One generation as edge holds it. The first instance to accept it gets it; any other that accepts, or speaks
 * of it, is told to stop. Frames are numbered: what is missing after a loss of messages, or of the
 * connection, is asked for again for two seconds.
 */
export class EdgeStream implements GenerationHandle {
  private state: State = 'opening';
  private asking: Asking;
  private leftAnew = mostAnew;
  private readonly resumption: Resumption;
  private winner: StreamWinner | null = null;
  private sender: ContentSender | null = null;
  private nextNumber = 0;
  /** Bytes that left edge, and those of them that the instance was told of. */
  private consumedBytes = 0;
  private grantedBytes = 0;
  private heardAt: number;
  /** The tick at which waiting for the instance's last word ends; null: not set. */
  private settleAt: number | null = null;

  constructor(
    private readonly host: EdgeStreamHost,
    private readonly request: GenerationRequest,
    body: Uint8Array,
    private readonly listener: GenerationListener,
  ) {
    this.heardAt = host.ticker.now;
    this.asking = this.askFor(new RequestContent(request, body));
    this.resumption = new Resumption(
      host.settings,
      () => this.askForNext(),
      () => this.notResumed(),
    );
  }

  /** Sends the request; trouble comes after the caller got its handle. */
  start(): void {
    this.asking.start();
  }

  consumed(bytes: number): void {
    this.consumedBytes += bytes;
    if (this.state === 'open' && this.consumedBytes - this.grantedBytes >= this.creditStep) this.tellCredit();
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
      if (this.winner?.instance === sender && this.winner.id === frame.stream) this.progress(frame);
      else if (this.winner) {
        if (claims.has(frame.type)) this.dismiss(sender, frame.stream);
      } else if (frame.type === frameTypes.busy) this.refused(sender, frame.payload);
      else if (frame.type === frameTypes.accept || this.state === 'over')
        this.accepted(sender, frame.stream, frame.number);
      else if (claims.has(frame.type)) {
        // Its accept was lost, and what it sent since; it has the whole content.
        this.accepted(sender, frame.stream, Number.POSITIVE_INFINITY);
        this.progress(frame);
      }
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
    if (this.state === 'opening' && this.asking.askedIds.includes(id)) this.asking.unheard();
  }

  /** The connection to NATS is lost: what was under way may be missing. */
  connectionLost(): void {
    this.settleAt = null;
    if (this.state === 'opening' && this.asking.connectionLost()) this.resumption.hold();
    else if (this.state === 'open') {
      this.resumption.hold();
      this.sender?.hold();
    }
  }

  connectionRestored(): void {
    if (this.state === 'over') {
      this.stopInstance('disconnected');
      this.awaitSettlement();
      return;
    }
    if (this.resumption.isOn) this.resumption.begin();
    if (this.state === 'opening') this.asking.connectionRestored();
  }

  /** Nothing is asked for any more; the listener hears nothing of that. */
  forget(): void {
    this.asking.stop();
    this.resumption.stop();
    this.endSending();
  }

  tick(now: number): void {
    const { ticker, settings } = this.host;
    this.sender?.tick(now);
    // What is confirmed its instance need not hold: a slow stream would not fill a quarter of its window.
    if (this.state === 'open' && this.consumedBytes > this.grantedBytes) this.tellCredit();
    if (this.state === 'open' && !this.resumption.isOn && now - this.heardAt > ticker.ticks(settings.silenceMs)) {
      this.stopInstance('failed');
      this.fail(hopFailures.instanceLost);
      this.settle(unaccounted);
    } else if (this.state === 'over' && this.settleAt !== null && now > this.settleAt) {
      this.settle(unaccounted);
    }
  }

  /**
   * An instance took the request, and holds so many bytes of its content. A stream that is over hears of it
   * late, by this frame or by whatever comes first after a loss.
   */
  private accepted(instance: string, id: number, contentBytes: number): void {
    this.winner = { instance, id };
    this.heardAt = this.host.ticker.now;
    const content = this.asking.stop();
    this.resumption.stop();
    if (this.state !== 'opening') {
      this.stopInstance('caller_left');
      return;
    }
    this.state = 'open';
    if (!content || contentBytes >= content.length) return;
    const target = { subject: generationSubjects.control(instance), stream: id };
    this.sender = new ContentSender(this.host, this.request, target, content, contentBytes, () => this.askForContent());
    this.sender.send();
  }

  /** So much of the content is there, after a loss, or where it was asked for: the rest is sent again. */
  private acceptedAgain(contentBytes: number): void {
    if (!this.sender || !(this.resumption.isOn || this.sender.isAsking)) return;
    this.resumption.stop();
    this.sender.restart(contentBytes);
  }

  private endSending(): void {
    this.sender?.stop();
    this.sender = null;
  }

  private refused(sender: string, why: Uint8Array): void {
    if (this.state === 'opening') this.asking.refused(sender, why);
  }

  private progress(frame: Frame): void {
    this.heardAt = this.host.ticker.now;
    const { type } = frame;
    if (type === frameTypes.fail || type === frameTypes.closed) this.closing(frame);
    else if (this.state === 'over' && type === frameTypes.end) this.settle(decodeSettlement(frame.payload));
    // After a loss of its connection an instance speaks of every call: it does not know that this one is over
    // for edge.
    else if (this.state === 'over' && type === frameTypes.ping) this.stopInstance('disconnected');
    else if (this.state !== 'open') return;
    else if (type === frameTypes.accept) this.acceptedAgain(frame.number);
    else if (type === frameTypes.more) this.sender?.more(frame.number);
    else this.numbered(frame);
  }

  /** A frame that tells its place in the stream; a ping, from older instances, tells 0. */
  private numbered(frame: Frame): void {
    const { type, number } = frame;
    if (number > this.nextNumber) {
      // It comes again, behind those that are missing.
      if (!this.resumption.isOn) this.resumption.begin();
    } else if (type === frameTypes.ping) {
      if (number === this.nextNumber) this.upToDate();
    } else if (number === this.nextNumber) this.sequenced(frame);
    else if (type === frameTypes.end) this.breakOff(hopFailures.gap);
    // Any other came before: more was sent again than was missing.
  }

  /** Edge has all that the instance sent; the instance may have lost credit, and wait for it. */
  private upToDate(): void {
    this.resumption.stop();
    if (this.consumedBytes >= this.creditStep) this.tellCredit();
  }

  private sequenced(frame: Frame): void {
    this.nextNumber++;
    this.resumption.stop();
    this.endSending();
    if (frame.type === frameTypes.data) this.listener.onData(frame.payload);
    else if (frame.type === frameTypes.attempt) this.listener.onAttempt(attempts.read(frame.payload));
    else if (frame.type === frameTypes.head) this.listener.onHead(heads.read(frame.payload));
    else if (frame.type === frameTypes.end) {
      const settlement = decodeSettlement(frame.payload);
      this.state = 'over';
      // For the caller's eyes only.
      const event = fromPayloadIfKnown(usageEvent, frame.payload.subarray(settlementBytes));
      this.notify(() => this.listener.onEnd(event));
      this.settle(settlement);
    }
  }

  /**
   * Asks for the next frame: of the instance that has the stream, or of every one, where edge did not hear
   * which it is.
   */
  private askForNext(): void {
    const { instances, isConnected, post } = this.host;
    if (!isConnected) return;
    const total = encodeTotal(this.consumedBytes);
    this.grantedBytes = this.consumedBytes;
    const holders = this.winner
      ? [this.winner]
      : [...instances.all].flatMap((instance) => this.asking.askedIds.map((id) => ({ instance, id })));
    for (const { instance, id } of holders)
      post.sendAlone(generationSubjects.control(instance), frameTypes.resume, id, this.nextNumber, total);
  }

  /** Asks how much of the content has arrived. */
  private askForContent(): void {
    const { isConnected, post } = this.host;
    if (!isConnected || !this.winner) return;
    const { instance, id } = this.winner;
    const total = encodeTotal(this.consumedBytes);
    post.sendAlone(generationSubjects.control(instance), frameTypes.resume, id, this.nextNumber, total);
  }

  /** What is missing did not come. Where nobody took the request yet, that has a limit of its own. */
  private notResumed(): void {
    if (!this.host.isConnected) this.fail(hopFailures.disconnected);
    else if (this.state === 'open') this.breakOff(hopFailures.gap);
  }

  /** The instance says that it is done with the stream, and not by `end`. */
  private closing(frame: Frame): void {
    const settlement = decodeSettlement(frame.payload);
    if (this.state === 'open') {
      if (frame.type === frameTypes.closed && frame.number === neverBegan && this.askAnew()) return;
      const told = frame.type === frameTypes.fail;
      this.fail(told ? fromPayload(toldFailure, frame.payload.subarray(settlementBytes)) : hopFailures.disconnected);
    }
    this.settle(settlement);
  }

  /**
   * The instance gave the request up before it had, or began, the whole of it: its connection was lost, or it
   * is to stop. It is asked for anew, under another id. False: its answer had begun, or it was given up too
   * often.
   */
  private askAnew(): boolean {
    const content = this.sender?.content;
    if (!content || this.leftAnew === 0) return false;
    this.leftAnew--;
    this.resumption.stop();
    this.endSending();
    this.releaseIds(underNewIds);
    this.winner = null;
    this.state = 'opening';
    this.asking = this.askFor(content);
    this.asking.start();
    return true;
  }

  private askFor(content: RequestContent): Asking {
    return new Asking(
      this.host,
      this.request,
      content,
      () => this.host.register(this),
      () => this.giveUp(),
    );
  }

  private giveUp(): void {
    if (this.state !== 'opening') return;
    this.fail(this.asking.failure);
    this.settle(unaccounted);
  }

  /** So much must leave edge before it says so. */
  private get creditStep(): number {
    return this.host.settings.windowBytes / 4;
  }

  private tellCredit(): void {
    this.tell(frameTypes.credit, this.consumedBytes - this.grantedBytes, encodeTotal(this.consumedBytes));
    this.grantedBytes = this.consumedBytes;
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
    this.asking.stop();
    this.resumption.stop();
    this.endSending();
    this.notify(() => this.listener.onFail(failure));
  }

  private settle({ accounted, usedTokens }: Settlement): void {
    if (this.state === 'settled') return;
    this.state = 'settled';
    this.asking.stop();
    this.resumption.stop();
    this.endSending();
    this.releaseIds(this.asking.isOffered ? this.winner : null);
    this.notify(() => this.listener.onSettled(accounted, usedTokens));
  }

  private releaseIds(winner: StreamWinner | null): void {
    for (const id of this.asking.askedIds) this.host.release(id, winner);
  }

  private notify(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.host.logger.error({ err: error, requestId: this.request.requestId }, 'the listener of a stream failed');
    }
  }
}
