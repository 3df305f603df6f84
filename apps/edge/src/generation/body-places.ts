import { TransientMap } from '@tollgate/messaging';

/**
 * How many bodies of one account are under way beside others, and when one counts as stalled: where it brings
 * fewer than `leastBytes` in `stalledMs`.
 */
export interface PlaceBounds {
  readonly places: number;
  readonly stalledMs: number;
  readonly leastBytes: number;
}

/** So often in that time it is looked whether one has stalled, where others wait. */
const looksPerStall = 4;

/** A body's place among those of its account. */
export interface BodyPlace {
  /** So many bytes more of it came. */
  heard(bytes: number): void;
  /** Its sender is not to blame for so many milliseconds: it waited for its turn here. */
  waited(ms: number): void;
  /** It is over, or nobody waits for it any more. Later calls do nothing. */
  leave(): void;
}

interface Place extends BodyPlace {
  /** Since when it has brought less than is enough, and how much. */
  sinceMs: number;
  broughtBytes: number;
  readonly go: () => void;
}

/** What one account has under way, and what waits for a place of that, each in the order of coming. */
interface Account {
  readonly taken: Set<Place>;
  readonly waiting: Set<Place>;
}

/**
 * Of bodies that are no longer tiny, an account has a number of places beside others: what waits for one is
 * left to its sender, in whose memory it lies. 600 bodies of a megabyte that stalled were read as far as they
 * came, and V8 collected the whole heap for each 20 to 30 MB of them. One that brings next to nothing
 * for a while loses its place, so that others of its account go on; what it brings later is read all the
 * same.
 */
export class BodyPlaces {
  private readonly accounts = new TransientMap<string, Account>();
  private timer: NodeJS.Timeout | undefined;

  /** `isBeside`: whether anybody else is served; `now`: the steady clock, milliseconds. */
  constructor(
    private readonly bounds: PlaceBounds,
    private readonly isBeside: (accountId: string) => boolean,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Calls `go` once, at once or when there is a place. */
  enter(accountId: string, go: () => void): BodyPlace {
    const account = this.accounts.get(accountId) ?? { taken: new Set(), waiting: new Set() };
    this.accounts.set(accountId, account);
    const place: Place = {
      sinceMs: this.now(),
      broughtBytes: 0,
      go,
      heard: (bytes) => this.heard(place, bytes),
      waited: (ms) => void (place.sinceMs += ms),
      leave: () => this.leave(accountId, account, place),
    };
    account.waiting.add(place);
    this.admit(accountId, account);
    return place;
  }

  private heard(place: Place, bytes: number): void {
    place.broughtBytes += bytes;
    if (place.broughtBytes >= this.bounds.leastBytes) this.begin(place);
  }

  private begin(place: Place): void {
    place.sinceMs = this.now();
    place.broughtBytes = 0;
  }

  private leave(accountId: string, account: Account, place: Place): void {
    account.waiting.delete(place);
    account.taken.delete(place);
    this.admit(accountId, account);
    const isOver = account.taken.size + account.waiting.size === 0;
    // One that had stalled leaves last, perhaps, when its account has begun anew.
    if (isOver && this.accounts.get(accountId) === account) this.accounts.delete(accountId);
  }

  private admit(accountId: string, { taken, waiting }: Account): void {
    if (taken.size >= this.bounds.places) this.forgetStalled(taken);
    const isAlone = !this.isBeside(accountId);
    for (const place of waiting) {
      if (!isAlone && taken.size >= this.bounds.places) break;
      waiting.delete(place);
      taken.add(place);
      this.begin(place);
      place.go();
    }
    if (waiting.size > 0) this.look();
  }

  private forgetStalled(taken: Set<Place>): void {
    const since = this.now() - this.bounds.stalledMs;
    for (const place of taken) if (place.sinceMs < since) taken.delete(place);
  }

  private look(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      for (const [accountId, account] of this.accounts) this.admit(accountId, account);
    }, this.bounds.stalledMs / looksPerStall).unref();
  }
}
