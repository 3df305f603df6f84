import { TurnsByKey } from './turns-by-key';
import type { Turn } from './turns-by-key';

/** From this size on, in bytes, a body or an answer is large: it waits for its memory. */
export const largeBytes = 1_048_576;
/** What is large takes this part of the memory at most, so that what is small always finds some, and that of one key this part of that. */
const largeShare = 2;
const keyShare = 2;
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
  /** It turned out to take only so many bytes. */
  shrink(bytes: number): void;
  /** It is not held any more; later calls do nothing. */
  release(): void;
}

interface Waiting {
  readonly keyId: string;
  readonly bytes: number;
  admit(): void;
}

/** Bounds the memory, in bytes, that bodies or answers of many keys take in all. */
export class FairMemory {
  private used = 0;
  private usedByLarge = 0;
  private readonly usedByKey = new Map<string, number>();
  private readonly waiting = new TurnsByKey<Waiting>();

  constructor(
    readonly limit: number,
    private readonly waitMs = defaultWaitMs,
  ) {}

  get usedBytes(): number {
    return this.used;
  }

  /** True when so many bytes more of something small may be held; they count from now on. */
  take(bytes: number): boolean {
    if (this.used + bytes > this.limit) return false;
    this.used += bytes;
    return true;
  }

  free(bytes: number): void {
    this.used -= bytes;
    this.admitNext();
  }

  /**
   * Waits until something large of so many bytes may be held: keys take turns, and none holds more than its share.
   * @throws MemoryFullError when that took too long, or it is more than all; the reason of `left` when nobody wants it.
   */
  async admit(keyId: string, bytes: number, left: AbortSignal): Promise<HeldMemory> {
    if (bytes > this.limit) throw new MemoryFullError();
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = { keyId, bytes, admit: () => over(resolve) };
      const timer = setTimeout(() => over(() => reject(new MemoryFullError())), this.waitMs).unref();
      const leave = () => over(() => reject(left.reason instanceof Error ? left.reason : new Error('the caller left')));
      const over = (then: () => void) => {
        clearTimeout(timer);
        left.removeEventListener('abort', leave);
        this.waiting.remove(keyId, waiting);
        then();
        this.admitNext();
      };
      this.waiting.push(keyId, waiting);
      if (left.aborted) return leave();
      left.addEventListener('abort', leave, { once: true });
      this.admitNext();
    });
    return this.held(keyId, bytes);
  }

  private held(keyId: string, admitted: number): HeldMemory {
    let held = admitted;
    const shrink = (bytes: number) => {
      if (bytes >= held) return;
      this.count(keyId, bytes - held);
      held = bytes;
      this.admitNext();
    };
    return { shrink, release: () => shrink(0) };
  }

  private admitNext(): void {
    const next = this.waiting.take((keyId, { bytes }) => this.turnOf(keyId, bytes));
    if (!next) return;
    // It counts at once: whoever is next is asked before this one goes on.
    this.count(next.keyId, next.bytes);
    next.admit();
  }

  private turnOf(keyId: string, bytes: number): Turn {
    const ofKey = this.usedByKey.get(keyId) ?? 0;
    const most = this.limit / largeShare;
    if (ofKey > 0 && ofKey + bytes > most / keyShare) return 'pass';
    const isShort = this.used + bytes > this.limit || (this.usedByLarge > 0 && this.usedByLarge + bytes > most);
    return isShort ? 'wait' : 'take';
  }

  private count(keyId: string, bytes: number): void {
    this.used += bytes;
    this.usedByLarge += bytes;
    const ofKey = (this.usedByKey.get(keyId) ?? 0) + bytes;
    if (ofKey > 0) this.usedByKey.set(keyId, ofKey);
    else this.usedByKey.delete(keyId);
  }
}
