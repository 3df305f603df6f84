import { generationSubjects } from '@tollgate/contracts';
import { TransientMap } from '../../memory/transient';
import type { HopSettings } from '../hop-settings';
import type { Settlement } from '../settlement';
import { TransitClock } from './transit-clock';
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
