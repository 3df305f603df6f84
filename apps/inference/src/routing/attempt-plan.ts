import type { UpstreamError } from '@tollgate/dialects';
import type { Route } from './route-table';

/** What to try next, and how long to wait before. */
export interface NextAttempt {
  route: Route;
  delayMs: number;
}

/** A provider that asks for more patience than this is left for the next one. */
const longestRetryAfterS = 2;
/** Retries are spread over this span, so that requests that failed together do not come back together. */
const jitterFromMs = 50;
const jitterToMs = 150;

/**
 * The order in which one request tries its routes. A retryable error is tried again at the same deployment while retries are left
 * (one budget for the whole request), then the next route is taken. A provider that used up a time limit is not asked again: the
 * caller has waited long enough for it.
 */
export class AttemptPlan {
  private position = 0;

  constructor(
    private readonly routes: readonly Route[],
    private retriesLeft: number,
    private readonly random: () => number = Math.random,
  ) {}

  /** Null: there is no route at all. */
  first(): NextAttempt | null {
    return this.at(0);
  }

  /** What follows an attempt that failed with `error`. Null: nothing is left, or the error is the caller's own. */
  after(error: UpstreamError, timedOut: boolean): NextAttempt | null {
    if (error.fault === 'caller') return null;
    const current = this.routes[this.position];
    if (current && !timedOut && this.mayRetry(error)) {
      this.retriesLeft -= 1;
      return { route: current, delayMs: Math.max(this.jitterMs(), (error.retryAfterS ?? 0) * 1_000) };
    }
    return this.at(this.position + 1);
  }

  /** The current route cannot take this request at all: the one behind it. */
  skip(): NextAttempt | null {
    return this.at(this.position + 1);
  }

  private mayRetry(error: UpstreamError): boolean {
    return (
      error.fault === 'retryable' &&
      this.retriesLeft > 0 &&
      (error.retryAfterS === null || error.retryAfterS <= longestRetryAfterS)
    );
  }

  private at(position: number): NextAttempt | null {
    this.position = position;
    const route = this.routes[position];
    return route ? { route, delayMs: 0 } : null;
  }

  private jitterMs(): number {
    return jitterFromMs + this.random() * (jitterToMs - jitterFromMs);
  }
}
