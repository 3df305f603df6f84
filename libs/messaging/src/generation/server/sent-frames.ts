import { TransientSet } from '../../memory/transient';
import { frameHeaderBytes, framesOf, frameTypes } from '../frame';
import type { Frame } from '../frame';
import { writeFrames } from '../frame-post';
import type { PostedFrame } from '../frame-post';

/** What calls that are over told lies in pieces of memory of this size, or in larger ones of its own. */
const slabBytes = 64 * 1024;

/** What all calls of an instance may hold of sent frames together, in bytes. */
export class ReplayBudget {
  private used = 0;
  /** Of calls that are over, oldest first: they make room for those that live. */
  private readonly ended = new TransientSet<SentFrames>();
  private slab = Buffer.alloc(0);

  constructor(private readonly maxBytes: number) {}

  /** Negative gives back. False: it is exceeded, and nothing is left of calls that are over. */
  take(bytes: number): boolean {
    this.used += bytes;
    if (bytes > 0)
      for (const sent of this.ended) {
        if (this.used <= this.maxBytes) break;
        sent.release();
      }
    return this.used <= this.maxBytes;
  }

  ending(sent: SentFrames): void {
    this.ended.add(sent);
  }

  released(sent: SentFrames): void {
    this.ended.delete(sent);
  }

  /** Memory for what a call told that is over. */
  room(bytes: number): Buffer {
    if (bytes > slabBytes / 4) return Buffer.allocUnsafeSlow(bytes);
    if (bytes > this.slab.length) this.slab = Buffer.allocUnsafeSlow(slabBytes);
    const room = this.slab.subarray(0, bytes);
    this.slab = this.slab.subarray(bytes);
    return room;
  }
}

/**
 * The numbered frames of one call that edge may not have, oldest first, to be sent again after a loss of
 * messages. What edge has handed on to its caller is told by the credit that it grants, so what is held never
 * exceeds the window of the answer. Above the budget of the instance those of calls that are over are
 * forgotten, then the oldest of the call that sends.
 */
export class SentFrames {
  private readonly frames: PostedFrame[] = [];
  /** What is held once the call is over, as it would be sent; null: it runs, or nothing is. */
  private packed: { bytes: Buffer; frames: number; length: number } | null = null;
  /** The number of the first frame that is held. */
  private first = 0;
  /** Bytes of data in front of that frame, and those that left edge. */
  private passed = 0;
  private confirmed = 0;

  constructor(private readonly budget: ReplayBudget) {}

  /** The number of the next frame. */
  get next(): number {
    return this.first + (this.packed?.frames ?? this.frames.length);
  }

  add(frame: PostedFrame): void {
    this.frames.push(frame);
    this.grew(frame.length);
  }

  /** Bytes joined the last frame, which may be forgotten already. */
  grew(bytes: number): void {
    if (this.frames.length === 0) {
      this.passed += bytes;
      return;
    }
    let fits = this.budget.take(bytes);
    while (!fits && this.frames.length > 0) fits = this.dropFirst();
  }

  /** Edge is rid of so many bytes in all. */
  confirm(bytes: number): void {
    this.confirmed = Math.max(this.confirmed, bytes);
    for (let frame = this.frames[0]; frame && this.has(frame); frame = this.frames[0]) this.dropFirst();
  }

  /** The frames from this number on; null: not all of them are held any more, or were ever sent. */
  from(number: number): readonly PostedFrame[] | null {
    if (number < this.first || number > this.next) return null;
    const frames = this.packed ? framesOf(this.packed.bytes).map(asPosted) : this.frames;
    return frames.slice(number - this.first);
  }

  /**
   * The call is over. Its few bytes are packed, as seconds of calls that are over were many old objects, and
   * the small parts of a provider's answer kept the whole of it in memory.
   */
  end(): void {
    const { frames, budget } = this;
    if (frames.length > 0) {
      const length = frames.reduce((sum, frame) => sum + frame.length, 0);
      const bytes = budget.room(length + frames.length * frameHeaderBytes);
      writeFrames(bytes, 0, frames);
      this.packed = { bytes, frames: frames.length, length };
      frames.length = 0;
    }
    budget.ending(this);
  }

  /** Nothing is held from now on, of a call that is over. */
  release(): void {
    const { packed } = this;
    this.first = this.next;
    this.packed = null;
    if (packed) this.budget.take(-packed.length);
    this.budget.released(this);
  }

  /** Edge has this frame, the first one: all of its bytes, or a later one, left it. */
  private has({ type, length }: PostedFrame): boolean {
    if (type === frameTypes.data) return this.passed + length <= this.confirmed;
    return this.passed < this.confirmed;
  }

  private dropFirst(): boolean {
    const frame = this.frames.shift();
    if (!frame) return true;
    this.first++;
    if (frame.type === frameTypes.data) this.passed += frame.length;
    return this.budget.take(-frame.length);
  }
}

function asPosted({ type, stream, number, payload }: Frame): PostedFrame {
  return { type, stream, number, parts: [payload], length: payload.length };
}
