import { MemoryFullError, type HeldMemory } from '@tollgate/messaging';
import type { AttemptOrder } from './attempt-order';

/**
 * What an answer takes in memory for each of its bytes, at most: as it came, as one piece, as text of up to
 * two bytes a character, and on its way to edge.
 */
const growth = 4;
/** The same once it is whole: as text, and on its way to edge. */
const growthOfWhole = 3;

/**
 * So many bytes an answer of no announced length has room for at first; each time that is not enough, for
 * twice as many.
 */
const firstBytes = 8 * 1_048_576;

/**
 * Hears when nothing may be read because memory is waited for, when that is over, and when there was none in
 * time.
 */
interface MemoryListener {
  waiting(): void;
  waited(): void;
  refused(): void;
}

/** The part of the memory of all answers that one large answer has, or waits for. */
export class AnswerMemory {
  private held: HeldMemory | null = null;
  /** Bytes of the answer that there is room for, or will be once it is waited for. */
  private room = 0;
  private isWaiting = false;
  /** Ends the waiting; null: nothing is waited for, or held. */
  private over: AbortController | null = null;

  constructor(
    private readonly admit: AttemptOrder['admit'],
    private readonly listener: MemoryListener,
  ) {}

  /**
   * So many bytes of an answer are held. Where they are more than there is room for, room is waited for: for
   * all of an answer of `announced` bytes at once, for one of no announced length (null) in steps, up to
   * `most` bytes.
   */
  need(bytes: number, announced: number | null, most: number): void {
    if (this.isWaiting || bytes <= this.room) return;
    const over = (this.over ??= new AbortController());
    this.room = Math.min(most, Math.max(bytes, announced ?? stepAbove(bytes)));
    this.isWaiting = true;
    this.listener.waiting();
    this.roomFor(this.room * growth, over.signal).then(
      (held) => {
        if (over.signal.aborted) held.release();
        else this.has(held);
        this.listener.waited();
      },
      (error: unknown) => {
        if (error instanceof MemoryFullError && !over.signal.aborted) this.listener.refused();
        else this.listener.waited();
      },
    );
  }

  /** The answer has come to its end, and is of so many bytes: it takes no more while it is on its way. */
  shrink(bytes: number): void {
    this.held?.shrink(bytes * growthOfWhole);
  }

  /** Nothing large is held any more. */
  release(): void {
    this.over?.abort();
    this.over = null;
    this.isWaiting = false;
    this.room = 0;
    this.held?.release();
    this.held = null;
  }

  private async roomFor(bytes: number, over: AbortSignal): Promise<HeldMemory> {
    if (!this.held) return this.admit(bytes, over);
    const { held } = this;
    await held.grow(bytes, over);
    return held;
  }

  private has(held: HeldMemory): void {
    this.held = held;
    this.isWaiting = false;
  }
}

function stepAbove(bytes: number): number {
  let step = firstBytes;
  while (step < bytes) step *= 2;
  return step;
}
