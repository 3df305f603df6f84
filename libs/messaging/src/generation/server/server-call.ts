import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { UsageEvent } from '@tollgate/contracts';
import type {
  CancelReason,
  GenerationAttempt,
  GenerationFailure,
  GenerationHead,
  GenerationRequest,
} from '@tollgate/contracts/inference';
import type { Logger } from '@tollgate/observability';
import { frameTypes, type FrameType } from '../frame';
import { toPayload } from '../frame-json';
import { encodeSettlement, settlementOf, type Settlement } from '../settlement';
import type { FramePost, PostedFrame } from '../frame-post';
import type { GenerationCall } from '../generation-stream';
import { failureAfter, hopFailures } from '../hop-failures';
import type { HopSettings } from '../hop-settings';
import type { TickClock } from '../ticker';
import type { UsageNotes } from '../../usage/journal/usage-journal';
import type { Credit } from './credit';
import type { HeldUsage } from './held-usage';
import { SentFrames } from './sent-frames';
import type { ReplayBudget } from './sent-frames';
import { UnfinishedUsage } from './unfinished-usage';

/** What a call needs of its server. */
export interface ServerCallHost {
  readonly settings: HopSettings;
  readonly post: FramePost;
  readonly ticker: TickClock;
  readonly logger: Logger;
  /** Null: what is under way is not noted anywhere. */
  readonly journal: UsageNotes | null;
  readonly replayBudget: ReplayBudget;
  readonly held: Pick<HeldUsage, 'hold' | 'answered'>;
  /** `onSent` is called, in this turn or a later one, when frames can no longer overtake the event. */
  publishUsage(event: UsageEvent, onSent: () => void): void;
  /** The call has said its last word. */
  finished(call: ServerCall, settlement: Settlement): void;
}

/** Where a call's frames go: the edge's subject and the stream's id there. */
export interface CallAddress {
  edge: string;
  subject: string;
  stream: number;
}

/** Data of one frame: small enough that a window of credit holds several. */
const largestDataFrame = 64 * 1024;
/** The longest message of a failure that is passed on, in characters. */
const longestMessage = 4_000;

/**
 * How a call ended; while data waits for credit, or its event to be sent, the frame that tells it waits too.
 */
interface Ending {
  failure: GenerationFailure | null;
  settlement: Settlement;
  /** The usage event for edge. Null: it asked for none, or there is none. */
  told: UsageEvent | null;
}

/** One generation as an instance holds it, from the moment its request is complete. */
export class ServerCall implements GenerationCall {
  onStop: () => void = () => undefined;
  /** Made when somebody asks for its signal: it is dear, and most calls need none. */
  private abortion: AbortController | null = null;
  private whyStopped: CancelReason | null = null;
  private readonly backlog: Uint8Array[] = [];
  private backlogBytes = 0;
  /**
   * An answer that is no stream waits for its end, as long as it is small and quick: head, data and end then
   * leave in one message. Nobody could read its beginning before.
   */
  private gathers: boolean;
  /** The head that waits with it; null: none does. */
  private gatheredHead: Uint8Array | null = null;
  private ending: Ending | null = null;
  private eventWaits = false;
  private isOver = false;
  private elsewhere = false;
  /** Another edge makes this generation again, and tells what that used. */
  private isMadeAgain = false;
  /** It was stopped by the loss of the connection, and edge has said nothing of it since. */
  private unconfirmed = false;
  private asked = false;
  /** The tick of the last attempt; null: none was begun. */
  private attemptedAt: number | null = null;
  private readonly unfinished: UnfinishedUsage;
  /** What edge may not have, also when the call is over. */
  readonly sent: SentFrames;
  private lastSentAt: number;
  private waiters: { resolve: () => void; reject: (reason: Error) => void }[] = [];

  constructor(
    private readonly host: ServerCallHost,
    readonly address: CallAddress,
    private readonly credit: Credit,
    readonly request: GenerationRequest,
    readonly body: Uint8Array,
    /**
     * When edge sent the request, by this process's steady clock. Null: edge has said since that no other
     * instance has it.
     */
    private readonly sentAtMs: number | null,
  ) {
    this.lastSentAt = host.ticker.now;
    this.gathers = !request.stream;
    this.sent = new SentFrames(host.replayBudget);
    this.unfinished = new UnfinishedUsage(host.journal, request, body.length);
  }

  get stopReason(): CancelReason | null {
    return this.whyStopped;
  }

  /** Edge said that another instance has this generation. */
  get isElsewhere(): boolean {
    return this.elsewhere;
  }

  /** A provider was asked: an attempt was begun, and nothing stopped the call before it could be sent. */
  get wasAsked(): boolean {
    return this.asked;
  }

  get signal(): AbortSignal {
    this.abortion ??= new AbortController();
    if (this.whyStopped !== null) this.abortion.abort(this.whyStopped);
    return this.abortion.signal;
  }

  async attempt(attempt: GenerationAttempt, countInput: () => number): Promise<void> {
    if (this.ending) return;
    const isFirst = this.attemptedAt === null;
    this.attemptedAt = this.host.ticker.now;
    this.unfinished.began(attempt, countInput);
    this.tellNext(frameTypes.attempt, toPayload(attempt));
    await nextTurn();
    const { staleAfterMs, acceptTimeoutMs } = this.host.settings;
    // Edge heard of the accept too late, perhaps, and then answers it with a cancel: that is waited for.
    if (isFirst && this.sentAtMs !== null && performance.now() - this.sentAtMs >= staleAfterMs)
      await sleep(acceptTimeoutMs, undefined, { signal: this.signal }).catch(() => undefined);
    this.asked ||= this.whyStopped === null;
  }

  head(head: GenerationHead): void {
    if (this.ending) return;
    const payload = toPayload(head);
    if (payload.length > this.host.post.maxFramePayload) this.abort('failed');
    else if (this.gathers) this.gatheredHead = payload;
    else this.tellNext(frameTypes.head, payload);
  }

  write(bytes: Uint8Array): boolean {
    if (this.ending || this.whyStopped !== null || bytes.length === 0) return false;
    this.backlog.push(bytes);
    this.backlogBytes += bytes.length;
    if (!this.gathers) this.sendBacklog();
    else if (this.backlogBytes > largestDataFrame) this.letGo();
    if (this.backlogBytes > this.host.settings.maxBacklogBytes) this.abort('slow_reader');
    return this.isWritable;
  }

  async drained(): Promise<void> {
    if (this.whyStopped !== null) throw abortedError(this.whyStopped);
    if (this.isWritable) return;
    await new Promise<void>((resolve, reject) => this.waiters.push({ resolve, reject }));
  }

  end(event: UsageEvent | null): void {
    this.finish(null, event, settlementOf(event));
  }

  fail(failure: GenerationFailure, event: UsageEvent | null): void {
    this.finish(failure, event, settlementOf(event));
  }

  /** The handler left without an end. If it used a provider, edge has to account for it. */
  abandon(): void {
    this.finish(
      hopFailures.internal,
      null,
      this.attemptedAt !== null ? { accounted: false, usedTokens: null } : settlementOf(null),
    );
  }

  /** Edge is rid of so many further bytes; or, where it says so, of so many in `total`. */
  grant(bytes: number, total: number | null = null): void {
    if (total === null) this.credit.grant(bytes);
    else this.credit.grantInAll(total);
    this.sent.confirm(this.credit.granted);
    if (!this.gathers) this.sendBacklog();
    this.closeWhenDone();
    if (this.isWritable) for (const { resolve } of this.waiters.splice(0)) resolve();
  }

  /** Edge misses what it was told from this number on, and is rid of so many bytes in `total`. */
  resume(number: number, total: number | null): void {
    this.grant(0, total);
    // One that heard nothing yet may ask everybody, and take another.
    if (number > 0) this.unconfirmed = false;
    const missing = this.sent.from(number);
    if (!missing) {
      this.abort('disconnected');
      return;
    }
    this.host.post.repeat(this.address.subject, missing);
    this.announce();
  }

  /** Says how far the call is, so that edge sees what it misses. */
  announce(): void {
    this.tell(frameTypes.ping, this.sent.next);
  }

  /**
   * Stops the call. `isElsewhere`: edge said that another instance has this generation, so its usage is not
   * to be told by this one.
   */
  abort(reason: CancelReason, isElsewhere = false): void {
    this.elsewhere ||= isElsewhere;
    this.isMadeAgain ||= reason === 'edge_lost' && this.request.madeAgain === true;
    this.unconfirmed = false;
    this.letGo();
    this.stop(reason);
    if (this.ending && this.backlogBytes > 0) this.ending.failure = failureAfter(reason);
    this.backlog.length = 0;
    this.backlogBytes = 0;
    for (const { reject } of this.waiters.splice(0)) reject(abortedError(reason));
    this.closeWhenDone();
  }

  /**
   * Stops the call because the connection is lost: what edge does with the request meanwhile is not known.
   */
  lose(): void {
    this.abort('disconnected');
    this.unconfirmed = true;
  }

  /** Pings when nothing was sent for long, and stops a call whose caller does not read. */
  tick(now: number): void {
    const { settings, ticker } = this.host;
    if (this.gatheredHead) this.letGo();
    if (this.attemptedAt !== null && now - this.attemptedAt > 1) this.unfinished.lasts();
    if (this.credit.exhaustedFor(now) > ticker.ticks(settings.slowReaderMs)) this.abort('slow_reader');
    else if (now - this.lastSentAt >= ticker.ticks(settings.pingMs)) this.announce();
  }

  private stop(reason: CancelReason): void {
    if (this.whyStopped !== null) return;
    this.whyStopped = reason;
    this.abortion?.abort(reason);
    this.onStop();
  }

  private get isWritable(): boolean {
    return this.credit.available && (this.gathers || this.backlogBytes === 0);
  }

  private finish(told: GenerationFailure | null, event: UsageEvent | null, settlement: Settlement): void {
    if (this.ending) return;
    // What was held back is gone since the abort: such an answer is not complete, whatever its handler says.
    const failure = told ?? (this.whyStopped !== null ? failureAfter(this.whyStopped) : null);
    this.ending = { failure, settlement, told: this.request.tellUsage ? event : null };
    if (event && !this.elsewhere && !this.isMadeAgain) {
      this.unfinished.close();
      if (this.unconfirmed && event.state !== 'completed') this.host.held.hold(this.address, this.sent.next, event);
      else this.publish(event);
    } else this.unfinished.drop();
    this.closeWhenDone();
  }

  private publish(event: UsageEvent): void {
    this.eventWaits = true;
    this.host.publishUsage(event, () => {
      this.eventWaits = false;
      this.closeWhenDone();
    });
  }

  private closeWhenDone(): void {
    if (!this.ending || this.isOver || this.eventWaits) return;
    this.letGo();
    if (this.backlogBytes === 0) this.close(this.ending);
  }

  private close({ failure, settlement, told }: Ending): void {
    this.isOver = true;
    for (const { resolve } of this.waiters.splice(0)) resolve();
    if (!failure) this.tellNext(frameTypes.end, this.endPayload(settlement, told));
    else {
      const message = failure.message.slice(0, longestMessage);
      this.sent.add(this.tell(frameTypes.fail, 0, encodeSettlement(settlement, toPayload({ ...failure, message }))));
    }
    this.host.finished(this, settlement);
  }

  /** An event that is too long for a frame is not told. */
  private endPayload(settlement: Settlement, told: UsageEvent | null): Uint8Array {
    const payload = encodeSettlement(settlement, told ? toPayload(told) : undefined);
    return payload.length <= this.host.post.maxFramePayload ? payload : encodeSettlement(settlement);
  }

  /** Sends what was gathered; what follows leaves as it comes. */
  private letGo(): void {
    if (!this.gathers) return;
    this.gathers = false;
    if (this.gatheredHead) this.tellNext(frameTypes.head, this.gatheredHead);
    this.gatheredHead = null;
    this.sendBacklog();
  }

  private sendBacklog(): void {
    for (let bytes = this.backlog[0]; bytes && this.credit.available; bytes = this.backlog[0]) {
      const frameBytes = Math.min(largestDataFrame, this.host.post.maxFramePayload);
      const now = bytes.subarray(0, frameBytes);
      if (now.length === bytes.length) this.backlog.shift();
      else this.backlog[0] = bytes.subarray(frameBytes);
      this.backlogBytes -= now.length;
      this.credit.spend(now.length, this.host.ticker.now);
      this.sendData(now);
    }
  }

  private sendData(bytes: Uint8Array): void {
    const { subject, stream } = this.address;
    if (this.host.post.extendData(subject, stream, bytes)) this.sent.grew(bytes.length);
    else this.tellNext(frameTypes.data, bytes);
  }

  /** Sends a frame that edge must not miss. */
  private tellNext(type: FrameType, payload: Uint8Array): void {
    this.sent.add(this.tell(type, this.sent.next, payload));
  }

  private tell(type: FrameType, number: number, payload?: Uint8Array): PostedFrame {
    this.lastSentAt = this.host.ticker.now;
    return this.host.post.send(this.address.subject, type, this.address.stream, number, payload);
  }
}

function abortedError(reason: CancelReason): Error {
  return new Error(`the generation was stopped: ${reason}`);
}
