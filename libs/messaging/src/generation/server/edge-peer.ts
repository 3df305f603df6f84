import { generationSubjects } from '@tollgate/contracts';
import type { HopSettings } from '../hop-settings';
import type { Settlement } from '../settlement';
import { TransitClock } from './transit-clock';
import type { ServerCall } from './server-call';

/** A call that is over; `at` is a tick. */
interface Closing {
  settlement: Settlement;
  at: number;
}

/** An edge as an instance knows it. `heardAt` is a tick. */
export class EdgePeer {
  readonly calls = new Map<number, ServerCall>();
  readonly transit: TransitClock;
  /** Calls that ended lately, by stream, oldest first: their last frame may have been lost. */
  readonly closings = new Map<number, Closing>();
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

  forgetClosingsBefore(tick: number): void {
    for (const [stream, { at }] of this.closings) {
      if (at >= tick) return;
      this.closings.delete(stream);
    }
  }
}
