/** Places of a program in its sources, as a source map (version 3) tells them. */
export interface PlacesText {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** `line` and `column` are counted from 0. */
export interface Place {
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Numbers that are kept of a line: where it begins in the text, the sum of what stands before it, and whether
 * that is of no source (1).
 */
const numbersOfLine = 5;
const [comma, semicolon] = [44, 59];

/**
 * Finds places by the map's text, of which it decodes the line that is asked for: as objects, which is how
 * Node's `SourceMap` keeps them, places take forty times their text.
 * https://tc39.es/ecma426/#sec-mappings
 */
export class Places {
  private readonly lines: Int32Array;

  constructor(private readonly text: PlacesText) {
    const { mappings } = text;
    this.lines = new Int32Array(numbersOfLine * mappings.split(';').length);
    const segments = new Segments(mappings, [0, 0, 0, 0, 1]);
    for (let at = 0; at < this.lines.length; at += numbersOfLine) {
      const { source, line, column, isOfNone } = segments;
      this.lines.set([segments.at, source, line, column, Number(isOfNone)], at);
      while (segments.next());
      segments.nextLine();
    }
  }

  /** The place of what stands there, or last before it. Null: nothing of the sources does. */
  find(line: number, column: number): Place | null {
    const before = this.lines.subarray(line * numbersOfLine, (line + 1) * numbersOfLine);
    if (before.length === 0) return null;
    const segments = new Segments(this.text.mappings, before);
    let place = this.placeOf(segments);
    while (segments.next() && segments.generated <= column) place = this.placeOf(segments);
    return place;
  }

  private placeOf({ source, line, column, isOfNone }: Segments): Place | null {
    const name = this.text.sources[source];
    return name === undefined || isOfNone ? null : { source: name, line, column };
  }
}

/** Reads the segments of a line, one after the other. */
class Segments {
  at: number;
  /** The column in the program. */
  generated = 0;
  source: number;
  line: number;
  column: number;
  /** What begins here is of no source. */
  isOfNone: boolean;

  /** `before`: the numbers of a line. */
  constructor(
    private readonly text: string,
    before: Iterable<number>,
  ) {
    const [at = 0, source = 0, line = 0, column = 0, isOfNone = 1] = before;
    [this.at, this.source, this.line, this.column] = [at, source, line, column];
    this.isOfNone = isOfNone === 1;
  }

  /** False: the line has no more. */
  next(): boolean {
    if (this.text.charCodeAt(this.at) === comma) this.at++;
    if (this.isOver()) return false;
    this.generated += this.number();
    this.isOfNone = this.isOver();
    if (this.isOfNone) return true;
    this.source += this.number();
    this.line += this.number();
    this.column += this.number();
    // The name that stands there.
    if (!this.isOver()) this.number();
    return true;
  }

  nextLine(): void {
    this.at++;
    this.generated = 0;
  }

  private isOver(): boolean {
    const next = this.text.charCodeAt(this.at);
    return Number.isNaN(next) || next === comma || next === semicolon;
  }

  /** In digits of five bits, the lowest first; a sixth tells that more follow, the very first one the sign. */
  private number(): number {
    let bits = 0;
    for (let shift = 0; ; shift += 5) {
      const digit = digitOf[this.text.charCodeAt(this.at++)] ?? noDigit;
      if (digit === noDigit) throw new Error('This is no source map.');
      bits |= (digit & 31) << shift;
      if (digit < 32) return bits & 1 ? -(bits >>> 1) : bits >>> 1;
    }
  }
}

const noDigit = 64;
/** By the code of its character. */
const digitOf = new Uint8Array(128).fill(noDigit);
for (const [digit, character] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  digitOf[character.charCodeAt(0)] = digit;
