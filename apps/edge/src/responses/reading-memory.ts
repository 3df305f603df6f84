import { Injectable } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import { FairMemory, largeBytes, MemoryFullError } from '@tollgate/messaging';
import type { HeldMemory, Owner } from '@tollgate/messaging';
import { Settings } from '../settings';

/** Memory for what is read, as a part of that for bodies; and how many times it is held while it is told. */
const readingShare = 4;
const timesHeld = 3;
/** Nobody tells these requests that their caller has left; the wait has an end of its own. */
const forever = new AbortController().signal;

/**
 * Memory in which what is kept is read for those who ask for it: what is large waits for its turn, as large
 * bodies do.
 */
@Injectable()
export class ReadingMemory {
  readonly memory: FairMemory;

  constructor(settings: Settings) {
    this.memory = new FairMemory(settings.bodyMemory / readingShare);
  }

  /**
   * What `read` gives, which says how many bytes it reads before they come.
   * @throws GatewayError 503 where they found no room in time; what `read` throws.
   */
  async reading<Result>(owner: Owner, read: (onSize: (bytes: number) => Promise<void>) => Promise<Result>) {
    let held: HeldMemory | null = null;
    const onSize = async (size: number) => {
      if (size > largeBytes)
        held = await this.memory.admit(owner, Math.min(size * timesHeld, this.memory.limit), forever);
    };
    try {
      return await read(onSize);
    } catch (error) {
      throw error instanceof MemoryFullError
        ? new GatewayError(503, 'Too much is read at once; try again shortly.', 5)
        : error;
    } finally {
      (held as HeldMemory | null)?.release();
    }
  }
}
