import type { UsageEvent } from '@tollgate/contracts';
import type {
  CancelReason,
  GenerationAttempt,
  GenerationFailure,
  GenerationHead,
  GenerationRequest,
} from '@tollgate/contracts/inference';
import type { Owner } from '../memory/turns-by-owner';

/**
 * The way of a generation between edge and inference. Edge holds a GenerationClient, inference a
 * GenerationServer; over NATS they keep these promises:
 * a stream is complete or visibly failed; a cancel arrives within a second; buffers are bounded by credit;
 * nothing is re-sent once an instance accepted.
 */

/**
 * What edge hears of one generation, in this order: onAttempt*, onHead?, onData*, then exactly one of onEnd
 * and onFail, then exactly one onSettled.
 */
export interface GenerationListener {
  onAttempt(attempt: GenerationAttempt): void;
  onHead(head: GenerationHead): void;
  /**
   * Bytes in the caller's dialect, ready to be written. Report them with `consumed` once they are out, or the
   * stream stops after its window.
   */
  onData(bytes: Uint8Array): void;
  /** `event`: the usage event, where the request asked to be told it and the instance did; else null. */
  onEnd(event: UsageEvent | null): void;
  onFail(failure: GenerationFailure): void;
  /**
   * `accounted` true: inference publishes the usage event. False: no instance will, so edge must, from what
   * it saw. Comes at once after onEnd, up to 20 s after onFail.
   * `usedTokens` is input plus output of the event that inference gave to `end` or `fail` (0 when that event
   * was null), so that edge can return what it reserved too much; null when edge was not told (then
   * `accounted` is usually false). It travels in the `end` and `fail` frames.
   */
  onSettled(accounted: boolean, usedTokens: number | null): void;
}

/** Edge's hold on a generation that it opened. */
export interface GenerationHandle {
  /** Grants the sender credit for bytes that left edge. */
  consumed(bytes: number): void;
  /** Stops the generation; onFail with code `cancelled` follows at once. Does nothing after the end. */
  cancel(reason: CancelReason): void;
}

/** Edge's side of the hop. */
export abstract class GenerationClient {
  /**
   * Sends the request to one instance (once more to another if none accepts in 500 ms or it is busy). Never
   * throws: trouble comes as onFail.
   */
  abstract open(request: GenerationRequest, body: Uint8Array, listener: GenerationListener): GenerationHandle;
}

/** One generation as inference handles it. After `end` or `fail` every other method does nothing. */
export interface GenerationCall {
  readonly request: GenerationRequest;
  readonly body: Uint8Array;
  /** Why the generation must stop; null while it need not. */
  readonly stopReason: CancelReason | null;
  /** Called once, when it must stop. */
  onStop: () => void;
  /** The same for what waits: aborted when the generation must stop, `signal.reason` is a CancelReason. */
  readonly signal: AbortSignal;
  /**
   * Tells edge that a provider is about to be reached, and resolves when that has left this process: only
   * then may the provider really be asked, so that a kill of this process cannot leave a use that edge never
   * heard of. It takes one turn of the event loop; longer where this process was stalled since it took the
   * call, so that edge can say that another instance has it by now (`signal` aborts). Never rejects.
   * `countInput` gives the tokens of the request; it is asked once, when the call lasts, so that they are
   * known if edge and this process both die.
   */
  attempt(attempt: GenerationAttempt, countInput: () => number): Promise<void>;
  head(head: GenerationHead): void;
  /** Sends bytes. False: the window is used up, so pause the upstream until `drained` resolves. */
  write(bytes: Uint8Array): boolean;
  /**
   * Resolves when credit came; rejects when the signal aborts (a reader that takes too long aborts it with
   * `slow_reader`).
   */
  drained(): Promise<void>;
  /**
   * The generation is over and complete. The usage event is published before the end is told, so that an end
   * that was seen was also counted.
   * `event` null: the request never reached a provider, nothing is to be counted.
   */
  end(event: UsageEvent | null): void;
  /** As `end`, for one that failed or was cancelled. */
  fail(failure: GenerationFailure, event: UsageEvent | null): void;
}

/**
 * What inference does with a call. It must finish by `call.end` or `call.fail`; if it throws, the call fails
 * as internal.
 */
export type GenerationHandler = (call: GenerationCall) => Promise<void> | void;

/**
 * Who may have one of an instance's places. A key takes one with each request that begins to arrive, and
 * holds it until that is over: what arrives slowly takes no places of others.
 */
export interface PlaceKeeper {
  /**
   * Takes a place. Not null: there is none for this owner; edge asks other instances, then tells its caller
   * this.
   */
  enter(owner: Owner): GenerationFailure | null;
  leave(owner: Owner): void;
}

/** Inference's side of the hop. */
export abstract class GenerationServer {
  abstract readonly instanceId: string;
  /**
   * Starts to accept requests of these surfaces. At most `maxInFlight` run or arrive at once; above that, or
   * where `places` has none, an edge hears `busy`.
   */
  abstract serve(
    surfaces: readonly string[],
    maxInFlight: number,
    handler: GenerationHandler,
    places?: PlaceKeeper,
  ): Promise<void>;
  /**
   * Leaves the queue group, waits up to `timeoutMs` for running calls and for their usage events to be
   * stored, then aborts the rest.
   */
  abstract drain(timeoutMs: number): Promise<void>;
}
