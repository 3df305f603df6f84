import { Injectable, Optional } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import { AccountPace, FairMemory, largeBytes, MemoryFullError } from '@tollgate/messaging';
import type { HeldMemory, Owner } from '@tollgate/messaging';
import type { CallersWait } from '../generation/caller-left';
import { freedWhenSent } from '../http/in-pieces';
import { Settings } from '../settings';

/** Memory for what is read, as a part of that for bodies; and how many times it is held while it is told. */
const readingShare = 4;
const timesHeld = 3;
/**
 * All that is kept and is read for one account at an edge has this pace beside others, the largest
 * conversation without waiting, and what comes next after twice that pace: a megabyte costs some 20 ms of CPU
 * until a provider has it, in all processes.
 */
const keptPace = { bytesPerS: 8_388_608, burstBytes: 33_554_432, peakBytesPerS: 16_777_216 };
const longestWaitMs = 30_000;

/** For whom something is read, who may leave while it waits. */
interface Reader {
  readonly owner: Owner;
  readonly waits: CallersWait;
}

/**
 * Memory in which what is kept is read for those who ask for it: what is large waits for its turn, as large
 * bodies do.
 */
@Injectable()
export class ReadingMemory {
  readonly memory: FairMemory;

  constructor(
    settings: Settings,
    @Optional() private readonly pace = new AccountPace(keptPace),
  ) {
    this.memory = new FairMemory(settings.bodyMemory / readingShare);
  }

  /**
   * Waits until so many bytes more may be read for this account. What is small counts, and waits for nothing.
   * @throws GatewayError 503 where that would take too long; the reason of `left`, and then nothing is owed.
   */
  async turn({ accountId }: Owner, bytes: number, left: AbortSignal): Promise<void> {
    if (bytes <= largeBytes) return this.pace.count(accountId, bytes);
    const waitMs = this.pace.waitMs(accountId, bytes, longestWaitMs);
    if (waitMs === null) throw tooMuchAtOnce();
    if (waitMs === 0) return;
    try {
      await passed(waitMs, left);
    } catch (error) {
      this.pace.takeBack(accountId, bytes);
      throw error;
    }
  }

  /**
   * What `read` gives, which says how many bytes it reads before they come.
   * @throws GatewayError 503 where they found no room in time; what `waits` and `read` throw.
   */
  async reading<Result>(
    { owner, waits }: Reader,
    read: (onSize: (bytes: number) => Promise<void>) => Promise<Result>,
  ): Promise<Result> {
    let held: HeldMemory | null = null;
    const admit = async (size: number, left: AbortSignal) => {
      await this.turn(owner, size, left);
      if (size > largeBytes) held = await this.memory.admit(owner, Math.min(size * timesHeld, this.memory.limit), left);
    };
    try {
      return await read((size) => waits((left) => admit(size, left)));
    } catch (error) {
      throw error instanceof MemoryFullError ? tooMuchAtOnce() : error;
    } finally {
      (held as HeldMemory | null)?.release();
    }
  }

  /** What is told of what was read: the system has its memory as soon as it is sent. */
  told(text: Buffer): Buffer {
    return freedWhenSent(text, () => this.free(text));
  }

  /** Nobody looks at what was read any more, nor at what lies beside it: the system has its memory. */
  free(read: Uint8Array): void {
    this.memory.buffers.freeLarge(read);
  }
}

/** Resolves after so many milliseconds. @throws the reason of `left`, as soon as it fires. */
function passed(ms: number, left: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      reject(left.reason as Error);
    };
    const timer = setTimeout(() => {
      left.removeEventListener('abort', leave);
      resolve();
    }, ms).unref();
    if (left.aborted) leave();
    else left.addEventListener('abort', leave, { once: true });
  });
}

function tooMuchAtOnce(): GatewayError {
  return new GatewayError(503, 'Too much is read at once; try again shortly.', 5);
}
