import { TransientSet } from '@tollgate/messaging';

/** Before any request of a key has ended here, it is taken to last so long, milliseconds. */
const firstGuessMs = 10_000;
/** Nobody is told to wait longer for somebody else's request, seconds. */
const longestWaitS = 60;
/** The share of the newest request in what is typical. */
const newestShare = 0.3;

/** How long the requests of one key hold what they reserved, by this edge's steady clock. */
export class HoldTimes {
  private typicalMs = firstGuessMs;
  /** When each of those that run began, the oldest first. */
  private readonly running = new TransientSet<{ readonly sinceMs: number }>();

  /** A request begins; call what is returned when it ends. */
  began(nowMs: number): (endedMs: number) => void {
    const request = { sinceMs: nowMs };
    this.running.add(request);
    return (endedMs) => {
      this.running.delete(request);
      this.typicalMs += newestShare * (endedMs - nowMs - this.typicalMs);
    };
  }

  /**
   * Whole seconds until the oldest that runs will have ended if it is like those before; null: none runs
   * here.
   */
  waitS(nowMs: number): number | null {
    const [oldest] = this.running;
    if (!oldest) return null;
    const leftS = Math.ceil((this.typicalMs - (nowMs - oldest.sinceMs)) / 1_000);
    return Math.min(longestWaitS, Math.max(1, leftS));
  }
}
