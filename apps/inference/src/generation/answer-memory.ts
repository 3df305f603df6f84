import { MemoryFullError, type HeldMemory } from '@tollgate/messaging';
import type { AttemptOrder } from './attempt-order';

/**
 * What an answer takes in memory for each of its bytes, at most: as it came, as one piece, as text of up to two bytes
 * a character, and on its way to edge.
 */
const growth = 4;

/** Hears when nothing may be read because memory is waited for, when that is over, and when there was none in time. */
interface MemoryListener {
  waiting(): void;
  waited(): void;
  refused(): void;
}

/** The part of the memory of all answers that one large answer has, or waits for. */
export class AnswerMemory {
  private held: HeldMemory | null = null;
  /** Ends the waiting; null: nothing is waited for, or held. */
  private over: AbortController | null = null;

  constructor(
    private readonly admit: AttemptOrder['admit'],
    private readonly listener: MemoryListener,
  ) {}

  /** An answer of up to so many bytes is held from now on, as soon as there is room. Asked again it does nothing. */
  need(bytes: number): void {
    if (this.over) return;
    const over = (this.over = new AbortController());
    this.listener.waiting();
    this.admit(bytes * growth, over.signal).then(
      (held) => {
        if (over.signal.aborted) held.release();
        else this.held = held;
        this.listener.waited();
      },
      (error: unknown) => {
        if (error instanceof MemoryFullError && !over.signal.aborted) this.listener.refused();
        else this.listener.waited();
      },
    );
  }

  /** Nothing large is held any more. */
  release(): void {
    this.over?.abort();
    this.over = null;
    this.held?.release();
    this.held = null;
  }
}
