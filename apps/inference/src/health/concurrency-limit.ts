/** A limit that kept nobody out and saw no refusal for so long is forgotten. */
const forgottenAfterMs = 60_000;
/** Until an answer was timed, a round trip is taken to last so long. */
const assumedRoundTripMs = 1_000;

/**
 * How many requests a provider gets at once. There is no limit until it refuses one (429, 529); then there is half of what runs, `floor` at least, halved again
 * at most once in a round trip, and one more for every full round of answers. Times are milliseconds of a clock that never goes back.
 */
export class ConcurrencyLimit {
  inFlight = 0;
  private limit = Number.POSITIVE_INFINITY;
  private roundTripMs = assumedRoundTripMs;
  private halvedAt = Number.NEGATIVE_INFINITY;
  /** When it last mattered: a refusal, or a request that had to go elsewhere. */
  private matteredAt = Number.NEGATIVE_INFINITY;

  /** `floor`: fewer would starve callers for what may be a limit of requests a minute. */
  constructor(private readonly floor: number) {}

  /** The most requests at once; Infinity: there is no limit. */
  get current(): number {
    return Math.floor(this.limit);
  }

  /** Counts a request in. False: there is no room. */
  enter(now: number): boolean {
    if (this.limit !== Number.POSITIVE_INFINITY && now - this.matteredAt > forgottenAfterMs) this.limit = Infinity;
    if (this.inFlight >= this.current) {
      this.matteredAt = now;
      return false;
    }
    this.inFlight += 1;
    return true;
  }

  /** A request that entered is over, without having told anything of the provider's load. */
  leave(): void {
    this.inFlight -= 1;
  }

  /** A request was answered. `tookMs`: until its answer began, which is a round trip; a stream may go on for minutes. */
  answered(tookMs: number): void {
    this.roundTripMs += (tookMs - this.roundTripMs) / 8;
    this.limit += 1 / this.limit;
  }

  /** A request was refused for load. To be told before `leave`. */
  refused(now: number): void {
    this.matteredAt = now;
    if (now - this.halvedAt < this.roundTripMs) return;
    this.halvedAt = now;
    this.limit = Math.max(this.floor, Math.min(this.limit, this.inFlight) / 2);
  }
}
