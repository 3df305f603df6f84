import { lastBucket } from './histogram';

/** What is counted, in the order in which Postgres writes it. Then come the cost and two histograms. */
export const countedFields = [
  'requests',
  'failed',
  'cancelled',
  'fromCache',
  'unpriced',
  'input',
  'output',
  'cached',
  'reasoning',
  'streamedTokens',
  'streamedMs',
] as const;

/** Where a sum of nano-dollars is in two parts, each of which is a whole number. */
export const nanoPerDollar = 1_000_000_000;

/** Sums as Postgres wrote them. */
export interface WrittenPoint {
  /** Counted since 1970, of a block; 0 where they are of none. */
  day: number;
  /** `countedFields` in their order, then the cost: whole dollars, and nano-dollars beside them. */
  numbers: Float64Array;
  latency: Times;
  first: Times;
}

/** A histogram: its buckets [from, to) have counts, the first `to - from` of `counts`. */
export interface Times {
  from: number;
  to: number;
  counts: Float64Array;
}

const comma = ','.charCodeAt(0);
const minus = '-'.charCodeAt(0);
const zero = '0'.charCodeAt(0);
const nine = '9'.charCodeAt(0);
const slash = '/'.charCodeAt(0);
const bracket = '['.charCodeAt(0);
const brace = '{'.charCodeAt(0);
const endBrace = '}'.charCodeAt(0);
/** Numbers of at most so many digits are exact. */
const exactDigits = 15;

/**
 * Reads points: numbers with / between them, the day first, then what is counted, the cost and two histograms
 * as Postgres writes arrays; | is between points. Each of the days of which `wanted` says what it is for is
 * given to `use`, for as long as that runs: it is the same object each time. A year by key has thousands of
 * points of millions of characters, each of which is gone through once.
 * @throws RangeError where a point is written otherwise.
 */
export function readPoints<Wanted>(
  text: string,
  wanted: (day: number) => Wanted | undefined,
  use: (point: WrittenPoint, wanted: Wanted) => void,
): void {
  const reader = new PointReader(text);
  while (!reader.isAtEnd()) {
    const day = reader.number();
    const isFor = wanted(day);
    if (isFor === undefined) reader.skip();
    else use(reader.point(day), isFor);
  }
}

/** All that is read goes through these. */
let bytes: Buffer = Buffer.alloc(8_192);
const one = new Float64Array(1);
const read: WrittenPoint = {
  day: 0,
  numbers: new Float64Array(countedFields.length + 2),
  latency: { from: 0, to: 0, counts: new Float64Array(lastBucket + 1) },
  first: { from: 0, to: 0, counts: new Float64Array(lastBucket + 1) },
};

/** Of bytes, which are looked up faster than characters of a text; behind the last is a 0. */
class PointReader {
  private at = 0;
  private readonly end: number;

  constructor(private readonly text: string) {
    if (bytes.length <= text.length) bytes = Buffer.alloc(2 * text.length);
    this.end = bytes.write(text, 'latin1');
    bytes[this.end] = 0;
  }

  isAtEnd(): boolean {
    return this.at >= this.end;
  }

  /** With what ends it. */
  number(): number {
    this.numbers(one, 1, slash);
    return one[0] ?? 0;
  }

  /** What is behind its day. */
  point(day: number): WrittenPoint {
    read.day = day;
    if (this.numbers(read.numbers, countedFields.length, slash) < countedFields.length) throw broken();
    this.cost(read.numbers);
    this.histogram(read.latency);
    this.histogram(read.first);
    return read;
  }

  /** Goes behind the point. */
  skip(): void {
    const end = this.text.indexOf('|', this.at);
    this.at = end < 0 ? this.end : end + 1;
  }

  /** So many numbers at most, with what ends each, as long as that is `between`. Returns how many. */
  private numbers(into: Float64Array, most: number, between: number): number {
    let { at } = this;
    let count = 0;
    let code = between;
    while (code === between && count < most) {
      code = bytes[at] ?? 0;
      const isNegative = code === minus;
      if (isNegative) code = bytes[++at] ?? 0;
      let value = 0;
      for (; code >= zero && code <= nine; code = bytes[++at] ?? 0) value = value * 10 + (code - zero);
      into[count++] = isNegative ? -value : value;
      at++;
    }
    this.at = at;
    return count;
  }

  private cost(numbers: Float64Array): void {
    const from = this.at;
    const value = this.number();
    const end = this.at - 1;
    let dollars = Math.trunc(value / nanoPerDollar);
    let nano = value - dollars * nanoPerDollar;
    if (end - from > exactDigits) {
      const exact = BigInt(this.text.slice(from, end));
      [dollars, nano] = [Number(exact / BigInt(nanoPerDollar)), Number(exact % BigInt(nanoPerDollar))];
    }
    numbers[countedFields.length] = dollars;
    numbers[countedFields.length + 1] = nano;
  }

  /** Where its first count is not of the first bucket, `[30:38]=` is before it. */
  private histogram(times: Times): void {
    times.from = 0;
    if (bytes[this.at] === bracket) {
      this.at++;
      times.from = this.number() - 1;
    }
    while (bytes[this.at] !== brace && this.at < this.end) this.at++;
    this.at++;
    const isEmpty = bytes[this.at] === endBrace;
    if (isEmpty) this.at++;
    times.to = times.from + (isEmpty ? 0 : this.numbers(times.counts, Infinity, comma));
    // Behind the end there are bytes of other texts.
    if (bytes[this.at - 1] !== endBrace || this.at > this.end || times.to > lastBucket + 1) throw broken();
    // What is behind the brace that ends it.
    this.at++;
  }
}

function broken(): RangeError {
  return new RangeError('Points of a chart are not as Postgres writes them: nothing is added up of them.');
}
