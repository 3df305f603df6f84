/** What is not among the tokens: no number of a token is as high. */
const none = 0x7fff_ffff;

/**
 * The tokens of an encoding by their bytes, and how many of them a piece of text has. All of them lie in
 * three typed arrays, 4.5 MB for 200,000 of them, where strings in a map take five times as much.
 */
export class BytePairs {
  /** Where the bytes of each token end in `bytes`. */
  private readonly ends: Uint32Array;
  private readonly bytes: Uint8Array;
  /** Numbers of tokens by the hashes of their bytes, each plus one; 0: free. */
  private readonly slots: Uint32Array;
  private piece = new Uint8Array(512);
  /** Where the parts of a piece begin, and the number of what each would be with the next one. */
  private starts = new Uint32Array(512);
  private ranks = new Uint32Array(512);

  /** The text of a file of tiktoken: on each line the bytes of a token in base64, and its number, from 0 on. */
  constructor(file: Uint8Array) {
    const count = file.reduce((lines, byte) => lines + (byte === lineEnd ? 1 : 0), file.at(-1) === lineEnd ? 0 : 1);
    this.ends = new Uint32Array(count);
    const decoded = new Uint8Array(Math.ceil((file.length * 3) / 4));
    this.bytes = decoded.slice(0, this.decode(file, decoded));
    this.slots = new Uint32Array(2 ** Math.ceil(Math.log2(count * 2)));
    for (let token = 0; token < count; token++) this.insert(token);
  }

  /** How many tokens a piece of text has that no token crosses the ends of. */
  count(text: string): number {
    const length = this.encode(text);
    if (this.rank(0, length) !== none) return 1;
    return this.merge(length);
  }

  /** Merges the pair with the lowest number, the first one of several, until none is a token. */
  private merge(length: number): number {
    const { starts, ranks } = this;
    let parts = length;
    for (let at = 0; at <= length; at++) starts[at] = at;
    for (let at = 0; at < length; at++) ranks[at] = this.rankAt(at, parts);
    for (;;) {
      let lowest = none;
      let first = 0;
      for (let at = 0; at < parts - 1; at++) {
        const rank = ranks[at] ?? none;
        if (rank >= lowest) continue;
        lowest = rank;
        first = at;
      }
      if (lowest === none) return parts;
      starts.copyWithin(first + 1, first + 2, parts + 1);
      ranks.copyWithin(first + 1, first + 2, parts);
      parts--;
      ranks[first] = this.rankAt(first, parts);
      if (first > 0) ranks[first - 1] = this.rankAt(first - 1, parts);
    }
  }

  /** The number of what a part of the piece is with the next one. */
  private rankAt(at: number, parts: number): number {
    return at + 2 > parts ? none : this.rank(this.starts[at] ?? 0, this.starts[at + 2] ?? 0);
  }

  /** The number of the token that some bytes of the piece are. */
  private rank(start: number, end: number): number {
    const { piece, slots, ends, bytes } = this;
    for (let slot = hash(piece, start, end); ; slot++) {
      const entry = slots[slot & (slots.length - 1)] ?? 0;
      if (entry === 0) return none;
      const token = entry - 1;
      const from = token === 0 ? 0 : (ends[token - 1] ?? 0);
      if ((ends[token] ?? 0) - from !== end - start) continue;
      let same = start;
      while (same < end && piece[same] === bytes[from + same - start]) same++;
      if (same === end) return token;
    }
  }

  private insert(token: number): void {
    const { slots, ends, bytes } = this;
    let slot = hash(bytes, token === 0 ? 0 : (ends[token - 1] ?? 0), ends[token] ?? 0);
    while (slots[slot & (slots.length - 1)] !== 0) slot++;
    slots[slot & (slots.length - 1)] = token + 1;
  }

  /** The text as UTF-8 in `piece`: how long it is. */
  private encode(text: string): number {
    if (text.length * 3 >= this.piece.length) {
      this.piece = new Uint8Array(text.length * 6);
      this.starts = new Uint32Array(text.length * 6);
      this.ranks = new Uint32Array(text.length * 6);
    }
    const { piece } = this;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 0x7f) return encoder.encodeInto(text, piece).written;
      piece[at] = unit;
    }
    return text.length;
  }

  private decode(file: Uint8Array, into: Uint8Array): number {
    let length = 0;
    let token = 0;
    let bits = 0;
    let taken = 0;
    for (let at = 0; at < file.length; at++) {
      const value = base64Values[file[at] ?? 0] ?? notBase64;
      if (value !== notBase64) {
        bits = (bits << 6) | value;
        taken += 6;
        if (taken >= 8) into[length++] = bits >> (taken -= 8);
        continue;
      }
      // Behind the bytes stands the number, which is that of the line.
      this.ends[token++] = length;
      taken = 0;
      const end = file.indexOf(lineEnd, at);
      if (end === -1) break;
      at = end;
    }
    return length;
  }
}

const { imul } = Math;
const encoder = new TextEncoder();
const lineEnd = 0x0a;
const notBase64 = 0xff;
const base64Values = new Uint8Array(256).fill(notBase64);
[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].forEach((sign, value) => {
  base64Values[sign.charCodeAt(0)] = value;
});

/** FNV-1a, whose high bits are mixed into the low ones. http://www.isthe.com/chongo/tech/comp/fnv/ */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let at = start; at < end; at++) value = imul(value ^ (bytes[at] ?? 0), 0x01000193);
  return (value ^ (value >>> 15)) & 0x3fff_ffff;
}
