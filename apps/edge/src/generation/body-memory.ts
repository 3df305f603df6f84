import { GatewayError } from '@tollgate/contracts';
import { TurnsByKey } from './turns-by-key';
import type { Turn } from './turns-by-key';

/** Bodies above this size, in bytes, are large: they wait for their memory before they are read, and are parsed off the event loop. */
export const largeBytes = 1_048_576;
/** Large bodies take this part of the memory at most, so that small ones always find some, and those of one key this part of that. */
const largeShare = 2;
const keyShare = 2;
/** How long a large body waits for its turn, milliseconds, and when a caller may come again that waited in vain, seconds. */
const defaultWaitMs = 30_000;
const retryAfterS = 5;

/** Memory that a body was admitted to. */
export interface HeldMemory {
  /** The body turned out to take only so many bytes. */
  shrink(bytes: number): void;
  /** It is not held any more; later calls do nothing. */
  release(): void;
}

interface Waiting {
  readonly keyId: string;
  readonly bytes: number;
  admit(): void;
}

/** Bounds the memory that request bodies take in all, in bytes: those being read, and those kept until their generation is accounted for. */
export class BodyMemory {
  private used = 0;
  private usedByLarge = 0;
  private readonly usedByKey = new Map<string, number>();
  private readonly waiting = new TurnsByKey<Waiting>();

  constructor(
    private readonly limit: number,
    private readonly waitMs = defaultWaitMs,
  ) {}

  get usedBytes(): number {
    return this.used;
  }

  /** True when so many bytes more of a small body may be held; they count from now on. */
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
   * Waits until a large body of so many bytes may be held: keys take turns, and none holds more than its share.
   * @throws GatewayError 503 when that took too long; the reason of `left` when the caller left.
   */
  async admit(keyId: string, bytes: number, left: AbortSignal): Promise<HeldMemory> {
    if (bytes > this.limit) throw memoryFull();
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = { keyId, bytes, admit: () => over(resolve) };
      const timer = setTimeout(() => over(() => reject(memoryFull())), this.waitMs).unref();
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

/** The answer to a body that no memory is left for. */
export function memoryFull(): GatewayError {
  return new GatewayError(503, 'The gateway holds as many large requests as it can; try again shortly.', retryAfterS);
}
