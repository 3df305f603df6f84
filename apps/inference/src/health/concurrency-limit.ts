import { CallerWindow, type Caller } from './caller-window';

/** Without a refusal for so long, the limit is forgotten. */
const forgottenAfterMs = 10_000;
/** So long after a refusal the limit does not grow. */
const heldMs = 1_000;
const minRefusals = 3;
/** From which share of refused attempts, as the mean of all callers, the refusals are about load. */
const refusedShare = 0.2;
const spanMs = 5_000;

/**
 * How many requests a provider gets at once. There is no limit until it refuses for load (429, 529): three
 * times in ten seconds, and more than one caller where there is more than one, so that refusals of one
 * caller's requests bind nobody. Then it gets as many as it was serving just now, `floor` at least; and one
 * more for every full round of answers, until ten seconds passed without a refusal. Times are milliseconds of
 * a clock that never goes back.
 */
export class ConcurrencyLimit {
  private limit = Number.POSITIVE_INFINITY;
  private refusedAt = Number.NEGATIVE_INFINITY;
  private readonly window = new CallerWindow();
  /** Answers that have begun, and run. */
  private begun = 0;
  /** How long the requests took that were answered in this span of five seconds, and in the one before. */
  private servedMs = 0;
  private servedMsBefore = 0;
  private span = 0;

  /** `floor`: fewer would starve callers for what may be a limit of requests a minute. */
  constructor(private readonly floor: number) {}

  /** The most requests at once; Infinity: there is no limit. */
  current(now: number): number {
    if (now - this.refusedAt >= forgottenAfterMs) this.limit = Number.POSITIVE_INFINITY;
    return Math.floor(this.limit);
  }

  answering(): void {
    this.begun += 1;
  }

  /** The end of an answer that had begun, however it ended. */
  ended(): void {
    this.begun -= 1;
  }

  /** A request of this caller was answered, in `tookMs`. To be told before `ended`. */
  answered(caller: Caller, tookMs: number, now: number): void {
    this.window.record(caller, false, now);
    this.turn(now);
    this.servedMs += tookMs;
    if (now - this.refusedAt >= heldMs) this.limit += 1 / this.limit;
  }

  /** A request of this caller was refused for load. */
  refused(caller: Caller, now: number): void {
    this.window.record(caller, true, now);
    // A limit that holds keeps the share small.
    const share = this.limit === Number.POSITIVE_INFINITY ? refusedShare : 0;
    const scope = this.window.concerns(caller, { minFailures: minRefusals, share, heedsWell: false }, now);
    if (scope === null || (scope !== 'all' && !this.window.isAlone(caller, now))) return;
    this.refusedAt = now;
    this.limit = Math.max(this.floor, Math.min(this.limit, this.serving(now)));
  }

  /**
   * How many requests were served at once of late: by Little's law, or those whose answers run now, if they
   * are more.
   */
  private serving(now: number): number {
    this.turn(now);
    const elapsedMs = spanMs + now - this.span * spanMs;
    return Math.max(this.begun, Math.ceil((this.servedMs + this.servedMsBefore) / elapsedMs));
  }

  private turn(now: number): void {
    const span = Math.floor(now / spanMs);
    if (span === this.span) return;
    this.servedMsBefore = span === this.span + 1 ? this.servedMs : 0;
    this.servedMs = 0;
    this.span = span;
  }
}
