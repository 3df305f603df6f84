/** What is counted. */
interface Counts {
  requests: number;
  failed: number;
  cancelled: number;
  fromCache: number;
  unpriced: number;
  input: number;
  output: number;
  cached: number;
  reasoning: number;
  streamedTokens: number;
  streamedMs: number;
}

/** What a line used in a step. `cost`: nano-dollars. */
export interface Sums extends Counts {
  cost: bigint;
  latency: Times;
  first: Times;
}

/** The part of a histogram from a bucket on that has counts: the first `length` of `counts`. */
export interface Times {
  from: number;
  length: number;
  counts: number[];
}

/** Sums as Postgres wrote them. `day`: counted since 1970, of a block; 0 where they are of none. */
export interface WrittenPoint extends Sums {
  day: number;
}

const comma = ','.charCodeAt(0);
const minus = '-'.charCodeAt(0);
const zero = '0'.charCodeAt(0);
const nine = '9'.charCodeAt(0);
const bracket = '['.charCodeAt(0);
const brace = '{'.charCodeAt(0);
const endBrace = '}'.charCodeAt(0);
/** Numbers of at most so many digits are exact. */
const exactDigits = 15;

/**
 * Reads points: numbers with / between them, the day first, then what is counted, the cost and two histograms
 * as Postgres writes arrays; | is between points. Each of the days that are wanted is given to `use`, for as
 * long as that runs: it is the same object each time. A year by key has thousands of points of millions of
 * characters, each of which is gone through once.
 */
export function readPoints(
  text: string,
  use: (point: WrittenPoint) => void,
  isWanted: (day: number) => boolean = () => true,
): void {
  const reader = new PointReader(text);
  while (!reader.isAtEnd()) {
    const day = reader.number();
    if (isWanted(day)) use(reader.point(day));
    else reader.skip();
  }
}

/** The requests of each day in points, and nothing else of them. */
export function readRequests(text: string, use: (day: number, requests: number) => void): void {
  const reader = new PointReader(text);
  while (!reader.isAtEnd()) {
    use(reader.number(), reader.number());
    reader.skip();
  }
}

class PointReader {
  private at = 0;
  private readonly read: WrittenPoint = { day: 0, ...noSums() };

  constructor(private readonly text: string) {}

  isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** With what ends it. */
  number(): number {
    const { text } = this;
    let at = this.at;
    let code = text.charCodeAt(at);
    const isNegative = code === minus;
    if (isNegative) code = text.charCodeAt(++at);
    let value = 0;
    while (code >= zero && code <= nine) {
      value = value * 10 + (code - zero);
      code = text.charCodeAt(++at);
    }
    this.at = at + 1;
    return isNegative ? -value : value;
  }

  /** What is behind its day. */
  point(day: number): WrittenPoint {
    const { read } = this;
    read.day = day;
    read.requests = this.number();
    read.failed = this.number();
    read.cancelled = this.number();
    read.fromCache = this.number();
    read.unpriced = this.number();
    read.input = this.number();
    read.output = this.number();
    read.cached = this.number();
    read.reasoning = this.number();
    read.streamedTokens = this.number();
    read.streamedMs = this.number();
    read.cost = this.cost();
    this.histogram(read.latency);
    this.histogram(read.first);
    return read;
  }

  /** Goes behind the point. */
  skip(): void {
    const end = this.text.indexOf('|', this.at);
    this.at = end < 0 ? this.text.length : end + 1;
  }

  private cost(): bigint {
    const from = this.at;
    const value = this.number();
    const end = this.at - 1;
    return BigInt(end - from > exactDigits ? this.text.slice(from, end) : value);
  }

  /** Where its first count is not of the first bucket, `[30:38]=` is before it. */
  private histogram(times: Times): void {
    const { text } = this;
    let from = 1;
    if (text.charCodeAt(this.at) === bracket) {
      this.at++;
      from = this.number();
    }
    while (text.charCodeAt(this.at) !== brace) this.at++;
    this.at++;
    times.from = from - 1;
    times.length = 0;
    if (text.charCodeAt(this.at) === endBrace) this.at++;
    else
      do times.counts[times.length++] = this.number();
      while (text.charCodeAt(this.at - 1) === comma);
    this.at++;
  }
}

export function noSums(): Sums {
  return {
    requests: 0,
    failed: 0,
    cancelled: 0,
    fromCache: 0,
    unpriced: 0,
    input: 0,
    output: 0,
    cached: 0,
    reasoning: 0,
    streamedTokens: 0,
    streamedMs: 0,
    cost: 0n,
    latency: { from: 0, length: 0, counts: [] },
    first: { from: 0, length: 0, counts: [] },
  };
}

/** Adds other sums, or takes them out (-1). Field by field: a loop over them takes five times as long. */
export function addSums(sums: Sums, more: Sums, sign: 1 | -1 = 1): void {
  sums.requests += sign * more.requests;
  sums.failed += sign * more.failed;
  sums.cancelled += sign * more.cancelled;
  sums.fromCache += sign * more.fromCache;
  sums.unpriced += sign * more.unpriced;
  sums.input += sign * more.input;
  sums.output += sign * more.output;
  sums.cached += sign * more.cached;
  sums.reasoning += sign * more.reasoning;
  sums.streamedTokens += sign * more.streamedTokens;
  sums.streamedMs += sign * more.streamedMs;
  sums.cost += sign < 0 ? -more.cost : more.cost;
  addTimes(sums.latency, more.latency, sign);
  addTimes(sums.first, more.first, sign);
}

function addTimes(sums: Times, { from, length, counts }: Times, sign: 1 | -1): void {
  if (length === 0) return;
  if (sums.length === 0 && sign > 0) {
    sums.from = from;
    sums.length = length;
    sums.counts = counts.slice(0, length);
    return;
  }
  if (sums.length === 0) sums.from = from;
  if (from < sums.from || from + length > sums.from + sums.length) widen(sums, from, from + length);
  const all = sums.counts;
  const offset = from - sums.from;
  for (let place = 0; place < length; place++) {
    const count = counts[place] ?? 0;
    const known = all[offset + place] ?? 0;
    all[offset + place] = sign > 0 ? known + count : known - count;
  }
}

function widen(sums: Times, from: number, end: number): void {
  const first = Math.min(sums.from, from);
  const length = Math.max(sums.from + sums.length, end) - first;
  const counts: number[] = new Array<number>(length).fill(0);
  for (let place = 0; place < sums.length; place++) counts[sums.from - first + place] = sums.counts[place] ?? 0;
  Object.assign(sums, { from: first, length, counts });
}
