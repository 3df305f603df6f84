import { TransientMap } from '@tollgate/messaging';
import type { Caller } from './caller-window';

/**
 * Most requests that wait for places at once; each holds its body. Above it the account that has most of them
 * loses one, of its key that has most.
 */
const mostWaiting = 256;

/** Who has how many of places, and how many it would have if all that want some had as many. */
interface Part {
  readonly own: number;
  readonly fair: number;
}

/**
 * A key's part of places that are short, of `places` in all, and that of its account, which its keys share.
 * `account` null: no other key of it wants any. `isOwed`: it has less than its share, and its account is
 * within its own.
 */
export interface PlaceShare extends Part {
  readonly places: number;
  readonly account: Part | null;
  readonly isOwed: boolean;
}

interface Waiting {
  readonly caller: Caller;
  readonly decide: (entered: boolean) => void;
}

/**
 * Places that requests take for as long as they run. While there are fewer than wanted they go to the account
 * that has the fewest, within it to the key that has the fewest, and among those to the request that waited
 * longest: who sends most does not get most, nor who has most keys. Nobody who runs is stopped; what others
 * hold beyond their share keeps nobody from his own, who goes on beyond a limit that was only learned. It may
 * be too low: 16 answers of a minute, which began just before some refusals, would have all of it for as
 * long.
 */
export class Places {
  inFlight = 0;
  /** By account and key. */
  private readonly held = new TransientMap<string, TransientMap<string, number>>();
  /** In the order in which they came. */
  private readonly queue: Waiting[] = [];

  /**
   * `most`: so many at once are never exceeded; `learned`: how many there seem to be at this moment, Infinity
   * for as many as wanted.
   */
  constructor(
    private readonly most: number,
    private readonly learned: () => number = () => Number.POSITIVE_INFINITY,
  ) {}

  get waiting(): number {
    return this.queue.length;
  }

  /** Takes a place. False: there is none, or others wait for it. */
  enter(caller: Caller): boolean {
    const isFree = this.queue.length === 0 && this.inFlight < this.limit;
    if (!isFree && !this.isOwed(caller)) return false;
    this.take(caller);
    return true;
  }

  /**
   * Resolves with true when a place was taken; with false after `patienceMs`, at an abort, or when it gave
   * way to somebody with fewer requests waiting.
   */
  async wait(caller: Caller, patienceMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.enter(caller)) return true;
    if (signal.aborted || patienceMs <= 0 || !this.makeRoom(caller)) return false;
    return new Promise((resolve) => {
      const giveUp = (): void => waiting.decide(false);
      const timer = setTimeout(giveUp, patienceMs);
      signal.addEventListener('abort', giveUp, { once: true });
      const waiting: Waiting = {
        caller,
        decide: (entered) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', giveUp);
          this.remove(waiting);
          resolve(entered);
        },
      };
      this.queue.push(waiting);
    });
  }

  leave({ account, key }: Caller): void {
    this.inFlight -= 1;
    const keys = this.held.get(account);
    const left = (keys?.get(key) ?? 0) - 1;
    if (left > 0) keys?.set(key, left);
    else keys?.delete(key);
    if (keys?.size === 0) this.held.delete(account);
    for (let next = this.next(); next && this.mayTake(next.caller); next = this.next()) {
      this.take(next.caller);
      next.decide(true);
    }
  }

  /** `newcomers`: so many accounts that have none yet are to find their share, too. */
  shareOf(caller: Caller, newcomers = 0): PlaceShare {
    return shareOf(caller, this.wantedBy(caller), this.limit, newcomers);
  }

  private get limit(): number {
    return Math.min(this.most, this.learned());
  }

  private mayTake(caller: Caller): boolean {
    return this.inFlight < this.limit || this.isOwed(caller);
  }

  /**
   * It has less than its share, and would find a place if nobody had more than that. Shares become smaller as
   * callers come, so twice the limit is the end.
   */
  private isOwed(caller: Caller): boolean {
    const { limit } = this;
    if (this.inFlight >= Math.min(this.most, 2 * limit)) return false;
    const wanted = this.wantedBy(caller);
    if (!shareOf(caller, wanted, limit, 0).isOwed) return false;
    const fair = fairOf(limit, wanted.size);
    let shared = 0;
    for (const keys of wanted.values()) shared += sharedWithin(keys, fair);
    return shared < limit;
  }

  /** What everybody holds who has places or wants some, by account and key. */
  private wantedBy(caller: Caller): Map<string, Map<string, number>> {
    const wanted = new Map<string, Map<string, number>>();
    for (const [account, keys] of this.held) wanted.set(account, new Map(keys));
    for (const { account, key } of [...this.queue.map((waiting) => waiting.caller), caller]) {
      const keys = wanted.get(account) ?? new Map<string, number>();
      wanted.set(account, keys.set(key, keys.get(key) ?? 0));
    }
    return wanted;
  }

  private take({ account, key }: Caller): void {
    this.inFlight += 1;
    const keys = this.held.get(account) ?? new TransientMap<string, number>();
    keys.set(key, (keys.get(key) ?? 0) + 1);
    this.held.set(account, keys);
  }

  private next(): Waiting | undefined {
    let next: Waiting | undefined;
    let fewest = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
    for (const waiting of this.queue) {
      const keys = this.held.get(waiting.caller.account);
      const has = [sumOf(keys), keys?.get(waiting.caller.key) ?? 0] as const;
      if (has[0] > fewest[0] || (has[0] === fewest[0] && has[1] >= fewest[1])) continue;
      next = waiting;
      fewest = has;
    }
    return next;
  }

  /** False: this caller itself has the most that waits. */
  private makeRoom({ account, key }: Caller): boolean {
    if (this.queue.length < mostWaiting) return true;
    const greediest = oftenest([...this.queue.map(({ caller }) => caller.account), account], account);
    const keys = this.queue.flatMap(({ caller }) => (caller.account === greediest ? [caller.key] : []));
    const loser = greediest === account ? oftenest([...keys, key], key) : oftenest(keys);
    if (greediest === account && loser === key) return false;
    this.queue.findLast(({ caller }) => caller.account === greediest && caller.key === loser)?.decide(false);
    return true;
  }

  private remove(waiting: Waiting): void {
    const at = this.queue.indexOf(waiting);
    if (at >= 0) this.queue.splice(at, 1);
  }
}

function fairOf(places: number, sharers: number): number {
  return Math.max(1, Math.floor(places / sharers));
}

function sumOf(keys: Iterable<readonly [string, number]> | undefined): number {
  let sum = 0;
  for (const [, held] of keys ?? []) sum += held;
  return sum;
}

/** What an account's keys hold within their parts of its share, and no more than that. */
function sharedWithin(keys: ReadonlyMap<string, number>, fair: number): number {
  const fairOfKey = fairOf(fair, keys.size);
  let shared = 0;
  for (const held of keys.values()) shared += Math.min(held, fairOfKey);
  return Math.min(shared, fair);
}

function shareOf(
  { account, key }: Caller,
  wanted: ReadonlyMap<string, ReadonlyMap<string, number>>,
  places: number,
  newcomers: number,
): PlaceShare {
  const keys = wanted.get(account) ?? new Map<string, number>();
  const fairOfAccount = fairOf(places, wanted.size + newcomers);
  const fair = fairOf(fairOfAccount, keys.size);
  const own = keys.get(key) ?? 0;
  return {
    own,
    fair,
    places,
    account: keys.size > 1 ? { own: sumOf(keys), fair: fairOfAccount } : null,
    isOwed: own < fair && sharedWithin(keys, fairOfAccount) < fairOfAccount,
  };
}

/** The name that is there most often; of several, `first` where it is one of them. */
function oftenest(names: readonly string[], first = ''): string {
  const counts = new Map([[first, 0]]);
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].reduce((one, other) => (other[1] > one[1] ? other : one))[0];
}
