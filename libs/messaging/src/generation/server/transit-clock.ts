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
