import { TransientMap } from '@tollgate/messaging';

/** How many bodies of one account are under way beside others, and when one counts as stalled. */
export interface PlaceBounds {
  readonly places: number;
  readonly stalledMs: number;
}

/** So often in that time it is looked whether one has stalled, where others wait. */
const looksPerStall = 4;

/** A body's place among those of its account. */
export interface BodyPlace {
  /** More of it came, or comes now. */
  heard(): void;
  /** It is over, or nobody waits for it any more. Later calls do nothing. */
  leave(): void;
}

interface Place extends BodyPlace {
  heardMs: number;
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
 * came, and V8 collected the whole heap for each 20 to 30 MB of them. One that brings nothing for a while
 * loses its place, so that others of its account go on; what it brings later is read all the same.
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
      heardMs: this.now(),
      go,
      heard: () => void (place.heardMs = this.now()),
      leave: () => this.leave(accountId, account, place),
    };
    account.waiting.add(place);
    this.admit(accountId, account);
    return place;
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
      place.heard();
      place.go();
    }
    if (waiting.size > 0) this.look();
  }

  private forgetStalled(taken: Set<Place>): void {
    const since = this.now() - this.bounds.stalledMs;
    for (const place of taken) if (place.heardMs < since) taken.delete(place);
  }

  private look(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      for (const [accountId, account] of this.accounts) this.admit(accountId, account);
    }, this.bounds.stalledMs / looksPerStall).unref();
  }
}
