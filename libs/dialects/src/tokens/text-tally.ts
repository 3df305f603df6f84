import { countTextTokens } from './o200k';
import { parseJson } from '../wire/json-value';

/**
 * Thoughts count as output from here on: some providers do not count them into the limit of a request.
 * Characters.
 */
const freeThought = 1_000_000;

/** How long what was generated is, cheaply told. */
export class OutputLength {
  private said = 0;
  private thought = 0;

  /** So many characters, or bytes of them. */
  add(length: number, isThought: boolean): void {
    if (isThought) this.thought += length;
    else this.said += length;
  }

  get value(): number {
    return this.said + Math.max(0, this.thought - freeThought);
  }
}

/**
 * So much text of one channel is kept, some 30,000 tokens: few answers are longer, and of most the provider
 * tells how many tokens they have. Of what is longer, so much is folded into its count at a time: two
 * milliseconds of work.
 */
export const keptText = 128 * 1024;
export const foldedText = 8 * 1024;

/**
 * Collects one run of generated text as it came over the wire (the inside of JSON strings, escapes and all)
 * and counts its tokens on demand.
 * Memory is bounded: what is longer than 128 KiB is counted and forgotten from its beginning, up to a word's
 * start, so that folding does not change the count.
 */
export class TextTally {
  private text = Buffer.alloc(0);
  private length = 0;
  private folded = 0;

  /** Adds the inside of a JSON string: bytes[start, end). */
  add(bytes: Uint8Array, start: number, end: number): void {
    const needed = this.length + end - start;
    if (needed > this.text.length) this.grow(needed);
    for (let at = start; at < end; at++) this.text[this.length++] = bytes[at] ?? 0;
    while (this.length >= keptText + foldedText) this.fold();
  }

  /** Counts a part of it, and forgets that: so many bytes; 0: nothing is left. Nothing more may come. */
  countSome(): number {
    const before = this.length;
    if (before > foldedText) this.fold();
    else if (before > 0) {
      this.folded = this.tokens();
      this.length = 0;
    }
    return before - this.length;
  }

  tokens(): number {
    return this.folded + countTextTokens(this.decoded(this.length));
  }

  private grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(256, needed, this.text.length * 2));
    this.text.copy(larger, 0, 0, this.length);
    this.text = larger;
  }

  private fold(): void {
    const end = this.wordStart() ?? this.characterStart();
    this.folded += countTextTokens(this.decoded(end));
    this.text.copyWithin(0, end, this.length);
    this.length -= end;
  }

  /**
   * The last place in what is to be folded at which a word begins, its leading space included: no escape and
   * no character lies across it. Null: there is none.
   */
  private wordStart(): number | null {
    for (let at = foldedText - 1; at > foldedText / 2; at--)
      if (this.text[at] === space && this.text[at - 1] !== space && isLetter(this.text[at + 1] ?? 0)) return at;
    return null;
  }

  /**
   * The first place behind it that lies in no escape (two surrogates are twelve bytes) and in no character.
   * All there is where there is none.
   */
  private characterStart(): number {
    let sinceEscape = 0;
    for (let at = foldedText; at < this.length; at++) {
      const byte = this.text[at] ?? 0;
      if (sinceEscape >= longestEscape && (byte & 0xc0) !== 0x80) return at;
      sinceEscape = byte === backslash ? 0 : sinceEscape + 1;
    }
    return this.length;
  }

  /** The text of the first so many bytes. */
  private decoded(end: number): string {
    const raw = this.text.toString('utf8', 0, end);
    if (!raw.includes('\\')) return raw;
    const text = parseJson(`"${raw}"`);
    return typeof text === 'string' ? text : raw;
  }
}

const space = 0x20;
const backslash = 0x5c;
const longestEscape = 12;

/**
 * Whether a letter begins with this byte; of what is not ASCII all is taken for letters but its spaces and
 * signs that begin with 0xc2.
 */
function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte >= 0xc3;
}

/**
 * Counts the beginning of a text, up to a word, and leaves the `rest`: a tokenizer always splits in front of
 * a word's space.
 */
export function foldText(text: string): { tokens: number; rest: string } {
  const boundary = wordStart(text) ?? (/^[\udc00-\udfff]/u.test(text[foldedText] ?? '') ? foldedText + 1 : foldedText);
  return { tokens: countTextTokens(text.slice(0, boundary)), rest: text.slice(boundary) };
}

/**
 * The last place in what is to be folded at which a word begins, its leading space included. Null: there is
 * none.
 */
function wordStart(text: string): number | null {
  for (let at = foldedText - 1; at > foldedText / 2; at--) {
    if (text[at] === ' ' && /\S/u.test(text[at - 1] ?? '') && /\p{L}/u.test(text[at + 1] ?? '')) return at;
  }
  return null;
}
