import { largeBytes, MemoryFullError } from '@tollgate/messaging';
import type { FairMemory, HeldMemory, Owner } from '@tollgate/messaging';

/**
 * What is large has come within this time, milliseconds, as a posted body has: it holds memory that others
 * wait for.
 */
const mostTimeMs = 120_000;
/** What frames, and pings between them, may add to the bytes of a message, and what came of the next one. */
const mostOverhead = 1.01;
const freeOverhead = 262_144;

/** What is done with a connection whose message waits for memory. */
interface Flow {
  pause(): void;
  resume(): void;
  /** There was no memory for it in time, it did not come in time, or too much came. */
  refuse(why: 'no memory' | 'too slow' | 'too large'): void;
}

/** The memory that a message came with. `held`: that of a large one, which may be handed on; else null. */
export interface MessageMemory {
  readonly held: HeldMemory | null;
  /** Gives it back; later calls do nothing. */
  readonly release: () => void;
}

/** A message on its way, and the memory that it has. */
class ComingMessage {
  bytes = 0;
  /** Bytes of it that were taken as those of something small. */
  small = 0;
  held: HeldMemory | null = null;
  /** How large it may become in what is held. */
  heldBytes = 0;
  waits = false;
  timer: NodeJS.Timeout | undefined;
  /** It is whole, or nothing comes any more: it waits for no memory. */
  readonly over = new AbortController();
}

/**
 * Counts what comes on one connection for the memory that bodies take: a message has none of its own before
 * it is whole.
 */
export class MessageRoom {
  private message = new ComingMessage();

  constructor(
    private readonly memory: FairMemory,
    private readonly owner: Owner,
    /** No message is larger. */
    private readonly mostBytes: number,
    private readonly flow: Flow,
  ) {}

  /** Nothing is read until there is memory. */
  get isWaiting(): boolean {
    return this.message.waits;
  }

  /** So many bytes of messages came, with all between their fragments. What is too much is not read. */
  came(bytes: number): void {
    if (bytes === 0) return;
    const { message } = this;
    message.bytes += bytes;
    if (message.bytes > this.mostBytes * mostOverhead + freeOverhead) {
      this.flow.pause();
      return this.flow.refuse('too large');
    }
    if (message.waits) return;
    if (message.bytes > largeBytes) return message.bytes > message.heldBytes ? void this.grow(message) : undefined;
    if (!this.memory.take(bytes, this.owner.accountId)) return this.flow.refuse('no memory');
    message.small += bytes;
  }

  /**
   * A message is whole. The chunk that it ended with may be the one that it waits for memory with: it goes on
   * with what it has.
   */
  taken(): MessageMemory {
    const { small, held, timer, over } = this.message;
    this.message = new ComingMessage();
    clearTimeout(timer);
    over.abort();
    let isFree = false;
    const release = () => {
      if (isFree) return;
      isFree = true;
      if (small > 0) this.memory.free(small, this.owner.accountId);
      held?.release();
    };
    return { held, release };
  }

  /** Nothing comes any more. */
  close(): void {
    this.taken().release();
  }

  /** Waits for twice as much as there is, so that a message of n bytes waits log n times. */
  private async grow(message: ComingMessage): Promise<void> {
    const { signal } = message.over;
    message.timer ??= setTimeout(() => this.flow.refuse('too slow'), mostTimeMs).unref();
    message.waits = true;
    this.flow.pause();
    try {
      const wanted = Math.min(2 * message.bytes, this.mostBytes);
      if (message.held) await message.held.grow(wanted, signal);
      else {
        const held = await this.memory.admit(this.owner, wanted, signal);
        // It was over before it heard of this.
        if (signal.aborted) return held.release();
        message.held = held;
        this.memory.free(message.small, this.owner.accountId);
        message.small = 0;
      }
      message.heldBytes = wanted;
    } catch (error) {
      if (!signal.aborted) this.flow.refuse(error instanceof MemoryFullError ? 'no memory' : 'too slow');
    } finally {
      message.waits = false;
      this.flow.resume();
    }
  }
}
