import { TransientSet } from '../../memory/transient';
import { frameTypes } from '../frame';
import type { PostedFrame } from '../frame-post';

/** What all calls of an instance may hold of sent frames together, in bytes. */
export class ReplayBudget {
  private used = 0;
  /** Of calls that are over, oldest first: they make room for those that live. */
  private readonly ended = new TransientSet<SentFrames>();

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
}

/**
 * The numbered frames of one call that edge may not have, oldest first, to be sent again after a loss of
 * messages. What edge has handed on to its caller is told by the credit that it grants, so what is held never
 * exceeds the window of the answer. Above the budget of the instance those of calls that are over are
 * forgotten, then the oldest of the call that sends.
 */
export class SentFrames {
  private readonly frames: PostedFrame[] = [];
  /** The number of the first frame that is held. */
  private first = 0;
  /** Bytes of data in front of that frame, and those that left edge. */
  private passed = 0;
  private confirmed = 0;

  constructor(private readonly budget: ReplayBudget) {}

  /** The number of the next frame. */
  get next(): number {
    return this.first + this.frames.length;
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
    return this.frames.slice(number - this.first);
  }

  /**
   * The call is over. What is held no longer keeps in memory what it is a small part of, the whole answer of
   * a provider perhaps.
   */
  end(): void {
    for (const { parts } of this.frames) parts.forEach((part, index) => (parts[index] = withoutRest(part)));
    this.budget.ending(this);
  }

  /** Nothing is held from now on. */
  release(): void {
    while (this.frames.length > 0) this.dropFirst();
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

/**
 * The same bytes, copied where they are less than half of what they hold in memory. That of the pool serves
 * many.
 */
function withoutRest(part: Uint8Array): Uint8Array {
  return part.buffer.byteLength > Math.max(2 * part.length, Buffer.poolSize) ? Buffer.from(part) : part;
}
