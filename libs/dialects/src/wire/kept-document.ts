import { asBuffer } from './json-cursor';
import { isBlank, WithoutLongTexts } from './without-long-texts';

/** From this size on, in bytes, a document is not parsed whole where that can be done without. */
const largeBytes = 1_048_576;

/**
 * The bytes of an answer that is one JSON document, in the pieces in which they came. A large one is looked
 * at as it comes, so that no turn of the event loop has all of it.
 */
export class KeptDocument {
  private readonly parts: Uint8Array[] = [];
  private bytes = 0;
  private short: WithoutLongTexts | null = null;

  /** `isShortened` false: it will be parsed whole in any case. */
  constructor(private readonly isShortened: boolean) {}

  get length(): number {
    return this.bytes;
  }

  keep(piece: Uint8Array): void {
    this.bytes += piece.length;
    this.parts.push(piece);
    if (!this.isShortened || this.bytes <= largeBytes) return;
    if (this.short) return this.short.take(piece);
    this.short = new WithoutLongTexts();
    for (const part of this.parts) this.short.take(part);
  }

  /** What there is of a large one without its long texts; null: it is not large. `hasGap`: there are such. */
  shortened(): { bytes: Buffer; hasGap: boolean } | null {
    const { short } = this;
    this.short = null;
    return short && { bytes: short.end(), hasGap: short.hasGap };
  }

  get isBlank(): boolean {
    return this.parts.every(isBlank);
  }

  pieces(): readonly Uint8Array[] {
    return this.parts;
  }

  /** All of it, put together anew where there are several pieces. */
  whole(): Buffer {
    const [only] = this.parts;
    return this.parts.length === 1 && only ? asBuffer(only) : Buffer.concat(this.parts, this.bytes);
  }

  clear(): void {
    this.parts.length = 0;
    this.short = null;
  }
}
