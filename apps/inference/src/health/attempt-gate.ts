import type { CatalogSnapshot } from '@tollgate/contracts/catalog';
import type { DeploymentHealth, DeploymentHold } from '@tollgate/contracts/inference';
import { TransientSet } from '@tollgate/messaging';
import type { Route } from '../routing/route-table';
import { AttemptPass, type KnownHealth } from './attempt-pass';
import type { Caller } from './caller-window';
import { ConcurrencyLimit } from './concurrency-limit';
import { DeploymentWatch } from './deployment-watch';
import { Places, type PlaceShare } from './places';
import { RetryBudget } from './retry-budget';

/**
 * Why an attempt is not made. held: an operator closed the deployment or drains it, until `until` (epoch
 * milliseconds), null: until it is opened; open: it is left alone, for `waitMs` more; full: its provider gets
 * as much at once as it takes; late: it has never been fast enough of late to answer in the time that is
 * left.
 */
export type AttemptRefusal =
  | { kind: 'held'; until: number | null }
  | { kind: 'open'; waitMs: number }
  | { kind: 'full'; share: PlaceShare }
  | { kind: 'late' };

/** So far catalog's clock, by which a hold ends, may be from this one, milliseconds. */
const clockSkewMs = 5_000;

/** Requests of this instance: those that the server has, and those that wait here for their turn. */
export interface OwnLoad {
  inFlight: number;
  waiting: number;
}

/** The part of a route that health is kept by: deployments and the providers' addresses. */
export type HealthPlace = Pick<Route, 'deployment' | 'endpoint'>;

/**
 * What of a request decides. `leftMs`: until its deadline; `stream`: the answer will be one; `bytes`: its
 * size; `alone`: it has no other place to go.
 */
export interface AttemptAsk {
  readonly caller: Caller;
  readonly leftMs: number;
  readonly stream: boolean;
  readonly bytes: number;
  readonly alone: boolean;
}

/**
 * Decides which attempts are worth making, by what this instance saw of each deployment and provider. All of
 * it is in memory, each instance for itself, and is forgotten when its deployment or provider leaves the
 * catalog. What an operator decided of a deployment comes first, and holds for all.
 */
export class AttemptGate {
  private readonly deployments = new Map<string, KnownHealth & { readonly maxConcurrent: number | undefined }>();
  /** By provider and address; a deployment with a limit of its own has its own places. */
  private readonly shared = new Map<string, Pick<KnownHealth, 'limit' | 'places'>>();
  /** Places of attempts with keys of accounts, by provider and address. */
  private readonly own = new Map<string, Places>();
  /** By provider. */
  private readonly budgets = new Map<string, RetryBudget>();
  /** By deployment. */
  private holds: ReadonlyMap<string, DeploymentHold> = new Map();

  /**
   * `ownConnections`: so many requests go to one address with keys of accounts at once. `clock` gives
   * milliseconds and never goes back.
   */
  constructor(
    private readonly minConcurrency: number,
    private readonly ownConnections: number,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Lets an attempt through, or says why not. */
  admit(place: HealthPlace, ask: AttemptAsk): AttemptPass | AttemptRefusal {
    const health = this.healthFor(place);
    const refusal = this.refusal(place, health, ask);
    if (refusal) return refusal;
    if (!health.places.enter(ask.caller)) return { kind: 'full', share: health.places.shareOf(ask.caller) };
    return this.pass(health, ask);
  }

  /** Lets an attempt through as soon as there is a place, for `patienceMs` at the most, or says why not. */
  async admitInTurn(
    place: HealthPlace,
    ask: AttemptAsk,
    patienceMs: number,
    signal: AbortSignal,
  ): Promise<AttemptPass | AttemptRefusal> {
    const health = this.healthFor(place);
    const { places } = health;
    const { caller } = ask;
    if (!(await places.wait(caller, patienceMs, signal))) return { kind: 'full', share: places.shareOf(caller) };
    const refusal = this.refusal(place, health, ask);
    if (!refusal) return this.pass(health, ask);
    places.leave(caller);
    return refusal;
  }

  /** How many attempts are under way there, and how many wait for it. */
  loadOf({ deployment }: HealthPlace): OwnLoad {
    const { inFlight = 0, waiting = 0 } = this.deployments.get(deployment.id)?.places ?? {};
    return { inFlight, waiting };
  }

  /** Whether an attempt of this caller would be let through now. */
  isOpenTo({ deployment, endpoint }: HealthPlace, caller: Caller): boolean {
    if (this.isHeld({ deployment })) return false;
    if (endpoint.isOwnKey) return true;
    return (this.deployments.get(deployment.id)?.watch.waitMs(caller, false, this.clock()) ?? 0) === 0;
  }

  /** Whether an operator keeps requests away from it. */
  isHeld({ deployment }: Pick<HealthPlace, 'deployment'>): boolean {
    return this.holdOf(deployment.id) !== null;
  }

  /** A request of this caller turns to this provider for the first time. */
  requested({ endpoint }: HealthPlace, { account }: Caller): void {
    if (endpoint.isOwnKey) return;
    this.budgetOf(endpoint.provider.id).requested(account);
  }

  /**
   * Takes a retry from the provider's budget. False: it has none left for this caller, or the deployment is
   * to be left alone.
   */
  takeRetry(place: HealthPlace, caller: Caller): boolean {
    if (place.endpoint.isOwnKey) return this.isOpenTo(place, caller);
    const budget = this.budgetOf(place.endpoint.provider.id);
    return this.isOpenTo(place, caller) && budget.take(caller.account, this.clock());
  }

  /**
   * Forgets every deployment and provider that is not among these, and heeds what operators decided. What
   * runs at a deployment that is closed now is ended.
   */
  retain(places: Iterable<HealthPlace>, held: CatalogSnapshot['held'] = []): void {
    const kept = [...places];
    forgetOthers(this.deployments, new Set(kept.map(({ deployment }) => deployment.id)));
    const addresses = new Set(kept.map(addressOf));
    forgetOthers(this.shared, addresses);
    forgetOthers(this.own, addresses);
    forgetOthers(this.budgets, new Set(kept.map(({ endpoint }) => endpoint.provider.id)));
    this.holds = new Map(held.map(({ deployment, ...hold }) => [deployment, hold]));
    for (const place of kept) {
      const hold = this.holdOf(place.deployment.id);
      // So that it is reported also where no request came.
      const health = hold && this.healthOf(place);
      if (hold?.state === 'closed') for (const pass of [...(health?.running ?? [])]) pass.onClosed();
    }
  }

  /** The state of every deployment that was tried, or is held. */
  report(): DeploymentHealth[] {
    const now = this.clock();
    return Array.from(this.deployments, ([deployment, { watch, limit, places, running }]) => {
      const isAtWork = [...running].some((pass) => pass.isAtWork);
      const { since, retryInMs, lastBusyMs, ...standing } = watch.standing(now, isAtWork);
      const most = limit.current(now);
      return {
        deployment,
        provider: watch.provider,
        ...standing,
        timesOpened: watch.timesOpened,
        retryInMs: Math.round(retryInMs),
        lastBusyMs: lastBusyMs === null ? null : Math.round(lastBusyMs),
        concurrencyLimit: most === Number.POSITIVE_INFINITY ? null : most,
        openForMs: since === null ? null : Math.round(now - since),
        inFlight: places.inFlight,
        waiting: places.waiting,
        held: this.holdOf(deployment),
      };
    });
  }

  /**
   * Null: nobody holds it any more. A hold ends at its time also while catalog is away, which would tell of
   * it.
   */
  private holdOf(deployment: string): DeploymentHold | null {
    const hold = this.holds.get(deployment);
    if (!hold || (hold.until !== null && hold.until + clockSkewMs < Date.now())) return null;
    return hold;
  }

  /**
   * With a key that an account brought: what becomes of it is nobody else's, and what others met is not its
   * own. So it has a health of its own, which ends with it; only an operator keeps it away. Its place is
   * among those of all such keys.
   */
  private healthFor(place: HealthPlace): KnownHealth {
    const known = this.healthOf(place);
    if (!place.endpoint.isOwnKey) return known;
    const { queues, running } = known;
    const watch = new DeploymentWatch(place.endpoint.provider.id, false);
    const limit = new ConcurrencyLimit(this.minConcurrency);
    return { watch, limit, places: this.ownPlacesAt(addressOf(place)), queues, running };
  }

  /** One account alone gets half of them; the rest is for those that have less than their share. */
  private ownPlacesAt(address: string): Places {
    let places = this.own.get(address);
    const half = Math.ceil(this.ownConnections / 2);
    if (!places) this.own.set(address, (places = new Places(this.ownConnections, () => half)));
    return places;
  }

  private refusal({ deployment }: HealthPlace, { watch }: KnownHealth, ask: AttemptAsk): AttemptRefusal | null {
    const hold = this.holdOf(deployment.id);
    if (hold) return { kind: 'held', until: hold.until };
    const now = this.clock();
    const waitMs = watch.waitMs(ask.caller, ask.alone, now);
    if (waitMs > 0) return { kind: 'open', waitMs };
    return ask.leftMs < watch.firstAnswers.shortestMs(now) ? { kind: 'late' } : null;
  }

  /** To be called with a place taken. */
  private pass(health: KnownHealth, { caller, stream, bytes }: AttemptAsk): AttemptPass {
    return new AttemptPass(health, health.watch.begin(caller, this.clock()), this.clock, stream, bytes);
  }

  /** An operator who changes how a deployment is to be treated makes a new one of it. */
  private healthOf(place: HealthPlace): KnownHealth {
    const { id, maxConcurrent } = place.deployment;
    const { id: provider, queues } = place.endpoint.provider;
    const known = this.deployments.get(id);
    if (known?.queues === queues && known.maxConcurrent === maxConcurrent) return known;
    const own = maxConcurrent === undefined ? this.sharedAt(addressOf(place)) : this.places(maxConcurrent);
    const running = known?.running ?? new TransientSet();
    const health = { watch: new DeploymentWatch(provider, !queues), queues, maxConcurrent, running, ...own };
    this.deployments.set(id, health);
    return health;
  }

  private sharedAt(address: string): Pick<KnownHealth, 'limit' | 'places'> {
    let shared = this.shared.get(address);
    if (!shared) this.shared.set(address, (shared = this.places(Number.POSITIVE_INFINITY)));
    return shared;
  }

  private places(most: number): Pick<KnownHealth, 'limit' | 'places'> {
    const limit = new ConcurrencyLimit(this.minConcurrency);
    return { limit, places: new Places(most, () => limit.current(this.clock())) };
  }

  private budgetOf(provider: string): RetryBudget {
    let budget = this.budgets.get(provider);
    if (!budget) this.budgets.set(provider, (budget = new RetryBudget(this.clock())));
    return budget;
  }
}

function addressOf({ endpoint }: HealthPlace): string {
  return `${endpoint.provider.id} ${endpoint.origin}`;
}

function forgetOthers(known: Map<string, unknown>, kept: ReadonlySet<string>): void {
  for (const name of known.keys()) if (!kept.has(name)) known.delete(name);
}
