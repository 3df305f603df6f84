import type { DeploymentHealth } from '@tollgate/contracts';
import type { Route } from '../routing/route-table';
import { AttemptPass, type KnownHealth } from './attempt-pass';
import { Breaker } from './breaker';
import { ConcurrencyLimit } from './concurrency-limit';
import { FirstAnswerTimes } from './first-answer-times';
import { RetryBudget } from './retry-budget';
import { SilenceWatch } from './silence-watch';

/**
 * Why an attempt is not made. open: the deployment is left alone, for `waitMs` more; full: its provider gets as much at once as it takes;
 * late: it has never been fast enough of late to answer in the time that is left.
 */
export type AttemptRefusal = { kind: 'open'; waitMs: number } | { kind: 'full' } | { kind: 'late' };

/** The part of a route that health is kept by: deployments and the providers' addresses. */
export type HealthPlace = Pick<Route, 'deployment' | 'endpoint'>;

/**
 * Decides which attempts are worth making, by what this instance saw of each deployment and provider. All of it is in memory, each instance for itself, and
 * is forgotten when its deployment or provider leaves the catalog.
 */
export class AttemptGate {
  private readonly deployments = new Map<string, KnownHealth & { readonly provider: string }>();
  /** By provider and address. */
  private readonly limits = new Map<string, ConcurrencyLimit>();
  /** By provider. */
  private readonly budgets = new Map<string, RetryBudget>();

  /** `clock` gives milliseconds and never goes back. */
  constructor(
    private readonly minConcurrency: number,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Lets an attempt through, or says why not. `leftMs`: the time until the request's deadline; `stream`: the answer will be one. */
  admit(place: HealthPlace, leftMs: number, stream: boolean): AttemptPass | AttemptRefusal {
    const now = this.clock();
    const health = this.healthOf(place);
    const { breaker, limit, firstAnswers } = health;
    hearSilence(health, now);
    const waitMs = breaker.waitMs(now);
    if (waitMs > 0) return { kind: 'open', waitMs };
    if (leftMs < firstAnswers.shortestMs(now)) return { kind: 'late' };
    if (!limit.enter(now)) return { kind: 'full' };
    const permit = breaker.begin(now);
    if (permit) return new AttemptPass(health, permit, this.clock, stream);
    limit.leave();
    return { kind: 'open', waitMs: breaker.waitMs(now) };
  }

  /** Whether an attempt would be let through now. */
  isOpenTo(place: HealthPlace): boolean {
    return this.deployments.get(place.deployment.id)?.breaker.admits(this.clock()) ?? true;
  }

  /** A request turns to this provider for the first time. */
  requested({ endpoint }: HealthPlace): void {
    this.budgetOf(endpoint.provider.id).requested();
  }

  /** Takes a retry from the provider's budget. False: it has none left, or the deployment is to be left alone. */
  takeRetry(place: HealthPlace): boolean {
    return this.isOpenTo(place) && this.budgetOf(place.endpoint.provider.id).take(this.clock());
  }

  /** Forgets every deployment and provider that is not among these. */
  retain(places: Iterable<HealthPlace>): void {
    const kept = [...places];
    forgetOthers(this.deployments, new Set(kept.map(({ deployment }) => deployment.id)));
    forgetOthers(this.limits, new Set(kept.map(addressOf)));
    forgetOthers(this.budgets, new Set(kept.map(({ endpoint }) => endpoint.provider.id)));
  }

  /** The state of every deployment that was tried. */
  report(): DeploymentHealth[] {
    const now = this.clock();
    return Array.from(this.deployments, ([deployment, { provider, breaker, limit }]) => ({
      deployment,
      provider,
      state: breaker.state(now),
      timesOpened: breaker.timesOpened,
      retryInMs: Math.round(breaker.waitMs(now)),
      concurrencyLimit: limit.current === Number.POSITIVE_INFINITY ? null : limit.current,
    }));
  }

  private healthOf(place: HealthPlace): KnownHealth {
    const { deployment, endpoint } = place;
    let health = this.deployments.get(deployment.id);
    if (!health) {
      const provider = endpoint.provider.id;
      const limit = this.limitAt(addressOf(place));
      health = {
        provider,
        breaker: new Breaker(),
        limit,
        firstAnswers: new FirstAnswerTimes(),
        silence: new SilenceWatch(),
      };
      this.deployments.set(deployment.id, health);
    }
    return health;
  }

  private limitAt(address: string): ConcurrencyLimit {
    let limit = this.limits.get(address);
    if (!limit) this.limits.set(address, (limit = new ConcurrencyLimit(this.minConcurrency)));
    return limit;
  }

  private budgetOf(provider: string): RetryBudget {
    let budget = this.budgets.get(provider);
    if (!budget) this.budgets.set(provider, (budget = new RetryBudget(this.clock())));
    return budget;
  }
}

function hearSilence({ breaker, silence }: KnownHealth, now: number): void {
  if (!silence.isSilent(now)) return;
  breaker.silent(now);
  silence.forgetWaiting();
}

function addressOf({ endpoint }: HealthPlace): string {
  return `${endpoint.provider.id} ${endpoint.origin}`;
}

function forgetOthers(known: Map<string, unknown>, kept: ReadonlySet<string>): void {
  for (const name of known.keys()) if (!kept.has(name)) known.delete(name);
}
