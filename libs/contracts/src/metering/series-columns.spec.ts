import fc from 'fast-check';
import { series } from './series';
import type { Percentiles, SeriesCounters } from './series';
import { seriesReply } from './series-columns';
import type { SeriesColumns, SeriesInColumns } from './series-columns';

/** A point, and what its speed is made of. */
interface Point extends SeriesCounters {
  streamedTokens: number;
  streamedMs: number;
}

const whole = fc.maxSafeInteger();
const micros = fc.nat({ max: 4_000_000_000 });
const percentiles = fc.option(
  fc.tuple(micros, micros, micros).map(([p50, p90, p99]) => ({ p50: p50 / 1_000, p90: p90 / 1_000, p99: p99 / 1_000 })),
);
const point: fc.Arbitrary<Point> = fc
  .record({
    requests: whole,
    failed: whole,
    cancelled: whole,
    cachedRequests: whole,
    unpricedRequests: whole,
    inputTokens: whole,
    outputTokens: whole,
    cachedInputTokens: whole,
    reasoningTokens: whole,
    costNanoUsd: fc.bigInt().map(String),
    latency: percentiles,
    firstToken: percentiles,
    streamedTokens: fc.nat(),
    streamedMs: fc.nat(),
  })
  .map((read) => ({
    ...read,
    tokensPerSecond: read.streamedMs > 0 ? (read.streamedTokens * 1_000) / read.streamedMs : null,
  }));
const start = fc.nat({ max: 4_000_000_000_000 });
const line = fc.record({
  name: fc.string(),
  totals: point,
  points: fc.uniqueArray(fc.tuple(fc.nat({ max: 9 }), point), { selector: ([step]) => step }),
});
const asked = fc.record({
  startAt: start,
  endAt: start,
  step: fc.constantFrom('minute' as const, 'hour' as const, 'day' as const),
  timeZone: fc.string(),
  grouped: fc.boolean(),
  starts: fc.array(start, { minLength: 10, maxLength: 10 }),
  totals: point,
  lines: fc.array(line, { maxLength: 3 }),
});
type Asked = typeof asked extends fc.Arbitrary<infer Value> ? Value : never;

function columnsOf(points: readonly Point[]): SeriesColumns {
  const times = (of: (point: Point) => Percentiles) => {
    const column = (name: 'p50' | 'p90' | 'p99') =>
      points.map((point) => {
        const told = of(point);
        return told === null ? null : Math.round(told[name] * 1_000);
      });
    return { p50: column('p50'), p90: column('p90'), p99: column('p99') };
  };
  return {
    requests: points.map(({ requests }) => requests),
    failed: points.map(({ failed }) => failed),
    cancelled: points.map(({ cancelled }) => cancelled),
    cachedRequests: points.map(({ cachedRequests }) => cachedRequests),
    unpricedRequests: points.map(({ unpricedRequests }) => unpricedRequests),
    inputTokens: points.map(({ inputTokens }) => inputTokens),
    outputTokens: points.map(({ outputTokens }) => outputTokens),
    cachedInputTokens: points.map(({ cachedInputTokens }) => cachedInputTokens),
    reasoningTokens: points.map(({ reasoningTokens }) => reasoningTokens),
    costNanoUsd: points.map(({ costNanoUsd }) => costNanoUsd),
    latency: times(({ latency }) => latency),
    firstToken: times(({ firstToken }) => firstToken),
    streamedTokens: points.map(({ streamedTokens }) => streamedTokens),
    streamedMs: points.map(({ streamedMs }) => streamedMs),
  };
}

function inColumns({ lines, totals, ...rest }: Asked): SeriesInColumns {
  const inOrder = lines.map(({ name, totals, points }) => {
    const sorted = points.toSorted(([one], [other]) => one - other);
    const steps = sorted.map(([step]) => step);
    return { name, totals: columnsOf([totals]), steps, points: columnsOf(sorted.map(([, point]) => point)) };
  });
  return { ...rest, totals: columnsOf([totals]), lines: inOrder };
}

/** As a metering of the release before answers. */
function inPoints({ lines, starts, ...rest }: Asked): unknown {
  return {
    ...rest,
    lines: lines.map(({ points, ...line }) => ({
      ...line,
      points: points.toSorted(([one], [other]) => one - other).map(([step, point]) => ({ at: starts[step], ...point })),
    })),
  };
}

const throughJson = (told: unknown): unknown => JSON.parse(JSON.stringify(told));

describe('a series in columns', () => {
  it('reads as the same series in points, byte for byte', () => {
    fc.assert(
      fc.property(asked, (told) => {
        const read = seriesReply.parse(throughJson(inColumns(told)));
        const before = series.parse(throughJson(inPoints(told)));
        expect(JSON.stringify(read)).toBe(JSON.stringify(before));
        expect(JSON.stringify(seriesReply.parse(throughJson(inPoints(told))))).toBe(JSON.stringify(before));
      }),
      { numRuns: 100 },
    );
  });

  const [told = null] = fc.sample(
    asked.filter(({ lines }) => lines.some(({ points }) => points.length > 2)),
    { numRuns: 1, seed: 7 },
  );
  const columns = told && inColumns(told);
  const line = columns?.lines.find(({ steps }) => steps.length > 2);

  /** A copy of the sample, with the line that has points changed. */
  function changed(change: (points: Record<string, unknown[]>, line: { steps: unknown[]; totals: unknown }) => void) {
    const copy = structuredClone(columns);
    const found = copy?.lines.find(({ steps }) => steps.length > 2);
    if (!found) throw new Error('the sample has a line with points');
    change(found.points as unknown as Record<string, unknown[]>, found);
    return seriesReply.safeParse(throughJson(copy)).success;
  }

  it('is read as it is where nothing is changed', () => {
    expect(changed(() => undefined)).toBe(true);
  });

  const names = Object.keys(line?.points ?? {}).filter((name) => name !== 'latency' && name !== 'firstToken');
  it.each(names)('is refused where its %s are too few, too many, broken or away', (name) => {
    expect(names).toHaveLength(12);
    expect(changed((points) => void points[name]?.pop())).toBe(false);
    expect(changed((points) => void points[name]?.push(points[name]?.[0]))).toBe(false);
    for (const wrong of [null, 0.5, 'x', {}, [1], 2 ** 53, '1.5'])
      expect(changed((points) => void points[name]?.splice(1, 1, wrong))).toBe(false);
    expect(changed((points) => void delete points[name])).toBe(false);
    expect(changed((points) => void Object.assign(points, { [name]: 7 }))).toBe(false);
  });

  it.each(['latency', 'firstToken'])(
    'is refused where one percentile of %s is without the others, or broken',
    (name) => {
      const column = (points: Record<string, unknown>) => (points[name] as { p90: unknown[] }).p90;
      expect(changed((points) => void column(points).pop())).toBe(false);
      for (const wrong of [0.5, 'x', {}])
        expect(changed((points) => void column(points).splice(1, 1, wrong))).toBe(false);
      expect(
        changed((points) => {
          const [place, one] = [0, column(points)[0]];
          column(points).splice(place, 1, one === null ? 1 : null);
        }),
      ).toBe(false);
      expect(changed((points) => void Object.assign(points, { [name]: null }))).toBe(false);
    },
  );

  it('is refused where a point has no step, or steps are not in their order', () => {
    expect(changed((_, { steps }) => void steps.reverse())).toBe(false);
    expect(changed((_, { steps }) => void steps.splice(-1, 1, 10))).toBe(false);
    expect(changed((_, { steps }) => void steps.splice(0, 1, -1))).toBe(false);
    expect(changed((_, { steps }) => void steps.pop())).toBe(false);
    expect(changed((_, line) => void Object.assign(line, { totals: columnsOf([]) }))).toBe(false);
  });
});
