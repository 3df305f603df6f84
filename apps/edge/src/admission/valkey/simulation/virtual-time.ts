import { Clock } from '../../../clock';

interface Timed {
  readonly atMs: number;
  readonly run: () => void;
}

/**
 * Time that stands still until the next thing happens: a schedule of minutes is played in milliseconds, and
 * the same again from the same seed.
 */
export class VirtualTime {
  nowMs = 0;
  /**
   * What will happen, in its order: what is set for the same time happens in the order in which it was set.
   */
  private readonly queue: Timed[] = [];

  at(atMs: number, run: () => void): () => void {
    const timed = { atMs: Math.max(atMs, this.nowMs), run };
    const place = this.queue.findIndex((later) => later.atMs > timed.atMs);
    this.queue.splice(place < 0 ? this.queue.length : place, 0, timed);
    return () => {
      const index = this.queue.indexOf(timed);
      if (index >= 0) this.queue.splice(index, 1);
    };
  }

  /**
   * Plays all that happens until then. Promises that what happens resolves are followed to their ends before
   * the next thing.
   */
  async playUntil(endMs: number): Promise<void> {
    for (let next = this.queue[0]; next && next.atMs <= endMs; next = this.queue[0]) {
      this.queue.shift();
      this.nowMs = next.atMs;
      next.run();
      await new Promise(setImmediate);
    }
    this.nowMs = endMs;
  }
}

/**
 * The clock of one simulated process: its steady clock began at some moment of its own. While the process is
 * frozen nothing of it runs; all that was due runs when it goes on.
 */
export class VirtualClock extends Clock {
  private frozenUntilMs = -Infinity;

  constructor(
    private readonly time: VirtualTime,
    private readonly startedMs: number,
    private readonly epochMs: number,
  ) {
    super();
  }

  override monotonicMs(): number {
    return this.time.nowMs + this.startedMs;
  }

  override nowMs(): number {
    return this.time.nowMs + this.epochMs;
  }

  override after(ms: number, run: () => void): () => void {
    return this.time.at(this.time.nowMs + ms, () => this.wake(run));
  }

  freeze(forMs: number): void {
    this.frozenUntilMs = this.time.nowMs + forMs;
  }

  /** Runs it in this process: now, or when the process goes on. */
  wake(run: () => void): void {
    if (this.time.nowMs >= this.frozenUntilMs) run();
    else this.time.at(this.frozenUntilMs, () => this.wake(run));
  }
}
