import type { UpstreamError } from '@tollgate/dialects';
import { longestPauseMs } from '../health/deployment-watch';
import { saysBusy } from '../health/attempt-pass';
import type { Route } from './route-table';

/** What to try next, and how long to wait before. */
export interface NextAttempt {
  route: Route;
  delayMs: number;
}

/** Why a deployment is asked again: it failed, or it is busy and lets requests wait. */
type RetryReason = 'failed' | 'busy';

/**
 * Says whether one more attempt at the same deployment is worth it. It may be asked once for each retry that
 * is made: what it grants is spent.
 */
export type GrantRetry = (route: Route, delayMs: number, reason: RetryReason) => boolean;

/** How an attempt failed. `status`: the provider's HTTP status, null when there was none. */
export interface AttemptFailure {
  error: UpstreamError;
  timedOut: boolean;
  status: number | null;
}

/** The code of an attempt that an operator ended by closing its deployment. */
export const closedByOperator = 'closed_by_operator';

/** Retries are spread over this span, so that requests that failed together do not come back together. */
const jitterFromMs = 50;
const jitterToMs = 150;
/** A server that lets requests wait is asked so often whether it has room, and for so long in all. */
const busyDelayMs = 1_000;
const busyPatienceMs = 20_000;

/**
 * The order in which one request tries its routes. A retryable error is tried again at the same deployment
 * while retries are left (for the whole request, and for the provider), then the next route is taken. A
 * provider that used up a time limit is not asked again: the caller has waited long enough for it. A server
 * that lets requests wait (`queues`) and says busy is asked again at its own pace, where there is no other
 * place. What is too long for a model goes on to the first one with a larger window.
 */
export class AttemptPlan {
  private position = 0;
  /** How long busy servers were waited for. */
  private busyMs = 0;

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

  /** What follows an attempt that failed. Null: nothing is left, or the error is the caller's own. */
  after({ error, timedOut, status }: AttemptFailure): NextAttempt | null {
    const current = this.routes[this.position];
    if (error.fault === 'caller') return current ? this.withLargerWindow(current, error) : null;
    const delayMs = Math.max(this.jitterMs(), (error.retryAfterS ?? 0) * 1_000);
    if (current && !timedOut && this.mayRetry(error) && this.grantRetry(current, delayMs, 'failed')) {
      this.retriesLeft -= 1;
      return { route: current, delayMs };
    }
    if (current && saysBusy(status) && this.isLast && this.mayWaitFor(current, error))
      return { route: current, delayMs: Math.max(busyDelayMs, delayMs) };
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

  /** No route comes after the current one. */
  get isLast(): boolean {
    return this.position >= this.routes.length - 1;
  }

  /** Goes on from this route, which was begun outside of the plan. */
  moveTo(route: Route): void {
    this.position = this.routes.indexOf(route);
  }

  private mayRetry(error: UpstreamError): boolean {
    return (
      error.fault === 'retryable' &&
      !error.aboutRequest &&
      this.retriesLeft > 0 &&
      (error.retryAfterS === null || error.retryAfterS * 1_000 <= longestPauseMs)
    );
  }

  private mayWaitFor(route: Route, { retryAfterS }: UpstreamError): boolean {
    const delayMs = Math.max(busyDelayMs, (retryAfterS ?? 0) * 1_000);
    if (!route.endpoint.provider.queues || this.busyMs + delayMs > busyPatienceMs) return false;
    this.busyMs += delayMs;
    return this.grantRetry(route, delayMs, 'busy');
  }

  private withLargerWindow({ model }: Route, { code }: UpstreamError): NextAttempt | null {
    const { contextWindow } = model;
    if (code !== 'context_length_exceeded' || contextWindow === null) return null;
    const larger = this.rest.find((route) => (route.model.contextWindow ?? 0) > contextWindow);
    return larger ? this.at(this.routes.indexOf(larger)) : null;
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
