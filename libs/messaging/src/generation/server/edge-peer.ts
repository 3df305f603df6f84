import { generationSubjects } from '@tollgate/contracts/inference';
import { TransientMap } from '../../memory/transient';
import type { HopSettings } from '../hop-settings';
import type { Settlement } from '../settlement';
import type { SentFrames } from './sent-frames';
import type { ServerCall } from './server-call';

/**
 * A call that is over, or a request that was given up before it `began`; `at` is a tick. `asked`: the
 * request's id, where a provider was asked and it is not told yet that another instance has it, too.
 */
export interface Closing {
  settlement: Settlement;
  began: boolean;
  at: number;
  asked: string | null;
}

/** An edge as an instance knows it. `heardAt` is a tick. */
export class EdgePeer {
  readonly calls = new TransientMap<number, ServerCall>();
  readonly transit: TransitClock;
  /** Calls that ended lately, by stream, oldest first: their last frame may have been lost. */
  readonly closings = new TransientMap<number, Closing>();
  /** What the last of those told, by stream, oldest first; `at` is a tick. */
  readonly replays = new TransientMap<number, { sent: SentFrames; at: number }>();
  readonly subject: string;

  constructor(
    readonly id: string,
    public heardAt: number,
    { newEdgeMs, newEdgeRequests }: HopSettings,
  ) {
    this.transit = new TransitClock(newEdgeMs, newEdgeRequests);
    // The frames of all streams share the last token 0; the others are reply subjects of requests.
    this.subject = generationSubjects.frames(`${id}.0`);
  }

  forgetReplaysBefore(tick: number): void {
    for (const [stream, { sent, at }] of this.replays) {
      if (at >= tick) return;
      sent.release();
      this.replays.delete(stream);
    }
  }

  forgetClosingsBefore(tick: number): void {
    for (const [stream, { at }] of this.closings) {
      if (at >= tick) return;
      this.closings.delete(stream);
    }
  }
}

/**
 * How long a bound is used at least, and twice that at most, before it must be found again: clocks drift and
 * are set. Milliseconds.
 */
const boundLifeMs = 60_000;

/**
 * Tells how late a message of one peer is, although the two clocks differ: the smallest difference seen
 * lately between its time of sending and our time of receiving is taken as the clocks' difference. A clock
 * that was set makes messages look late for a while, never early.
 */
export class TransitClock {
  private current = Number.POSITIVE_INFINITY;
  private previous = Number.POSITIVE_INFINITY;
  private rotateAt = 0;
  private firstAt: number | null = null;
  private seen = 0;

  /**
   * At first messages are only watched, for `watchMs` and so many: while processes start all of them are
   * late, and no difference is that of the clocks.
   */
  constructor(
    private readonly watchMs: number,
    private readonly watchMessages: number,
  ) {}

  /**
   * The delay of a message, milliseconds, beyond that of the quickest one. Infinity for the first ones:
   * nothing is known yet.
   */
  delayMs(sentAt: number, receivedAt: number): number {
    if (receivedAt >= this.rotateAt) {
      if (this.current !== Number.POSITIVE_INFINITY) this.previous = this.current;
      this.current = Number.POSITIVE_INFINITY;
      this.rotateAt = receivedAt + boundLifeMs;
    }
    const difference = receivedAt - sentAt;
    const known = Math.min(this.current, this.previous);
    this.current = Math.min(this.current, difference);
    this.firstAt ??= receivedAt;
    this.seen++;
    const isKnown = receivedAt - this.firstAt >= this.watchMs && this.seen > this.watchMessages;
    return isKnown ? Math.max(0, difference - known) : Number.POSITIVE_INFINITY;
  }
}
