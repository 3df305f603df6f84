import type { SealingKey } from '@tollgate/contracts/catalog';
import type { InferenceAnnouncement, ListedByProvider } from '@tollgate/contracts/inference';

/**
 * After this long without an announcement an instance counts as gone; instances announce every five seconds.
 */
export const silenceMs = 15_000;

/**
 * What the live inference instances can reach. `sandbox`: at least one of them answers from the simulated
 * providers.
 */
export interface Reach {
  sandbox: boolean;
  providers: ReadonlySet<string>;
  /** What providers list of their own models, by provider id. */
  listed: Readonly<Record<string, ListedByProvider[]>>;
}

/** Knows which inference instances live, from what they announce. Times are epoch milliseconds. */
export class InferencePresence {
  private readonly instances = new Map<string, InferenceAnnouncement & { heardAt: number }>();
  /** What `last` was made of. */
  private lastOf: readonly object[] = [];

  /** `last` is what was known before this start, null when nothing was. */
  constructor(private last: Reach | null = null) {}

  hear(announcement: InferenceAnnouncement, now: number): void {
    this.instances.set(announcement.instance, { ...announcement, heardAt: now });
  }

  /**
   * Null: nothing is known. When all have fallen silent it stays as it was: they may be restarting, or NATS
   * is. The same object as the last time where nothing else was announced since.
   */
  reach(now: number): Reach | null {
    const live = this.live(now);
    if (!live.length) return this.last;
    for (const [instance, { heardAt }] of this.instances)
      if (now - heardAt >= silenceMs) this.instances.delete(instance);
    if (live.length === this.lastOf.length && live.every((each, at) => each === this.lastOf[at])) return this.last;
    this.lastOf = live;
    const providers = new Set(live.flatMap((each) => each.providers));
    const listed = { ...this.notReadYet(live, providers), ...listedBy(live) };
    this.last = { sandbox: live.some(({ sandbox }) => sandbox), providers, listed };
    return this.last;
  }

  /** Why live instances cannot use providers that are set without the file, by provider id. */
  faults(now: number): ReadonlyMap<string, string> {
    return new Map(this.live(now).flatMap(({ faults }) => Object.entries(faults)));
  }

  /**
   * What keys are sealed with: the newest that every live instance can open which can open any, so that one
   * that is not restarted yet under the new secret can open it, too. Null: none can, or they have none in
   * common.
   */
  sealing(now: number): SealingKey | null {
    return this.inCommon(now)[0] ?? null;
  }

  /** Ids of what any live instance opens. Null: none is live. */
  openedByAny(now: number): string[] | null {
    const ids = this.opening(now).flatMap((keys) => keys.map(({ id }) => id));
    return this.live(now).length === 0 ? null : [...new Set(ids)];
  }

  private inCommon(now: number): SealingKey[] {
    const [first = [], ...others] = this.opening(now);
    return first.filter(({ id }) => others.every((keys) => keys.some((each) => each.id === id)));
  }

  /** The newest key of all of them. Null: some have another one as their newest. */
  newestSealing(now: number): SealingKey | null {
    const [first, ...others] = this.opening(now).map(([newest]) => newest);
    return first && others.every((other) => other?.id === first.id) ? first : null;
  }

  /** What each live instance opens that opens anything, in an order that is the same for every catalog. */
  private opening(now: number): SealingKey[][] {
    const able = this.live(now).filter(({ opens }) => opens.length > 0);
    return able.sort((a, b) => (a.instance < b.instance ? -1 : 1)).map(({ opens }) => opens);
  }

  private live(now: number): (InferenceAnnouncement & { heardAt: number })[] {
    return [...this.instances.values()].filter(({ heardAt }) => now - heardAt < silenceMs);
  }

  /**
   * What was listed by providers that no instance has asked yet since it started: a list of no models is
   * another thing.
   */
  private notReadYet(live: readonly InferenceAnnouncement[], providers: ReadonlySet<string>): Reach['listed'] {
    const wasNotRead = (id: string) => providers.has(id) && live.every(({ listed }) => !Object.hasOwn(listed, id));
    return Object.fromEntries(Object.entries(this.last?.listed ?? {}).filter(([id]) => wasNotRead(id)));
  }
}

/**
 * Each model once, however many instances saw it; sorted, so that the order of instances makes no difference.
 */
function listedBy(instances: readonly InferenceAnnouncement[]): Reach['listed'] {
  const lists = instances.flatMap(({ listed }) => Object.entries(listed));
  const all = new Map<string, Map<string, ListedByProvider>>();
  for (const [provider, models] of lists) {
    const known = all.get(provider) ?? new Map<string, ListedByProvider>();
    for (const model of models) known.set(model.name, known.get(model.name) ?? model);
    all.set(provider, known);
  }
  const byName = (a: ListedByProvider, b: ListedByProvider) => a.name.localeCompare(b.name);
  return Object.fromEntries(Array.from(all, ([provider, models]) => [provider, [...models.values()].sort(byName)]));
}
