import type { ProviderKeyRest } from '@tollgate/contracts/inference';
import type { AttemptFailure } from '../routing/attempt-plan';
import { weightedOrder } from '../routing/weighted-order';
import { markOf, type PooledKey, type ProviderEndpoint } from '../upstream/provider-endpoint';
import type { HealthPlace } from './attempt-gate';

/**
 * Since and until when a key is left alone, and why: the provider's status. `deployment` null: at all of the
 * provider's models. `restMs` is doubled where it fails again, after its rest, before it was served. `number`
 * `of` so many keys, and its `mark` (see ProviderKeyRest).
 */
interface Rest {
  readonly provider: string;
  readonly number: number;
  readonly of: number;
  readonly mark: string;
  readonly deployment: string | null;
  readonly since: number;
  readonly until: number;
  readonly restMs: number;
  readonly status: number;
}

/** How long a key rests that is out of its limits, where the provider names no time, and the most of it. */
const limitedMs = { first: 5_000, longest: 60_000 };
/** The same of a key that was refused, or whose account is empty: a person has to see to it. */
const refusedMs = { first: 60_000, longest: 600_000 };
/** A provider that names a time is believed so far: until midnight would be long after a limit was raised. */
const longestAskedMs = 600_000;
/** Statuses of a key that is wrong, or whose account is empty: at all models. */
const ofAccount: ReadonlySet<number | null> = new Set([400, 401, 402, 429]);
/** Statuses of a key that may not have this model. */
const ofModel: ReadonlySet<number | null> = new Set([403, 404]);

/** Whether a provider's refusal is of the key that was used: another key of it may be served. */
export function isAboutKey({ status, error }: AttemptFailure): boolean {
  if (error.aboutRequest === true) return false;
  if (error.fault === 'ours') return ofAccount.has(status) || ofModel.has(status);
  return error.fault === 'retryable' && status === 429;
}

/**
 * Which keys of providers rest, as this instance saw it, where a provider has several. A caller keeps to one
 * of them, where the provider's prompt cache knows it, and goes on to the next while that rests. Limits of
 * providers are counted by model, so a key that is out of them rests at that place alone. Times are
 * milliseconds of a clock that never goes back.
 */
export class KeyRests {
  private readonly rests = new Map<string, Rest>();

  constructor(readonly clock: () => number = () => performance.now()) {}

  /**
   * The key for a request of this caller (the id of an API key): its own, else the next one that is awake;
   * where all rest, the one that rests the shortest. Null: the provider has no pool.
   */
  choose(place: HealthPlace, caller: string, tried: ReadonlySet<PooledKey> = new Set()): PooledKey | null {
    const { pool } = place.endpoint;
    if (pool.length === 0) return null;
    return this.awake(place, caller, tried) ?? this.soonest(place);
  }

  /** The next key that is awake and was not tried; undefined: there is none. */
  awake({ endpoint, deployment }: HealthPlace, caller: string, tried: ReadonlySet<PooledKey>): PooledKey | undefined {
    const now = this.clock();
    const choices = endpoint.pool.map((key) => ({ choice: key, name: String(key.number), weight: 1 }));
    return weightedOrder(choices, `${caller} ${endpoint.provider.id}`).find(
      (key) => !tried.has(key) && this.restsUntil(endpoint, key, deployment.id) <= now,
    );
  }

  /**
   * A key was refused (`isAboutKey`), as may be many requests at once. Returns for how many milliseconds it
   * rests, and whether it did not before.
   */
  refused(
    { endpoint, deployment }: HealthPlace,
    key: PooledKey,
    { status, error }: AttemptFailure,
  ): { restsMs: number; isNew: boolean } {
    const told = { provider: endpoint.provider.id, number: key.number, of: endpoint.pool.length, mark: markOf(key) };
    const isLimited = error.fault === 'retryable';
    const place = isLimited || ofModel.has(status) ? deployment.id : null;
    const name = nameOf(endpoint, key, place);
    const { first, longest } = isLimited ? limitedMs : refusedMs;
    const now = this.clock();
    const known = this.rests.get(name);
    const isNew = known === undefined || known.until <= now;
    const restMs = isNew ? Math.min((known?.restMs ?? first / 2) * 2, longest) : known.restMs;
    const askedMs = error.retryAfterS === null ? null : Math.min(error.retryAfterS * 1_000, longestAskedMs);
    const endsAt = now + (askedMs ?? (isNew ? restMs : 0));
    const until = isNew ? endsAt : Math.max(known.until, endsAt);
    const since = isNew ? now : known.since;
    this.rests.set(name, { ...told, deployment: place, since, until, restMs, status: status ?? 0 });
    return { restsMs: Math.round(until - now), isNew };
  }

  /**
   * The key was served at this place, by a request that was sent at `sentAtMs`. What had been sent before it
   * was refused is no news.
   */
  served({ endpoint, deployment }: HealthPlace, key: PooledKey, sentAtMs: number): void {
    if (this.rests.size === 0) return;
    for (const place of [null, deployment.id]) {
      const name = nameOf(endpoint, key, place);
      if ((this.rests.get(name)?.since ?? Infinity) <= sentAtMs) this.rests.delete(name);
    }
  }

  /** Forgets keys that are not among those of these endpoints. */
  retain(endpoints: Iterable<ProviderEndpoint>): void {
    const kept = new Set(
      Array.from(endpoints, (endpoint) => endpoint.pool.map((key) => nameOf(endpoint, key, null))).flat(),
    );
    for (const [name, { deployment }] of this.rests) {
      const ofKey = deployment === null ? name : name.slice(0, -deployment.length);
      if (!kept.has(ofKey)) this.rests.delete(name);
    }
  }

  /** How long until a key is awake at this place; 0: one is. */
  waitMs({ endpoint, deployment }: HealthPlace): number {
    const untils = endpoint.pool.map((key) => this.restsUntil(endpoint, key, deployment.id));
    return Math.max(0, Math.min(...untils) - this.clock());
  }

  /** How long until the first key of any of these places is awake; 0: one is, or a place has no pool. */
  restMs(places: readonly HealthPlace[]): number {
    if (this.rests.size === 0 || places.length === 0) return 0;
    const hasPool = ({ endpoint }: HealthPlace): boolean => endpoint.pool.length > 0 && !endpoint.isOwnKey;
    return Math.min(...places.map((place) => (hasPool(place) ? this.waitMs(place) : 0)));
  }

  /** The keys that rest now. */
  report(): ProviderKeyRest[] {
    const now = this.clock();
    return Array.from(this.rests.values()).flatMap(({ until, number, provider, deployment, status, of, mark }) => {
      const restsForMs = Math.round(until - now);
      return until > now ? [{ provider, key: number, deployment, status, restsForMs, of, mark }] : [];
    });
  }

  private soonest({ endpoint, deployment }: HealthPlace): PooledKey | null {
    const until = (key: PooledKey): number => this.restsUntil(endpoint, key, deployment.id);
    return endpoint.pool.toSorted((one, other) => until(one) - until(other))[0] ?? null;
  }

  private restsUntil(endpoint: ProviderEndpoint, key: PooledKey, deployment: string): number {
    if (this.rests.size === 0) return 0;
    const untils = [null, deployment].map((place) => this.rests.get(nameOf(endpoint, key, place))?.until ?? 0);
    return Math.max(...untils);
  }
}

/** Holds the key itself, so that another one in its place is not taken for it. Never log it. */
function nameOf({ provider }: ProviderEndpoint, { apiKey }: PooledKey, deployment: string | null): string {
  return `${provider.id} ${apiKey} ${deployment ?? ''}`;
}
