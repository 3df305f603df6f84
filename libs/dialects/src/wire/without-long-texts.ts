import { asBuffer } from './json-cursor';

const quote = 0x22;
const backslash = 0x5c;
/** Texts of more bytes are left out. */
const longest = 65_536;

/**
 * The same JSON, which comes in pieces, with nothing in its long texts: to parse 60 MiB keeps everybody else
 * waiting, and takes as much memory again. What stands in such a text is not checked.
 */
export function withoutLongTexts(pieces: readonly Uint8Array[]): Buffer {
  const reading = new ShortTexts();
  for (const piece of pieces) reading.take(asBuffer(piece));
  return reading.end();
}

/** Reads JSON that may be cut anywhere, and keeps all of it but long texts. */
class ShortTexts {
  private readonly kept: Buffer[] = [];
  /** What the text that is read now holds, while it is short; null: it is none. */
  private text: Buffer[] | null = null;
  private textBytes = 0;
  /** Backslashes at the end of what the text held so far. */
  private slashes = 0;

  take(piece: Buffer): void {
    for (let at = 0; at < piece.length;) {
      const found = piece.indexOf(quote, at);
      const end = found < 0 ? piece.length : found;
      if (this.text) this.addText(piece.subarray(at, end));
      else this.kept.push(piece.subarray(at, end));
      if (found >= 0) this.quoted(piece.subarray(found, found + 1));
      at = end + 1;
    }
  }

  end(): Buffer {
    return Buffer.concat([...this.kept, ...(this.text ?? [])]);
  }

  private quoted(mark: Buffer): void {
    if (this.text && this.slashes % 2 === 1) {
      this.slashes = 0;
      return this.addText(mark);
    }
    this.kept.push(...(this.text ?? []), mark);
    this.text = this.text ? null : [];
    this.textBytes = 0;
    this.slashes = 0;
  }

  private addText(part: Buffer): void {
    this.textBytes += part.length;
    if (this.textBytes > longest) this.text = [];
    else this.text?.push(part);
    let slashes = 0;
    while (slashes < part.length && part[part.length - 1 - slashes] === backslash) slashes++;
    this.slashes = slashes === part.length ? this.slashes + slashes : slashes;
  }
}
