import { generationFailure, generationSubjects } from '@tollgate/contracts/inference';
import type { GenerationFailure, GenerationRequest } from '@tollgate/contracts/inference';
import { answerKeyBytes } from '../../sealing';
import { fromPayloadIfKnown } from '../frame-json';
import { hopFailures } from '../hop-failures';
import type { HopSettings } from '../hop-settings';
import type { EdgeStreamHost } from './edge-stream-host';
import type { RequestContent } from './request-content';

/**
 * Looks for an instance that takes a generation. It is asked for under its first id; when that brings nothing
 * it is offered, under its second id, to every instance, with no more than tells whose it is: only the one
 * that gets it is sent the rest, so no other has begun.
 */
export class Asking {
  private readonly ids: number[];
  /**
   * The instances that have no room, and what each says why; null: nothing, or what another release means.
   */
  private readonly busy = new Map<string, GenerationFailure | null>();
  private readonly timer = new AcceptTimer();
  private isAsked = false;
  private isUnheard = false;

  /** `register` gives a new id under which answers come; `giveUp` hears that nobody takes it. */
  constructor(
    private readonly host: EdgeStreamHost,
    private readonly request: GenerationRequest,
    /** Null: an instance has it, or nobody is to get it. */
    private content: RequestContent | null,
    private readonly register: () => number,
    private readonly giveUp: () => void,
  ) {
    this.ids = [register()];
  }

  /** The ids under which instances were asked. */
  get askedIds(): readonly number[] {
    return this.ids;
  }

  /** What the caller is told where nobody takes it: what instances said, where each of them said why. */
  get failure(): GenerationFailure {
    const reasons = [...this.busy.values()];
    return (reasons.includes(null) ? null : reasons.at(-1)) ?? hopFailures.overloaded;
  }

  get isOffered(): boolean {
    return this.ids.length > 1;
  }

  /**
   * Sends the request, as soon as there is a connection; where none is to be expected it gives up at once
   * (after the caller got its handle).
   */
  start(): void {
    const { isConnected, linkPatienceMs } = this.host;
    if (isConnected) this.askOne();
    else if (linkPatienceMs > 0) this.timer.start(linkPatienceMs, this.giveUp);
    else queueMicrotask(this.giveUp);
  }

  /** Asks no more, and hands out what was to be sent. */
  stop(): RequestContent | null {
    this.timer.stop();
    const { content } = this;
    this.content = null;
    return content;
  }

  /** The connection is lost. True: an instance may have the request, and its answer may be lost. */
  connectionLost(): boolean {
    if (this.isAsked) this.timer.stop();
    return this.isAsked;
  }

  connectionRestored(): void {
    if (!this.isAsked) this.askOne();
    else this.timer.start(this.host.settings.acceptTimeoutMs, () => this.offerPatiently());
  }

  /** This instance has no room for it, and says why, or nothing (empty). */
  refused(instance: string, why: Uint8Array): void {
    this.busy.set(instance, fromPayloadIfKnown(generationFailure, why));
    if (!this.isOffered) {
      this.offer();
      this.timer.start(this.host.settings.offerTimeoutMs, this.giveUp);
      return;
    }
    const { instances, ticker, settings } = this.host;
    const since = ticker.now - ticker.ticks(settings.silenceMs);
    if (instances.coveredBy(this.busy, since)) this.timer.start(settings.busyGraceMs, this.giveUp);
  }

  /** Nobody listens. Where there are several servers, those who did may be changing theirs just now. */
  unheard(): void {
    if (!this.host.hasOtherServers) this.giveUp();
    else if (!this.isUnheard) {
      this.isUnheard = true;
      this.wait(this.host.settings.resumeMs);
    }
  }

  private askOne(): void {
    this.isAsked = true;
    this.publish(generationSubjects.request(this.request.surface), 0, true);
    this.timer.start(this.host.settings.acceptTimeoutMs, () => this.offerPatiently());
  }

  private offer(): void {
    if (!this.isOffered) this.ids.push(this.register());
    this.publish(generationSubjects.offer(this.request.surface), 1, false);
  }

  private publish(subject: string, which: 0 | 1, isWhole: boolean): void {
    if (!this.content) return;
    const { edgeId, post, settings } = this.host;
    const id = this.ids[which] ?? 0;
    const from = { edge: edgeId, stream: id, window: settings.windowBytes };
    this.host.publishRequest(subject, this.content.envelope(from, post.maxPayload - answerKeyBytes, isWhole), id);
  }

  /**
   * Nobody said a word. Where the offer reaches NATS and somebody listens, that one is slow, or changes its
   * server just now: it is waited for, and asked again.
   * Where NATS says nothing, it is away; or only this server is, and is left for another, which
   * `connectionLost` tells.
   */
  private offerPatiently(): void {
    this.offer();
    let isDelivered = false;
    this.host.delivered().then(
      () => (isDelivered = true),
      () => undefined,
    );
    const { offerTimeoutMs, patienceMs, resumeMs } = this.host.settings;
    this.timer.start(offerTimeoutMs, () => {
      if (isDelivered) this.wait(patienceMs);
      else if (this.host.hasOtherServers) this.timer.start(resumeMs, this.giveUp);
      else this.giveUp();
    });
  }

  private wait(leftMs: number): void {
    const ms = Math.min(leftMs, this.host.settings.acceptTimeoutMs);
    if (ms <= 0) {
      this.giveUp();
      return;
    }
    this.offer();
    this.timer.start(ms, () => this.wait(leftMs - ms));
  }
}

/** Gets back what a stream misses: asks for it again and again, until it comes or that takes too long. */
export class Resumption {
  private readonly again = new AcceptTimer();
  private readonly limit = new AcceptTimer();
  private on = false;

  /**
   * `ask` asks once. `giveUp` hears, at most once for each `hold` or `begin`, that nothing came for
   * `resumeMs`.
   */
  constructor(
    private readonly settings: HopSettings,
    private readonly ask: () => void,
    private readonly giveUp: () => void,
  ) {}

  get isOn(): boolean {
    return this.on;
  }

  /** There is no connection to ask on; the time runs from now. */
  hold(): void {
    this.again.stop();
    if (this.on) return;
    this.on = true;
    this.limit.start(this.settings.resumeMs, () => {
      this.stop();
      this.giveUp();
    });
  }

  /** Asks now, and from now on. */
  begin(): void {
    this.hold();
    this.ask();
    this.again.start(this.settings.resumeEveryMs, () => this.begin());
  }

  stop(): void {
    this.on = false;
    this.again.stop();
    this.limit.stop();
  }
}

/**
 * Waits for an instance to accept. A stall of this process does not count: what has arrived meanwhile is read
 * before the time is up. It keeps no process alive.
 */
class AcceptTimer {
  private timer: NodeJS.Timeout | null = null;

  /** Runs `otherwise` after `ms`, unless stopped or started anew before. */
  start(ms: number, otherwise: () => void): void {
    this.stop();
    const timer = setTimeout(() => {
      setImmediate(() => {
        if (this.timer === timer) otherwise();
      });
    }, ms).unref();
    this.timer = timer;
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }
}
