/** Time in ticks. */
export interface TickClock {
  /** The present. */
  readonly now: number;
  /** A duration in whole ticks, rounded up. */
  ticks(ms: number): number;
}

/**
 * A clock that counts ticks: it stands still while the process is frozen, and a stall of the event loop costs
 * it at most one tick.
 */
export class Ticker implements TickClock {
  private count = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly tickMs: number,
    onTick: () => void,
  ) {
    this.timer = setInterval(() => {
      this.count++;
      onTick();
    }, tickMs);
    this.timer.unref();
  }

  get now(): number {
    return this.count;
  }

  ticks(ms: number): number {
    return Math.ceil(ms / this.tickMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
