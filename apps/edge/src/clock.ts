import { Injectable } from '@nestjs/common';

/** The two clocks of edge. Tests replace it by one that stands still. */
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
}
