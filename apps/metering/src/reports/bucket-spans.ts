import { lastBucket } from './histogram';

/** Subscripts of the first and the last count of a histogram; of none `first` is behind `last`. */
export interface BucketSpan {
  first: number;
  last: number;
}

export interface BucketSpans {
  latency: BucketSpan;
  firstToken: BucketSpan;
}

/** The bounds of histograms of latency, and of first tokens, as Postgres tells them; null: all are empty. */
export type ToldBounds = readonly [number | null, number | null, number | null, number | null];

/** So many answers are remembered at the least, and twice as many at most. */
const rememberedAnswers = 100;
const none: BucketSpan = { first: lastBucket + 2, last: 0 };
const noSpans: BucketSpans = { latency: none, firstToken: none };

/**
 * Which buckets of histograms had counts in the last answers, which are likely to be those of the next. It is
 * a guess: who adds up only these has to see that there were no others.
 */
export class RecentSpans {
  private now = noSpans;
  private before = noSpans;
  private answers = 0;

  guess(): BucketSpans {
    return bothSpans(this.now, this.before);
  }

  /** What an answer had. */
  remember(spans: BucketSpans): void {
    this.now = bothSpans(this.now, spans);
    if (++this.answers < rememberedAnswers) return;
    [this.before, this.now, this.answers] = [this.now, noSpans, 0];
  }
}

/** The spans of all that is told, within the buckets that histograms have. */
export function spansOf(told: readonly ToldBounds[]): BucketSpans {
  const spans = { latency: { ...none }, firstToken: { ...none } };
  for (const [latencyFrom, latencyTo, firstFrom, firstTo] of told) {
    widen(spans.latency, latencyFrom, latencyTo);
    widen(spans.firstToken, firstFrom, firstTo);
  }
  return spans;
}

export function isWithin(spans: BucketSpans, outer: BucketSpans): boolean {
  return isSpanWithin(spans.latency, outer.latency) && isSpanWithin(spans.firstToken, outer.firstToken);
}

export function bothSpans(one: BucketSpans, other: BucketSpans): BucketSpans {
  return { latency: both(one.latency, other.latency), firstToken: both(one.firstToken, other.firstToken) };
}

function widen(span: BucketSpan, from: number | null, to: number | null): void {
  if (from === null || to === null) return;
  span.first = Math.min(span.first, Math.max(1, from));
  span.last = Math.max(span.last, Math.min(lastBucket + 1, to));
}

function both(one: BucketSpan, other: BucketSpan): BucketSpan {
  return { first: Math.min(one.first, other.first), last: Math.max(one.last, other.last) };
}

function isSpanWithin({ first, last }: BucketSpan, outer: BucketSpan): boolean {
  return first > last || (outer.first <= first && last <= outer.last);
}
