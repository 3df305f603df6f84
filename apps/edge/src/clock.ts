import { Injectable } from '@nestjs/common';

/**
 * The two clocks of edge, and what waits on them. Tests replace it by one that stands still, or that they
 * move.
 */
@Injectable()
export class Clock {
  /** Milliseconds that only ever grow, with fractions: for windows, ages and durations. */
  monotonicMs(): number {
    return performance.now();
  }

  /** Epoch milliseconds: for times that other parties read. */
  nowMs(): number {
    return Date.now();
  }

  /**
   * Runs something once, so many milliseconds from now, if the process lives that long. Returns what calls it
   * off.
   */
  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  }

  /** Resolves so many milliseconds from now. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }
}
