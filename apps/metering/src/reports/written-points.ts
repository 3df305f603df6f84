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

/** The part of a histogram from a bucket on that has counts. */
export interface Times {
  from: number;
  counts: number[];
}

/** Sums as Postgres wrote them. `day`: counted since 1970, of a block; 0 where they are of none. */
export interface WrittenPoint extends Sums {
  day: number;
}

const [comma, minus, zero, nine, bracket, brace, endBrace] = [...',-09[{}'].map((sign) => sign.charCodeAt(0));
/** Numbers of at most so many digits are exact. */
const exactDigits = 15;

/**
 * Reads points: numbers with / between them, the day first, then what is counted, the cost and two histograms
 * as Postgres writes arrays; | is between points. Of the days that are wanted. It goes through each character
 * once: a year by key has millions of them.
 */
export function readPoints(text: string, isWanted: (day: number) => boolean): WrittenPoint[] {
  const reader = new PointReader(text);
  const points: WrittenPoint[] = [];
  while (!reader.isAtEnd()) {
    const day = reader.number();
    if (isWanted(day)) points.push(reader.point(day));
    else reader.skip();
  }
  return points;
}

class PointReader {
  private at = 0;

  constructor(private readonly text: string) {}

  isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** With what ends it. */
  number(): number {
    let [value, sign] = [0, 1];
    for (; ; this.at++) {
      const code = this.text.charCodeAt(this.at);
      if (code === minus) sign = -1;
      else if (code >= (zero ?? 0) && code <= (nine ?? 0)) value = value * 10 + code - (zero ?? 0);
      else break;
    }
    this.at++;
    return sign * value;
  }

  /** What is behind its day. */
  point(day: number): WrittenPoint {
    return {
      day,
      requests: this.number(),
      failed: this.number(),
      cancelled: this.number(),
      fromCache: this.number(),
      unpriced: this.number(),
      input: this.number(),
      output: this.number(),
      cached: this.number(),
      reasoning: this.number(),
      streamedTokens: this.number(),
      streamedMs: this.number(),
      cost: this.cost(),
      latency: this.histogram(),
      first: this.histogram(),
    };
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
  private histogram(): Times {
    let from = 1;
    if (this.text.charCodeAt(this.at) === bracket) {
      this.at++;
      from = this.number();
    }
    while (this.text.charCodeAt(this.at) !== brace) this.at++;
    const counts: number[] = [];
    this.at++;
    if (this.text.charCodeAt(this.at) === endBrace) this.at++;
    else
      do counts.push(this.number());
      while (this.text.charCodeAt(this.at - 1) === comma);
    this.at++;
    return { from: from - 1, counts };
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
    latency: { from: 0, counts: [] },
    first: { from: 0, counts: [] },
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

function addTimes(sums: Times, { from, counts }: Times, sign: 1 | -1): void {
  if (counts.length === 0) return;
  if (sums.counts.length === 0) sums.from = from;
  if (from < sums.from) {
    sums.counts = [...Array.from({ length: sums.from - from }, () => 0), ...sums.counts];
    sums.from = from;
  }
  const offset = from - sums.from;
  while (sums.counts.length < offset + counts.length) sums.counts.push(0);
  for (let place = 0; place < counts.length; place++)
    sums.counts[offset + place] = (sums.counts[offset + place] ?? 0) + sign * (counts[place] ?? 0);
}
