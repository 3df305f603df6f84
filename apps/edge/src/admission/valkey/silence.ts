/**
 * How often a question that Valkey has not answered is looked after, milliseconds, and after how many looks
 * in vain it is taken for gone.
 */
export const lookEveryMs = 50;
const mostMisses = 3;
/** A look that comes so late says that this process had no time, and nothing of Valkey. */
const lateByMs = 25;
/** One that answers others and not this question is waited for no longer than that. */
export const longestMs = 500;

/**
 * How long one question has gone without an answer, as far as that is Valkey's doing. A machine that is busy
 * for a moment is no reason to do without it.
 */
export class Silence {
  private misses = 0;
  private lookedMs: number;

  /** `heard`: how many answers of any kind have come from Valkey until now. Times by a steady clock. */
  constructor(
    private readonly sinceMs: number,
    private heard: number,
  ) {
    this.lookedMs = sinceMs;
  }

  /** Looks again. True: Valkey is gone, or as good as. */
  isTooLong(nowMs: number, heard: number): boolean {
    const wasLate = nowMs - this.lookedMs > lookEveryMs + lateByMs;
    if (heard > this.heard) this.misses = 0;
    else if (!wasLate) this.misses += 1;
    this.lookedMs = nowMs;
    this.heard = heard;
    return this.misses >= mostMisses || nowMs - this.sinceMs >= longestMs;
  }
}
