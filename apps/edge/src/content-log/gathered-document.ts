import type { GatheredAnswer } from '@tollgate/dialects/surface';

/** A plain answer, up to a number of bytes: a part of a JSON document cannot be read. */
export class GatheredDocument implements GatheredAnswer {
  isTruncated = false;
  private pieces: Uint8Array[] = [];
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  push(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    this.isTruncated ||= this.bytes > this.maxBytes;
    if (this.isTruncated) this.pieces = [];
    // A copy: the bytes lie in a larger message, which would be kept with them.
    else this.pieces.push(Uint8Array.from(bytes));
  }

  answer(): unknown {
    try {
      return JSON.parse(Buffer.concat(this.pieces).toString('utf8'));
    } catch {
      return null;
    }
  }
}
