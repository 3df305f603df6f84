import { asBuffer } from './json-cursor';
import { isRunOfOne } from './run-of-one';

const quote = 0x22;
const backslash = 0x5c;
/** Texts of more bytes are left out. */
const longest = 65_536;
/** A piece of so many bytes that is blank is left out. */
const muchBlank = 1_024;
const nearBytes = 64;
const oneSpace = Buffer.from(' ');

/**
 * The same JSON, which comes in pieces that may be cut anywhere, with nothing in its long texts, nor in
 * pieces that are blank: to parse 60 MiB keeps everybody else waiting, and takes as much memory again. What
 * stands in such a text is not checked.
 */
export class WithoutLongTexts {
  /** A text was left out. */
  hasGap = false;
  private readonly kept: Buffer[] = [];
  private inText = false;
  /** Bytes that the text which is read now had in the pieces before. */
  private textBytes = 0;
  /** So many of `kept` came before this text. */
  private keptBefore = 0;
  /** Backslashes at the end of what this text had in the pieces before. */
  private slashes = 0;

  take(bytes: Uint8Array): void {
    const piece = asBuffer(bytes);
    if (!this.inText && piece.length >= muchBlank && isBlank(piece)) return void this.kept.push(oneSpace);
    /** What is kept of the piece, and not in `kept` yet, begins here. */
    let from = 0;
    /** What the text has in this piece begins here. */
    let textFrom = 0;
    for (let at = nextQuote(piece, 0); at < piece.length; at = nextQuote(piece, at + 1)) {
      if (!this.inText) {
        this.inText = true;
        this.textBytes = 0;
        this.keptBefore = this.kept.length;
        this.slashes = 0;
        textFrom = at + 1;
      } else if (this.slashesUpTo(piece, textFrom, at) % 2 === 0) {
        this.inText = false;
        if (this.textBytes + at - textFrom <= longest) continue;
        this.dropText(piece.subarray(from, textFrom));
        from = at;
      }
    }
    if (this.inText) this.cutText(piece, from, textFrom);
    else this.kept.push(piece.subarray(from));
  }

  end(): Buffer {
    return Buffer.concat(this.kept);
  }

  /** The piece ends within a text. */
  private cutText(piece: Buffer, from: number, textFrom: number): void {
    this.slashes = this.slashesUpTo(piece, textFrom, piece.length);
    this.textBytes += piece.length - textFrom;
    if (this.textBytes > longest) return this.dropText(piece.subarray(from, textFrom));
    if (textFrom > from) this.keptBefore = this.kept.push(piece.subarray(from, textFrom));
    this.kept.push(piece.subarray(textFrom));
  }

  /** Keeps nothing of the text but what stands before it. */
  private dropText(before: Buffer): void {
    this.hasGap = true;
    this.kept.length = this.keptBefore;
    this.keptBefore = this.kept.push(before);
  }

  private slashesUpTo(piece: Buffer, textFrom: number, end: number): number {
    let at = end;
    while (at > textFrom && piece[at - 1] === backslash) at--;
    return end - at + (at === textFrom ? this.slashes : 0);
  }
}

/**
 * Where the next quote is; the length of the piece when there is none. The near ones are looked for here, as
 * each call of `indexOf` takes longer than to read a short text.
 */
function nextQuote(piece: Buffer, from: number): number {
  const near = Math.min(from + nearBytes, piece.length);
  for (let at = from; at < near; at++) if (piece[at] === quote) return at;
  const found = piece.indexOf(quote, near);
  return found < 0 ? piece.length : found;
}

/**
 * Some providers send spaces or newlines while they think. By its index: an iterator takes nine times as long
 * (60 MiB: 745 and 83 ms of CPU).
 */
export function isBlank(bytes: Uint8Array): boolean {
  const end = isRunOfOne(bytes) ? 1 : bytes.length;
  for (let at = 0; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) return false;
  }
  return true;
}
