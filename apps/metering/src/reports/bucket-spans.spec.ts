import { bothSpans, isWithin, RecentSpans, spansOf } from './bucket-spans';

const spans = (first: number, last: number) => spansOf([[first, last, null, null]]);

describe('spans of buckets', () => {
  it('hold the bounds of all histograms, within the buckets that there are', () => {
    const told = spansOf([
      [30, 38, null, null],
      [null, null, 24, 31],
      [12, 31, 0, 70],
    ]);
    expect(told).toEqual({ latency: { first: 12, last: 38 }, firstToken: { first: 1, last: 67 } });
    expect(bothSpans(spans(3, 4), spans(6, 7))).toEqual(spans(3, 7));
  });

  it('lie within others where these have all of their buckets', () => {
    expect(isWithin(spans(3, 5), spans(3, 5))).toBe(true);
    expect(isWithin(spans(2, 5), spans(3, 5))).toBe(false);
    expect(isWithin(spans(3, 6), spans(3, 5))).toBe(false);
    expect(isWithin(spansOf([]), spansOf([]))).toBe(true);
    expect(isWithin(spans(3, 3), spansOf([]))).toBe(false);
    expect(isWithin(spansOf([[null, null, 9, 9]]), spans(1, 67))).toBe(false);
  });
});

describe('the guess which buckets are in use', () => {
  it('is those of the last answers, and of none before any', () => {
    const recent = new RecentSpans();
    expect(recent.guess()).toEqual(spansOf([]));
    recent.remember(spans(30, 38));
    recent.remember(spans(20, 31));
    expect(recent.guess()).toEqual(spans(20, 38));
  });

  it('forgets an outlier after some answers without', () => {
    const recent = new RecentSpans();
    recent.remember(spans(1, 67));
    for (let answer = 0; answer < 198; answer++) recent.remember(spans(30, 38));
    expect(recent.guess()).toEqual(spans(1, 67));
    recent.remember(spans(30, 38));
    expect(recent.guess()).toEqual(spans(30, 38));
  });
});
