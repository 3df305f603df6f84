import type { Breaker, BreakerPermit } from './breaker';
import type { ConcurrencyLimit } from './concurrency-limit';
import type { FirstAnswerTimes } from './first-answer-times';
import type { SilenceWatch } from './silence-watch';

/**
 * What an attempt tells of its provider. answered: it works, even if it refused what the caller wants; failed: `status` is the HTTP status, null when none
 * came; unknown: the caller left, another attempt was faster, or the fault was ours.
 */
export type AttemptResult =
  { kind: 'answered' } | { kind: 'failed'; status: number | null; retryAfterS: number | null } | { kind: 'unknown' };

/** What is known of one deployment and of the endpoint behind it. */
export interface KnownHealth {
  readonly breaker: Breaker;
  readonly limit: ConcurrencyLimit;
  readonly firstAnswers: FirstAnswerTimes;
  readonly silence: SilenceWatch;
}

/** Statuses by which providers refuse for load. 529 is Anthropic's: https://platform.claude.com/docs/en/api/errors */
const refusesForLoad = new Set([429, 529]);
/** Statuses whose Retry-After says how long the provider wants to be left alone. */
const asksForPatience = new Set([429, 503, 529]);

/** One attempt that was let through. To be ended exactly once; later calls do nothing. */
export class AttemptPass {
  private readonly beganAt: number;
  /** Null while its answer has not begun. */
  private firstAnswerMs: number | null = null;
  private over = false;

  constructor(
    private readonly health: KnownHealth,
    private readonly permit: BreakerPermit,
    private readonly clock: () => number,
    stream: boolean,
  ) {
    this.beganAt = clock();
    if (stream) health.silence.began(this, this.beganAt);
  }

  /** Its answer has begun: enough to see that a deployment works again. */
  answering(): void {
    const { breaker, firstAnswers, silence } = this.health;
    const now = this.clock();
    silence.answered(this, now);
    this.firstAnswerMs = now - this.beganAt;
    firstAnswers.record(this.firstAnswerMs, now);
    if (breaker.state(now) !== 'closed') breaker.succeeded(this.permit, now);
  }

  end(result: AttemptResult): void {
    if (this.over) return;
    this.over = true;
    const { breaker, limit, silence } = this.health;
    const now = this.clock();
    silence.ended(this);
    if (result.kind === 'answered') {
      limit.answered(this.firstAnswerMs ?? now - this.beganAt);
      // Of an answer that began long ago it is no news that it ends.
      if (this.firstAnswerMs === null || breaker.state(now) === 'closed') breaker.succeeded(this.permit, now);
    } else if (result.kind === 'failed') this.failed(result.status ?? 0, result.retryAfterS, now);
    else breaker.released(this.permit);
    limit.leave();
  }

  private failed(status: number, retryAfterS: number | null, now: number): void {
    const { breaker, limit } = this.health;
    if (refusesForLoad.has(status)) limit.refused(now);
    const retryAfterMs = retryAfterS !== null && asksForPatience.has(status) ? retryAfterS * 1_000 : null;
    breaker.failed(this.permit, retryAfterMs, now);
  }
}
