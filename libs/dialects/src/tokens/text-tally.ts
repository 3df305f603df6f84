import { countTextTokens } from './o200k';
import { parseJson } from '../wire/json-value';

/** Thoughts count as output from here on: some providers do not count them into the limit of a request. Characters. */
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

/** So much text of one channel is kept before it is folded into its count: some 8,000 tokens. */
const foldAtBytes = 32 * 1024;

/**
 * Collects one run of generated text as it came over the wire (the inside of JSON strings, escapes and all) and counts its tokens on demand.
 * Memory is bounded: what is longer than 32 KiB is counted and forgotten, up to the last word's start, so that folding does not change the count.
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
    if (this.length >= foldAtBytes) this.fold();
  }

  tokens(): number {
    return this.folded + countTextTokens(this.decoded());
  }

  private grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(256, needed, this.text.length * 2));
    this.text.copy(larger, 0, 0, this.length);
    this.text = larger;
  }

  private fold(): void {
    const { tokens, rest } = foldText(this.decoded());
    this.folded += tokens;
    this.text = Buffer.from(JSON.stringify(rest).slice(1, -1));
    this.length = this.text.length;
  }

  private decoded(): string {
    const raw = this.text.toString('utf8', 0, this.length);
    if (!raw.includes('\\')) return raw;
    const text = parseJson(`"${raw}"`);
    return typeof text === 'string' ? text : raw;
  }
}

/** Counts a text up to its last word, whose text is the `rest`: what follows may belong to it. */
export function foldText(text: string): { tokens: number; rest: string } {
  const boundary = lastWordStart(text);
  return { tokens: countTextTokens(text.slice(0, boundary)), rest: text.slice(boundary) };
}

/** Where the last word begins, its leading space included; the text's end when there is none in its second half. A tokenizer always splits there. */
function lastWordStart(text: string): number {
  for (let at = text.length - 2; at > text.length / 2; at--) {
    if (text[at] === ' ' && /\S/u.test(text[at - 1] ?? '') && /\p{L}/u.test(text[at + 1] ?? '')) return at;
  }
  return text.length;
}
