import { GatewayError } from '@tollgate/contracts';
import { notDecompressed } from './body-encoding';

// https://www.rfc-editor.org/rfc/rfc8878#section-3.1
const frameMagic = 0xfd2fb528;
/** Its last four bits are free. */
const skippedMagic = 0x184d2a5;
const mostBlockBytes = 131_072;
/** What HTTP allows. https://www.rfc-editor.org/rfc/rfc9659#section-3 */
const mostWindowBytes = 8_388_608;
/** By the two bits that tell it, bytes: a dictionary's id, and the size of what a frame holds. */
const idBytes = [0, 1, 2, 4];
const contentBytes = [0, 2, 4, 8];

/**
 * A body may have so many blocks of any size; beyond that they must hold so many bytes on average. Each may
 * bring tables, at some microseconds, and hold nearly nothing.
 */
const freeBlocks = 4_096;
const leastBytesABlock = 1_024;

/** How many bytes frames hold when they are decompressed, as far as their headers tell. */
interface Bounds {
  least: number;
  most: number;
}

/**
 * Looks at the headers alone, of frames and of blocks.
 * @throws GatewayError 400 for what is no whole frames of zstd, or asks for more than a body may.
 */
export function zstdBounds(bytes: Buffer): Bounds {
  return new Frames(bytes).bounds();
}

class Frames {
  private at = 0;
  private blocks = 0;

  constructor(private readonly bytes: Buffer) {}

  bounds(): Bounds {
    const all = { least: 0, most: 0 };
    while (this.at < this.bytes.length) {
      const { least, most } = this.frame();
      all.least += least;
      all.most += most;
    }
    if (this.at > this.bytes.length) throw notDecompressed();
    return all;
  }

  private frame(): Bounds {
    const magic = this.take(4);
    if (magic >>> 4 === skippedMagic) return this.skipped();
    if (magic !== frameMagic) throw notDecompressed();
    const told = this.take(1);
    const isSegment = (told & 0x20) !== 0;
    const tellsContent = told >>> 6;
    if ((told & 0x08) !== 0) throw notDecompressed();
    const window = isSegment ? null : windowOf(this.take(1));
    this.at += idBytes[told & 3] ?? 0;
    const content = this.content(tellsContent === 0 && isSegment ? 1 : (contentBytes[tellsContent] ?? 0));
    const windowBytes = window ?? content ?? 0;
    if (windowBytes > mostWindowBytes) throw notDecompressed();
    const found = this.blocksOf(Math.min(windowBytes, mostBlockBytes));
    if ((told & 0x04) !== 0) this.at += 4;
    if (content === null) return found;
    if (content < found.least || content > found.most) throw notDecompressed();
    return { least: content, most: content };
  }

  private skipped(): Bounds {
    const size = this.take(4);
    this.at += size;
    this.countBlock();
    return { least: 0, most: 0 };
  }

  /** What a frame says that it holds, in a number of so many bytes. */
  private content(length: number): number | null {
    if (length === 0) return null;
    if (length === 2) return this.take(2) + 256;
    if (length < 8) return this.take(length);
    const low = this.take(4);
    return low + this.take(4) * 2 ** 32;
  }

  private blocksOf(mostOfOne: number): Bounds {
    const all = { least: 0, most: 0 };
    for (let isLast = false; !isLast;) {
      const header = this.take(3);
      isLast = (header & 1) === 1;
      const type = (header >>> 1) & 3;
      const size = header >>> 3;
      if (type === 3) throw notDecompressed();
      all.least += type === 2 ? 0 : size;
      all.most += type === 2 ? mostOfOne : size;
      this.at += type === 1 ? 1 : size;
      this.countBlock();
    }
    return all;
  }

  private countBlock(): void {
    this.blocks += 1;
    if (this.blocks <= freeBlocks || this.at >= this.blocks * leastBytesABlock) return;
    throw new GatewayError(
      400,
      `The request body comes in more than ${freeBlocks} blocks of fewer than ${leastBytesABlock} bytes.`,
    );
  }

  /** The next bytes as a number, at most four. */
  private take(length: number): number {
    const from = this.at;
    this.at += length;
    if (this.at > this.bytes.length) throw notDecompressed();
    return this.bytes.readUIntLE(from, length);
  }
}

function windowOf(told: number): number {
  const base = 2 ** (10 + (told >>> 3));
  return base + (base / 8) * (told & 7);
}
