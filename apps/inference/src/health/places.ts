import { TransientMap } from '@tollgate/messaging';

/**
 * Most requests that wait for places at once; each holds its body. Above it the key that has most of them
 * loses one.
 */
const mostWaiting = 256;

/**
 * A key's part of places that are short: how many it has, of how many, and how many it would have if all keys
 * that want some had as many.
 */
export interface PlaceShare {
  own: number;
  places: number;
  fair: number;
}

interface Waiting {
  readonly key: string;
  readonly decide: (entered: boolean) => void;
}

/**
 * Places that requests take for as long as they run. While there are fewer than wanted they go to the key
 * that has the fewest, and among those to the request that waited longest: who sends most does not get most.
 * Nobody who runs is stopped; what others hold beyond their share keeps nobody from his own, who goes on
 * beyond a limit that was only learned. It may be too low: 16 answers of a minute, which began just before
 * some refusals, would have all of it for as long.
 */
export class Places {
  inFlight = 0;
  private readonly byKey = new TransientMap<string, number>();
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
  enter(key: string): boolean {
    const isFree = this.queue.length === 0 && this.inFlight < this.limit;
    if (!isFree && !this.isOwed(key)) return false;
    this.take(key);
    return true;
  }

  /**
   * Resolves with true when a place was taken; with false after `patienceMs`, at an abort, or when it gave
   * way to a key with fewer requests waiting.
   */
  async wait(key: string, patienceMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.enter(key)) return true;
    if (signal.aborted || patienceMs <= 0 || !this.makeRoom(key)) return false;
    return new Promise((resolve) => {
      const giveUp = (): void => waiting.decide(false);
      const timer = setTimeout(giveUp, patienceMs);
      signal.addEventListener('abort', giveUp, { once: true });
      const waiting: Waiting = {
        key,
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

  leave(key: string): void {
    this.inFlight -= 1;
    const left = (this.byKey.get(key) ?? 0) - 1;
    if (left > 0) this.byKey.set(key, left);
    else this.byKey.delete(key);
    for (let next = this.next(); next && this.mayTake(next.key); next = this.next()) {
      this.take(next.key);
      next.decide(true);
    }
  }

  /** `newcomers`: so many keys that have none yet are to find their share, too. */
  shareOf(key: string, newcomers = 0): PlaceShare {
    const keys = new Set([...this.byKey.keys(), ...this.queue.map((waiting) => waiting.key), key]);
    const places = this.limit;
    return { own: this.byKey.get(key) ?? 0, places, fair: Math.max(1, Math.floor(places / (keys.size + newcomers))) };
  }

  private get limit(): number {
    return Math.min(this.most, this.learned());
  }

  private mayTake(key: string): boolean {
    return this.inFlight < this.limit || this.isOwed(key);
  }

  /**
   * It has less than its share, and would find a place if nobody had more than that. Shares become smaller as
   * keys come, so twice the limit is the end.
   */
  private isOwed(key: string): boolean {
    if (this.inFlight >= Math.min(this.most, 2 * this.limit)) return false;
    const { own, places, fair } = this.shareOf(key);
    if (own >= fair) return false;
    let shared = 0;
    for (const held of this.byKey.values()) shared += Math.min(held, fair);
    return shared < places;
  }

  private take(key: string): void {
    this.inFlight += 1;
    this.byKey.set(key, (this.byKey.get(key) ?? 0) + 1);
  }

  private next(): Waiting | undefined {
    let next: Waiting | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const waiting of this.queue) {
      const has = this.byKey.get(waiting.key) ?? 0;
      if (has >= fewest) continue;
      next = waiting;
      fewest = has;
    }
    return next;
  }

  /** False: this key itself has the most that waits. */
  private makeRoom(key: string): boolean {
    if (this.queue.length < mostWaiting) return true;
    const counts = new Map<string, number>();
    for (const waiting of this.queue) counts.set(waiting.key, (counts.get(waiting.key) ?? 0) + 1);
    const [greediest] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0]);
    if ((counts.get(key) ?? 0) + 1 >= (counts.get(greediest) ?? 0)) return false;
    this.queue.findLast((waiting) => waiting.key === greediest)?.decide(false);
    return true;
  }

  private remove(waiting: Waiting): void {
    const at = this.queue.indexOf(waiting);
    if (at >= 0) this.queue.splice(at, 1);
  }
}
