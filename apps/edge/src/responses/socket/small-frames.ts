/**
 * A multiple of four, so that the mask begins anew with each piece; and so large that glibc gives its memory
 * back to the system when it is freed.
 */
const pieceBytes = 131_072;

/** https://www.rfc-editor.org/rfc/rfc6455#section-5.2 */
const lastBit = 0x80;
const maskBit = 0x80;
const opcodeBits = 0x0f;
const continuation = 0x0;
const text = 0x1;
const bytes = 0x2;
const firstControl = 0x8;
/** The length stands in the two, or eight, bytes that follow. */
const inTwoBytes = 126;
const inEightBytes = 127;
const maskBytes = 4;

/**
 * A message may come in so many fragments of any size; beyond that they must hold so many bytes on average,
 * as the pieces of a posted body must. Each takes some hundred bytes of its own. Of more than 16,384 `ws`
 * takes none, of whatever size.
 */
const freeFragments = 4_096;
const leastBytesAFragment = 64;

/** A frame of which 128 KiB at a time are told as a fragment. `left`: bytes that no fragment has yet. */
interface CutFrame {
  left: number;
  readonly isLast: boolean;
  readonly mask: Buffer;
}

/**
 * A caller's frames as `ws` can read them in small turns of the event loop. It unmasks a whole frame, puts a
 * whole message together and checks a whole text in one: 29 MiB took others some 0.3 s.
 *
 * So what is large comes in fragments, as any intermediary may send it
 * (https://www.rfc-editor.org/rfc/rfc6455#section-5.4). And what is text comes as bytes, of which `ws` hands
 * on the fragments as they are. So a text that is not UTF-8 is a 400 of its turn, as in a posted body, where
 * https://www.rfc-editor.org/rfc/rfc6455#section-8.1 would have the connection fail: that is a decision, as
 * other turns run on it.
 */
export class SmallFrames {
  /** The beginning of a header whose end has not come. */
  private rest: Buffer = Buffer.alloc(0);
  /** Payload to come of the frame, or of the fragment that was told last. */
  private payload = 0;
  private frame: CutFrame | null = null;
  /** A message began whose end has not come; and the frame at hand ends it. */
  private isOpen = false;
  private isEnd = false;
  private cameOfMessages = 0;
  /** Of the last message. */
  private fragments = 0;
  private fragmentBytes = 0;

  /** `mostBytes`: a longer frame is left as it is, to be refused by its length. */
  constructor(private readonly mostBytes: number) {}

  /** Bytes that came of messages so far, with all between their fragments, which lives as long. */
  get messageBytes(): number {
    return this.cameOfMessages;
  }

  /** The last message comes in too many fragments that are too small. */
  get isInCrumbs(): boolean {
    return this.fragments > freeFragments && this.fragmentBytes < this.fragments * leastBytesAFragment;
  }

  /** The next bytes of a connection, which are written to, and what is told in their place. */
  cut(came: Buffer): Buffer[] {
    const all = this.rest.length > 0 ? Buffer.concat([this.rest, came]) : came;
    const told: Buffer[] = [];
    let from = 0;
    let at = 0;
    while (at < all.length) {
      if (this.payload === 0) {
        const size = headerSize(all, at);
        if (size > all.length - at) break;
        const [start, behind] = [at, at + size];
        const fragment = this.begin(all.subarray(start, behind));
        if (fragment) {
          told.push(all.subarray(from, start), fragment);
          from = behind;
        }
        at = behind;
        if (this.isOpen) this.cameOfMessages += size;
      }
      const passed = Math.min(this.payload, all.length - at);
      at += passed;
      this.payload -= passed;
      if (this.isOpen) this.cameOfMessages += passed;
      if (this.payload > 0) continue;
      if (!this.frame) {
        if (this.isEnd) this.isOpen = false;
        continue;
      }
      told.push(all.subarray(from, at), this.fragment(this.frame, 0));
      from = at;
    }
    this.rest = all.subarray(at);
    return [...told, all.subarray(from, at)].filter(({ length }) => length > 0);
  }

  /** Begins a frame with this header. What is told in its place; null: the header itself. */
  private begin(header: Buffer): Buffer | null {
    const [came = 0, second = 0] = header;
    const first = (came & opcodeBits) === text ? (came & ~opcodeBits) | bytes : came;
    header[0] = first;
    const length = lengthIn(header);
    this.count(first, length);
    const isCut = length > pieceBytes && length <= this.mostBytes;
    if (!isCut || (second & maskBit) === 0 || (first & opcodeBits) >= firstControl) {
      this.payload = length;
      return null;
    }
    // A copy: what came with it would live as long.
    const mask = Buffer.from(header.subarray(-maskBytes));
    this.frame = { left: length, isLast: (first & lastBit) !== 0, mask };
    return this.fragment(this.frame, first & ~lastBit);
  }

  private count(first: number, length: number): void {
    const opcode = first & opcodeBits;
    const isData = opcode < firstControl;
    this.isEnd = isData && (first & lastBit) !== 0;
    if (!isData) return;
    const isFirst = opcode !== continuation;
    this.isOpen = true;
    this.fragments = isFirst ? 1 : this.fragments + 1;
    this.fragmentBytes = isFirst ? length : this.fragmentBytes + length;
  }

  /** The header of the next fragment of a frame, of these bits. */
  private fragment(frame: CutFrame, bits: number): Buffer {
    this.payload = Math.min(frame.left, pieceBytes);
    frame.left -= this.payload;
    const isEnd = frame.left === 0;
    if (isEnd) this.frame = null;
    const first = bits | (isEnd && frame.isLast ? lastBit : 0);
    const header = Buffer.from([first, maskBit | inEightBytes, 0, 0, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32BE(this.payload, 6);
    return Buffer.concat([header, frame.mask]);
  }
}

/** How long the header is that begins there; more than there is where its length cannot be told yet. */
function headerSize(all: Buffer, at: number): number {
  const second = all[at + 1];
  if (second === undefined) return Infinity;
  const code = second & ~maskBit;
  const lengthBytes = code === inEightBytes ? 8 : code === inTwoBytes ? 2 : 0;
  return 2 + lengthBytes + (second & maskBit ? maskBytes : 0);
}

/** Bytes of payload that a header announces; one beyond all numbers is told nearly. */
function lengthIn(header: Buffer): number {
  const code = header.readUInt8(1) & ~maskBit;
  if (code === inTwoBytes) return header.readUInt16BE(2);
  return code === inEightBytes ? Number(header.readBigUInt64BE(2)) : code;
}
