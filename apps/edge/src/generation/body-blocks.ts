import { mappedBytes } from '@tollgate/messaging';
import type { LargeBuffers } from '@tollgate/messaging';
import { joinedInTurns } from './in-turns';

/**
 * So much of a body comes before it waits for a place of its account, and lies in no block; bytes. That is a
 * read of a socket, and as much comes of a body that waits before its connection has stopped.
 */
export const tinyBytes = 65_536;

/**
 * A small body on its way in, in blocks of memory that the next one has again: as many as what came of it
 * needs, so that hundreds that stall hold little more than that. V8 counts what is new, and collects the
 * whole heap for each 64 MB: bodies that had all of the announced megabyte took a dozen of those, and three
 * times what had come of them.
 *
 * What sockets were read into are smaller pieces, which the C library keeps (300 bodies of a megabyte that
 * stalled left 290 MiB). That rests on the size from which glibc maps memory: it is that of a block where
 * MALLOC_TRIM_THRESHOLD_ is set, as the launcher and the image do, and else grows with what is freed, up to
 * 32 MiB. https://man7.org/linux/man-pages/man3/mallopt.3.html
 */
export class BodyBlocks {
  private readonly blocks: Buffer[] = [];
  /** So little stays as it came until there is more: many bodies wait with it for a place of their account. */
  private tiny: Buffer[] = [];
  private length = 0;
  /** So much of it lies in blocks. */
  private copied = 0;

  /** `onCopied` hears of each piece that lies in a block now. */
  constructor(
    private readonly buffers: LargeBuffers,
    private readonly onCopied: (piece: Buffer) => void,
  ) {}

  /**
   * What a body of so many bytes has of memory. One that is tiny counts as a block: it waits with as much
   * again in its stream.
   */
  static bytesFor(length: number): number {
    return Math.ceil(length / mappedBytes) * mappedBytes;
  }

  write(piece: Buffer): void {
    this.tiny.push(piece);
    this.length += piece.length;
    if (this.length > tinyBytes) for (const each of this.tiny.splice(0)) this.copy(each);
  }

  private copy(piece: Buffer): void {
    let block = this.blocks.at(-1);
    for (let from = 0; from < piece.length;) {
      const at = this.copied % mappedBytes;
      if (!block || at === 0) this.blocks.push((block = this.buffers.lend(mappedBytes)));
      const written = piece.copy(block, at, from);
      this.copied += written;
      from += written;
    }
    this.onCopied(piece);
  }

  /** The body as one piece, in memory of its own; its blocks are the next one's. */
  async whole(): Promise<Buffer> {
    if (this.copied === 0) return Buffer.concat(this.tiny, this.length);
    const pieces = this.blocks.map((block, at) => block.subarray(0, this.length - at * mappedBytes));
    const whole = await joinedInTurns(pieces);
    this.giveBack();
    return whole;
  }

  /** Nobody needs it any more. */
  giveBack(): void {
    this.tiny = [];
    for (const block of this.blocks.splice(0)) this.buffers.keep(block.buffer);
  }
}
