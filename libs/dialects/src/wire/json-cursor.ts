/**
 * JSON text that breaks the grammar (RFC 8259). `position` is the byte offset of the first byte that does not
 * fit.
 */
export class JsonSyntaxError extends Error {
  constructor(readonly position: number) {
    super(`malformed JSON at byte ${position}`);
    this.name = 'JsonSyntaxError';
  }
}

/** JSON that nests deeper than the cursor was told to follow. */
export class JsonDepthError extends Error {
  constructor(readonly limit: number) {
    super(`JSON nests deeper than ${limit} levels`);
    this.name = 'JsonDepthError';
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const zero = 0x30;

/** 1 for every byte that stands for itself inside a string. */
const isPlainInString = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== quote && byte !== backslash ? 1 : 0,
);

/** Whether bytes[start, end) stands for itself inside a string: no quote, no escape, no control character. */
export function isPlainText(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (isPlainInString[bytes[at] ?? 0] === 0) return false;
  return true;
}

/** Past this many bytes without a quote the native search for one is faster than a loop. */
export const longStringBytes = 48;

/**
 * Where a string that is well formed ends, searched from `at`, which is in it and not behind a backslash; -1
 * when there is no end.
 */
export function closingQuote(bytes: Buffer, at: number): number {
  for (let from = at; ;) {
    const end = bytes.indexOf(quote, from);
    if (end < 0) return -1;
    let slashes = 0;
    while (end - 1 - slashes >= from && bytes[end - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return end;
    from = end + 1;
  }
}

/** Deeper answers than this are no answers: the cursor recurses, so it needs an end. */
const defaultDepthLimit = 512;

/**
 * Walks JSON text byte by byte without building values, and checks the grammar of everything it passes. It
 * stands in front of a value;
 * `enterObject`/`nextMember` and `enterArray`/`nextItem` step through containers, `skip` passes one value and
 * leaves its range in `valueStart` and `valueEnd`.
 * UTF-8 is not checked. Every method throws JsonSyntaxError where the text is malformed.
 */
export class JsonCursor {
  private bytes: Buffer = Buffer.alloc(0);
  private limit = 0;
  private at = 0;
  /** The name of the current member, without its quotes, as it is written (escapes and all). */
  keyStart = 0;
  keyEnd = 0;
  /** The value that `skip` passed last. */
  valueStart = 0;
  valueEnd = 0;

  /**
   * `isParsed`: the text was parsed before, so that long strings are passed at the pace of memory, without a
   * look at each byte: data of 25 MB took 80 ms.
   */
  constructor(
    private readonly depthLimit: number = defaultDepthLimit,
    private readonly isParsed = false,
  ) {}

  /** Stands in front of the value in bytes[start, end). */
  reset(bytes: Uint8Array, start = 0, end = bytes.length): this {
    this.bytes = asBuffer(bytes);
    this.at = start;
    this.limit = end;
    return this;
  }

  get position(): number {
    return this.at;
  }

  /** The first byte of the next token; 0 at the end of the text. */
  peek(): number {
    this.skipSpace();
    return this.at < this.limit ? this.byteAt(this.at) : 0;
  }

  /**
   * Steps into an object. True: it stands in front of the first member's value. False: the object was empty
   * and is passed.
   */
  enterObject(): boolean {
    this.expect(openBrace);
    if (this.peek() === closeBrace) {
      this.at++;
      return false;
    }
    this.readKey();
    return true;
  }

  /**
   * To be called after a member's value was passed. False: that was the last member, and the object is
   * passed.
   */
  nextMember(): boolean {
    if (this.anotherFollows(closeBrace)) {
      this.readKey();
      return true;
    }
    return false;
  }

  /**
   * Steps into an array. True: it stands in front of the first item. False: the array was empty and is
   * passed.
   */
  enterArray(): boolean {
    this.expect(openBracket);
    if (this.peek() === closeBracket) {
      this.at++;
      return false;
    }
    return true;
  }

  /** To be called after an item was passed. False: that was the last item, and the array is passed. */
  nextItem(): boolean {
    return this.anotherFollows(closeBracket);
  }

  /** True when the current member's name is `name` (plain ASCII), written without escapes. */
  keyIs(name: string): boolean {
    if (this.keyEnd - this.keyStart !== name.length) return false;
    for (let i = 0; i < name.length; i++) {
      if (this.bytes[this.keyStart + i] !== name.charCodeAt(i)) return false;
    }
    return true;
  }

  /** The current member's name, decoded. */
  key(): string {
    const raw = this.bytes.toString('utf8', this.keyStart, this.keyEnd);
    if (!raw.includes('\\')) return raw;
    const decoded: unknown = JSON.parse(`"${raw}"`);
    return typeof decoded === 'string' ? decoded : raw;
  }

  /** Passes one value and checks it. */
  skip(): void {
    this.skipSpace();
    const start = this.at;
    this.skipValue(0);
    this.valueStart = start;
    this.valueEnd = this.at;
  }

  /** Throws unless nothing but white space follows. */
  finish(): void {
    this.skipSpace();
    if (this.at < this.limit) throw new JsonSyntaxError(this.at);
  }

  private skipValue(depth: number): void {
    switch (this.peek()) {
      case quote:
        return this.skipString();
      case openBrace:
        return this.skipObject(depth + 1);
      case openBracket:
        return this.skipArray(depth + 1);
      case 0x74:
        return this.skipWord('true');
      case 0x66:
        return this.skipWord('false');
      case 0x6e:
        return this.skipWord('null');
      default:
        return this.skipNumber();
    }
  }

  private skipObject(depth: number): void {
    if (depth > this.depthLimit) throw new JsonDepthError(this.depthLimit);
    for (let more = this.enterObject(); more; more = this.nextMember()) this.skipValue(depth);
  }

  private skipArray(depth: number): void {
    if (depth > this.depthLimit) throw new JsonDepthError(this.depthLimit);
    for (let more = this.enterArray(); more; more = this.nextItem()) this.skipValue(depth);
  }

  private readKey(): void {
    this.skipSpace();
    const start = this.at;
    this.skipString();
    this.keyStart = start + 1;
    this.keyEnd = this.at - 1;
    this.expect(colon);
  }

  private anotherFollows(close: number): boolean {
    const byte = this.peek();
    if (byte !== comma && byte !== close) throw new JsonSyntaxError(this.at);
    this.at++;
    return byte === comma;
  }

  private expect(byte: number): void {
    if (this.peek() !== byte) throw new JsonSyntaxError(this.at);
    this.at++;
  }

  private skipSpace(): void {
    const { bytes, limit } = this;
    let at = this.at;
    while (at < limit) {
      const byte = bytes[at] ?? 0;
      if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) break;
      at++;
    }
    this.at = at;
  }

  /** Where most bytes of a document are passed: one look at a table for each. */
  private skipString(): void {
    const { bytes, limit } = this;
    if (this.at >= limit || bytes[this.at] !== quote) throw new JsonSyntaxError(this.at);
    let at = this.at + 1;
    const far = this.isParsed ? at + longStringBytes : limit;
    while (at < limit) {
      const byte = bytes[at] ?? 0;
      if (at >= far) return this.passRestOfString(at);
      if (isPlainInString[byte] === 1) at++;
      else if (byte === quote) {
        this.at = at + 1;
        return;
      } else if (byte === backslash) at = this.endOfEscape(at);
      else throw new JsonSyntaxError(at);
    }
    throw new JsonSyntaxError(limit);
  }

  private passRestOfString(at: number): void {
    const end = closingQuote(this.bytes, at);
    if (end < 0 || end >= this.limit) throw new JsonSyntaxError(this.limit);
    this.at = end + 1;
  }

  private endOfEscape(at: number): number {
    if (at + 1 >= this.limit) throw new JsonSyntaxError(this.limit);
    const byte = this.byteAt(at + 1);
    if (byte === 0x75) {
      for (let i = at + 2; i < at + 6; i++) {
        if (i >= this.limit || !isHexDigit(this.byteAt(i))) throw new JsonSyntaxError(Math.min(i, this.limit));
      }
      return at + 6;
    }
    if (!isEscapable(byte)) throw new JsonSyntaxError(at + 1);
    return at + 2;
  }

  private skipWord(word: string): void {
    for (let i = 0; i < word.length; i++) {
      if (this.at + i >= this.limit || this.byteAt(this.at + i) !== word.charCodeAt(i))
        throw new JsonSyntaxError(Math.min(this.at + i, this.limit));
    }
    this.at += word.length;
  }

  private skipNumber(): void {
    if (this.current() === 0x2d) this.at++;
    if (this.current() === zero) this.at++;
    else this.skipDigits();
    if (this.current() === 0x2e) {
      this.at++;
      this.skipDigits();
    }
    if (this.current() === 0x65 || this.current() === 0x45) {
      this.at++;
      if (this.current() === 0x2b || this.current() === 0x2d) this.at++;
      this.skipDigits();
    }
  }

  private skipDigits(): void {
    const start = this.at;
    while (isDigit(this.current())) this.at++;
    if (this.at === start) throw new JsonSyntaxError(this.at);
  }

  /** The byte under the cursor; 0 at the end of the text. */
  private current(): number {
    return this.at < this.limit ? this.byteAt(this.at) : 0;
  }

  private byteAt(index: number): number {
    return this.bytes[index] ?? 0;
  }
}

/** The same memory as a Buffer. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

/** One of " \ / b f n r t. */
function isEscapable(byte: number): boolean {
  return (
    byte === quote ||
    byte === backslash ||
    byte === 0x2f ||
    byte === 0x62 ||
    byte === 0x66 ||
    byte === 0x6e ||
    byte === 0x72 ||
    byte === 0x74
  );
}
