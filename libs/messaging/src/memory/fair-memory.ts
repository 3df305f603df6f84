import { LargeBuffers } from './large-buffers';
import { TransientMap } from './transient';
import { TurnsByOwner } from './turns-by-owner';
import type { Owner, Turn } from './turns-by-owner';

/**
 * What is large takes this part of the memory at most, so that what is small always finds some, and that of
 * one key this part of that.
 */
const largeShare = 2;
const keyShare = 2;
/** From so full on, one account takes no more than is left to the others. */
const shortFrom = 0.75;
/** How long something large waits for its turn, milliseconds. */
const defaultWaitMs = 30_000;

/** There was no memory in time. */
export class MemoryFullError extends Error {
  constructor() {
    super('as much is held in memory as may be');
  }
}

/** Memory that something large was admitted to. */
export interface HeldMemory {
  /**
   * Waits until it may take so many bytes, or all there are where that is fewer.
   * @throws as `FairMemory.admit`.
   */
  grow(bytes: number, left: AbortSignal): Promise<void>;
  /** It turned out to take only so many bytes. */
  shrink(bytes: number): void;
  /** It is not held any more, nor what growth that still waits is admitted to; later calls do nothing. */
  release(): void;
}

/** Who waits for so many bytes, beside what it holds. `holding`: what that is, to tell it from others. */
interface Waiting {
  readonly owner: Owner;
  readonly holding: symbol;
  readonly held: number;
  readonly bytes: number;
  admit(): void;
}

/**
 * Bounds the memory, in bytes, that bodies or answers of many keys take in all. The rule for what is large:
 * - All of it takes half, and that of one key half of that, which is its share. Beyond such a share
 *   the keys of one account have some only of three quarters of the half, so that others find the rest.
 * - What is more than a share by itself needs a key that holds nothing else, and room for the whole of it in
 *   all the memory. Of the half it has only its key's share, so that others go on getting theirs beside it;
 *   and nobody waits behind it until there is that room.
 * - What is held and grows comes before what is new, and may take as much as a share beyond the half: what
 *   holds something must not wait for others that do. It is bound as what is new by what the keys of its
 *   account have, but for one of each account, which gets on so that the others do after it.
 * What is small is taken at once; in the last quarter of what large things leave an owner has no more than is
 * left, so that whoever comes next finds some, however many there are.
 */
export class FairMemory {
  /** Where what is large may lie. */
  readonly buffers: LargeBuffers;
  private used = 0;
  private usedByLarge = 0;
  private usedBySmall = 0;
  private readonly usedByKey = new TransientMap<string, number>();
  /** What the keys of each have in their shares. */
  private readonly sharedByAccount = new TransientMap<string, number>();
  private readonly smallByOwner = new TransientMap<string, number>();
  /** What of each account grew beyond its part, until it is over: nothing else of it does meanwhile. */
  private readonly ahead = new TransientMap<string, symbol>();
  private readonly waiting = new TurnsByOwner<Waiting>();
  private readonly growing = new TurnsByOwner<Waiting>();

  constructor(
    readonly limit: number,
    private readonly waitMs = defaultWaitMs,
  ) {
    this.buffers = new LargeBuffers(limit / largeShare);
  }

  get usedBytes(): number {
    return this.used;
  }

  /** True when so many bytes more of something small may be held for this owner; they count from now on. */
  take(bytes: number, owner: string): boolean {
    const own = (this.smallByOwner.get(owner) ?? 0) + bytes;
    const all = this.usedBySmall + bytes;
    const left = this.limit - (this.used - this.usedBySmall);
    if (!leavesToOthers(left, { all, own })) return false;
    this.used += bytes;
    this.usedBySmall = all;
    this.smallByOwner.set(owner, own);
    return true;
  }

  free(bytes: number, owner: string): void {
    const own = (this.smallByOwner.get(owner) ?? 0) - bytes;
    if (own > 0) this.smallByOwner.set(owner, own);
    else this.smallByOwner.delete(owner);
    this.used -= bytes;
    this.usedBySmall -= bytes;
    this.admitNext();
  }

  /**
   * Waits until something large of so many bytes may be held: accounts take turns, and within each its keys;
   * none holds more than its share.
   * @throws MemoryFullError when that took too long, or it is more than all; the reason of `left` when nobody
   * wants it.
   */
  async admit(owner: Owner, bytes: number, left: AbortSignal): Promise<HeldMemory> {
    if (bytes > this.limit) throw new MemoryFullError();
    const holding = Symbol('holding');
    let held = 0;
    let isOver = false;
    const shrink = (to: number) => {
      if (to >= held) return;
      this.count(owner, to - held);
      held = to;
      this.admitNext();
    };
    const wait = async (queue: TurnsByOwner<Waiting>, more: number, over: AbortSignal) => {
      const admitted = () => void (held += more);
      await this.wait(queue, { owner, holding, held, bytes: more, admit: admitted }, over);
      if (isOver) shrink(0);
    };
    const grow = async (to: number, over: AbortSignal) => {
      const more = Math.min(to, this.limit) - held;
      if (more > 0) await wait(this.growing, more, over);
    };
    await wait(this.waiting, bytes, left);
    const release = () => {
      isOver = true;
      if (this.ahead.get(owner.accountId) === holding) this.ahead.delete(owner.accountId);
      shrink(0);
    };
    return { grow, shrink, release };
  }

  /** Resolves once it is counted, and was told so. @throws as `admit`. */
  private wait(queue: TurnsByOwner<Waiting>, wanted: Waiting, left: AbortSignal): Promise<void> {
    const { owner } = wanted;
    return new Promise<void>((resolve, reject) => {
      const admit = () => {
        wanted.admit();
        over(resolve);
      };
      const waiting: Waiting = { ...wanted, admit };
      const timer = setTimeout(() => over(() => reject(new MemoryFullError())), this.waitMs).unref();
      const leave = () => over(() => reject(left.reason instanceof Error ? left.reason : new Error('the caller left')));
      const over = (then: () => void) => {
        clearTimeout(timer);
        left.removeEventListener('abort', leave);
        queue.remove(owner, waiting);
        then();
        this.admitNext();
      };
      queue.push(owner, waiting);
      if (left.aborted) return leave();
      left.addEventListener('abort', leave, { once: true });
      this.admitNext();
    });
  }

  private admitNext(): void {
    let isWaitedFor = false;
    const turnOf = (waiting: Waiting): Turn => {
      const turn = this.turnOf(waiting);
      isWaitedFor ||= turn === 'wait';
      return turn;
    };
    const next =
      this.growing.take(turnOf) ??
      // What grows is waited for.
      (isWaitedFor ? null : this.waiting.take(turnOf));
    if (!next) return;
    if (this.isShort(next)) this.ahead.set(next.owner.accountId, next.holding);
    // It counts at once: whoever is next is asked before this one goes on.
    this.count(next.owner, next.bytes);
    next.admit();
  }

  private turnOf(waiting: Waiting): Turn {
    const { owner, held, bytes } = waiting;
    const ofKey = this.usedByKey.get(owner.keyId) ?? 0;
    const isLarger = ofKey + bytes > this.shareOfKey;
    if (isLarger && ofKey > held) return 'pass';
    if (this.isShort(waiting) && !this.goesAhead(waiting)) return 'pass';
    const half = this.limit / largeShare;
    const isInBound = this.usedByLarge + this.moreIn(waiting) <= (held > 0 ? half + this.shareOfKey : half);
    if (isInBound && this.used + bytes <= this.limit) return 'take';
    return isLarger ? 'pass' : 'wait';
  }

  /** Whether its account would have too much of what is short. It may always be all that its account has. */
  private isShort(waiting: Waiting): boolean {
    const { owner, held } = waiting;
    const more = this.moreIn(waiting);
    const ofAccount = this.sharedByAccount.get(owner.accountId) ?? 0;
    const isFull = this.usedByLarge + more > (this.limit / largeShare) * shortFrom;
    return isFull && ofAccount + more > this.shareOfKey && ofAccount > this.inShare(held);
  }

  private goesAhead({ owner, held, holding }: Waiting): boolean {
    return held > 0 && (this.ahead.get(owner.accountId) ?? holding) === holding;
  }

  /** So much of what is waited for would count for the half of all. */
  private moreIn({ owner, bytes }: Waiting): number {
    const ofKey = this.usedByKey.get(owner.keyId) ?? 0;
    return this.inShare(ofKey + bytes) - this.inShare(ofKey);
  }

  private get shareOfKey(): number {
    return this.limit / largeShare / keyShare;
  }

  /** So much of what a key holds counts for the half of all. */
  private inShare(ofKey: number): number {
    return Math.min(ofKey, this.shareOfKey);
  }

  private count({ keyId, accountId }: Owner, bytes: number): void {
    const before = this.usedByKey.get(keyId) ?? 0;
    const ofKey = before + bytes;
    this.used += bytes;
    const more = this.inShare(ofKey) - this.inShare(before);
    this.usedByLarge += more;
    const shared = (this.sharedByAccount.get(accountId) ?? 0) + more;
    if (shared > 0) this.sharedByAccount.set(accountId, shared);
    else this.sharedByAccount.delete(accountId);
    if (ofKey > 0) this.usedByKey.set(keyId, ofKey);
    else this.usedByKey.delete(keyId);
  }
}

/** What of a bound is used, all in all and by one owner, with what comes. */
interface Use {
  readonly all: number;
  readonly own: number;
}

/**
 * Whether something more may be taken of `most`: in its last quarter an owner has no more than is left, so
 * that whoever comes next finds some, however many there are.
 */
export function leavesToOthers(most: number, { all, own }: Use): boolean {
  return all <= most * shortFrom || own <= most - all;
}
