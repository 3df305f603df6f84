import { largeBytes, MemoryFullError } from '@tollgate/messaging';
import type { FairMemory, HeldMemory, Owner } from '@tollgate/messaging';

/**
 * What is large has come within this time, milliseconds, as a posted body has: it holds memory that others
 * wait for.
 */
const mostTimeMs = 120_000;

/** What is done with a connection whose message waits for memory. */
interface Flow {
  pause(): void;
  resume(): void;
  /** There was no memory for it in time, or it did not come in time. */
  refuse(why: 'no memory' | 'too slow'): void;
}

/** The memory that a message came with. `held`: that of a large one, which may be handed on; else null. */
export interface MessageMemory {
  readonly held: HeldMemory | null;
  /** Gives it back; later calls do nothing. */
  readonly release: () => void;
}

/**
 * Counts what comes on one connection for the memory that bodies take: a message has none of its own before
 * it is whole.
 */
export class MessageRoom {
  private bytes = 0;
  /** Bytes of it that were taken as those of something small. */
  private small = 0;
  private held: HeldMemory | null = null;
  /** How large it may become in what is held. */
  private heldBytes = 0;
  private waits = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly left = new AbortController();

  constructor(
    private readonly memory: FairMemory,
    private readonly owner: Owner,
    /** No message is larger. */
    private readonly mostBytes: number,
    private readonly flow: Flow,
  ) {}

  /** Nothing is read until there is memory. */
  get isWaiting(): boolean {
    return this.waits;
  }

  /** So many bytes came. */
  came(bytes: number): void {
    this.bytes += bytes;
    if (this.waits) return;
    if (this.bytes > largeBytes) return this.bytes > this.heldBytes ? void this.grow() : undefined;
    if (!this.memory.take(bytes, this.owner.accountId)) return this.flow.refuse('no memory');
    this.small += bytes;
  }

  /** A message is whole. */
  taken(): MessageMemory {
    const { small, held } = this;
    this.bytes = 0;
    this.small = 0;
    this.held = null;
    this.heldBytes = 0;
    clearTimeout(this.timer);
    this.timer = undefined;
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
    this.left.abort();
    this.taken().release();
  }

  /** Waits for twice as much as there is, so that a message of n bytes waits log n times. */
  private async grow(): Promise<void> {
    this.timer ??= setTimeout(() => this.flow.refuse('too slow'), mostTimeMs).unref();
    this.waits = true;
    this.flow.pause();
    try {
      const wanted = Math.min(2 * this.bytes, this.mostBytes);
      if (this.held) await this.held.grow(wanted, this.left.signal);
      else {
        this.held = await this.memory.admit(this.owner, wanted, this.left.signal);
        this.memory.free(this.small, this.owner.accountId);
        this.small = 0;
      }
      this.heldBytes = wanted;
    } catch (error) {
      if (!this.left.signal.aborted) this.flow.refuse(error instanceof MemoryFullError ? 'no memory' : 'too slow');
    } finally {
      this.waits = false;
      this.flow.resume();
    }
  }
}
