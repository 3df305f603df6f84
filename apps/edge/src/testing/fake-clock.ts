import { Clock } from '../clock';

/** A clock that stands still until it is moved. */
export class FakeClock extends Clock {
  private passedMs = 0;

  constructor(private readonly startMs: number = Date.UTC(2026, 6, 15)) {
    super();
  }

  override monotonicMs(): number {
    return 5_000 + this.passedMs;
  }

  override nowMs(): number {
    return this.startMs + this.passedMs;
  }

  advance(ms: number): void {
    this.passedMs += ms;
  }
}
