const spanMs = 60_000;

/**
 * The shortest time that a deployment lately took until its answer began: of the last one to two minutes.
 * Times are milliseconds of a clock that never goes back.
 */
export class FirstAnswerTimes {
  private span = 0;
  private fastest = Number.POSITIVE_INFINITY;
  private fastestBefore = Number.POSITIVE_INFINITY;

  record(tookMs: number, now: number): void {
    this.turn(now);
    this.fastest = Math.min(this.fastest, tookMs);
  }

  /** 0: nothing is known. */
  shortestMs(now: number): number {
    this.turn(now);
    const shortest = Math.min(this.fastest, this.fastestBefore);
    return shortest === Number.POSITIVE_INFINITY ? 0 : shortest;
  }

  private turn(now: number): void {
    const span = Math.floor(now / spanMs);
    if (span === this.span) return;
    this.fastestBefore = span === this.span + 1 ? this.fastest : Number.POSITIVE_INFINITY;
    this.fastest = Number.POSITIVE_INFINITY;
    this.span = span;
  }
}
