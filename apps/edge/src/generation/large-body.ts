import type { FairMemory, HeldMemory } from '@tollgate/messaging';
import { copyInTurns, takenFrom } from './in-turns';

/** A large body that came whole, in memory that is used again, and is counted. */
export class LargeBody {
  /** Of its memory, which is told when that is given back. */
  private readonly size: number;
  private isOver = false;

  private constructor(
    private readonly memory: FairMemory,
    private readonly held: HeldMemory,
    private lies: Buffer,
  ) {
    this.size = lies.length;
  }

  /**
   * Puts the pieces of a body together, in turns of the event loop, and takes each out of its list: they are
   * counted once, so they must not live on beside the copy. `held`: its memory, which is admitted.
   */
  static async of(pieces: Uint8Array[], memory: FairMemory, held: HeldMemory): Promise<LargeBody> {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    held.shrink(length);
    const body = new LargeBody(memory, held, memory.buffers.take(length));
    await copyInTurns(takenFrom(pieces), body.lies);
    return body;
  }

  get bytes(): Buffer {
    return this.lies;
  }

  /** Its bytes lie elsewhere now, where a thread had them. */
  moved(to: Buffer): void {
    this.lies = to;
  }

  /** Its memory is another's from now on, to be given back with it. Null: it is somebody's, or is over. */
  take(): { readonly held: HeldMemory; readonly bytes: Buffer } | null {
    if (this.isOver) return null;
    this.isOver = true;
    return { held: this.held, bytes: this.lies };
  }

  /** Gives its memory back, unless somebody took it. */
  release(): void {
    const own = this.take();
    if (!own) return;
    this.memory.buffers.giveBack(this.size, own.bytes.buffer);
    own.held.release();
  }
}
