import type { UpstreamError } from '@tollgate/dialects';
import type { Route } from './route-table';

/** What to try next, and how long to wait before. */
export interface NextAttempt {
  route: Route;
  delayMs: number;
}

/** Says whether one more attempt at the same deployment is worth it. It may be asked once for each retry that is made: what it grants is spent. */
export type GrantRetry = (route: Route, delayMs: number) => boolean;

/** A provider that asks for more patience than this is left for the next one. */
const longestRetryAfterS = 2;
/** Retries are spread over this span, so that requests that failed together do not come back together. */
const jitterFromMs = 50;
const jitterToMs = 150;

/**
 * The order in which one request tries its routes. A retryable error is tried again at the same deployment while retries are left
 * (for the whole request, and for the provider), then the next route is taken. A provider that used up a time limit is not asked again: the
 * caller has waited long enough for it.
 */
export class AttemptPlan {
  private position = 0;

  constructor(
    private readonly routes: readonly Route[],
    private retriesLeft: number,
    private readonly grantRetry: GrantRetry = () => true,
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
    const delayMs = Math.max(this.jitterMs(), (error.retryAfterS ?? 0) * 1_000);
    if (current && !timedOut && this.mayRetry(error) && this.grantRetry(current, delayMs)) {
      this.retriesLeft -= 1;
      return { route: current, delayMs };
    }
    return this.at(this.position + 1);
  }

  /** The current route cannot take this request now: the one behind it. */
  skip(): NextAttempt | null {
    return this.at(this.position + 1);
  }

  /** The routes behind the current one. */
  get rest(): readonly Route[] {
    return this.routes.slice(this.position + 1);
  }

  /** Goes on from this route, which was begun outside of the plan. */
  moveTo(route: Route): void {
    this.position = Math.max(this.position, this.routes.indexOf(route));
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
