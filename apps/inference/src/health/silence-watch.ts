/** So many requests must be waiting; fewer may be hard ones. */
const minWaiting = 5;
/** Before so many answers it is not known what is usual. */
const minAnswers = 10;
const shortestPatienceMs = 5_000;
/** How much longer than usual a silence must last. */
const unusual = 10;

/**
 * Sees that a deployment has fallen silent long before its time limits do: at least five streams wait for ten times as long as its streams usually take to
 * begin (five seconds at least), and nothing else was answered meanwhile. Times are milliseconds of a clock that never goes back.
 */
export class SilenceWatch {
  private usualMs = 0;
  private answers = 0;
  private answeredAt = Number.NEGATIVE_INFINITY;
  /** When each stream that waits was begun, the oldest first. */
  private readonly waiting = new Map<object, number>();

  began(attempt: object, now: number): void {
    this.waiting.set(attempt, now);
  }

  /** The stream has begun to answer. */
  answered(attempt: object, now: number): void {
    const beganAt = this.waiting.get(attempt);
    this.answeredAt = now;
    if (beganAt === undefined) return;
    this.waiting.delete(attempt);
    this.answers += 1;
    this.usualMs += (now - beganAt - this.usualMs) / Math.min(this.answers, minAnswers);
  }

  /** The stream ended; its answer had begun or not. */
  ended(attempt: object): void {
    this.waiting.delete(attempt);
  }

  /** What waits by now was drawn conclusions from; only what begins later counts. */
  forgetWaiting(): void {
    this.waiting.clear();
  }

  isSilent(now: number): boolean {
    if (this.waiting.size < minWaiting || this.answers < minAnswers) return false;
    const since = now - Math.max(shortestPatienceMs, this.usualMs * unusual);
    if (this.answeredAt > since) return false;
    let waiting = 0;
    for (const beganAt of this.waiting.values()) {
      if (beganAt > since) return false;
      waiting += 1;
      if (waiting === minWaiting) return true;
    }
    return false;
  }
}
