import type { Series, SeriesCounters } from '@tollgate/contracts/metering';
import { chartsOf } from './charts-of';
import { stacked } from './stacked';

const counters = (requests: number, p50: number | null): SeriesCounters => ({
  requests,
  failed: 1,
  cancelled: 2,
  cachedRequests: 0,
  unpricedRequests: 0,
  inputTokens: requests * 10,
  outputTokens: requests,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  costNanoUsd: '1500000000',
  latency: p50 === null ? null : { p50, p90: p50 * 2, p99: p50 * 3 },
  firstToken: null,
  tokensPerSecond: p50,
});

const series = (names: string[]): Series => ({
  startAt: 0,
  endAt: 180_000,
  step: 'minute',
  timeZone: 'UTC',
  totals: counters(8, 100),
  lines: names.map((name) => ({ name, totals: counters(4, 100), points: [{ at: 60_000, ...counters(4, 100) }] })),
  grouped: false,
});
const same = (name: string) => name;

const chart = (set: ReturnType<typeof chartsOf>, id: string) => set.charts.find((one) => one.id === id);

describe('charts of a series', () => {
  it('show the parts of each figure, zero where nothing happened, and no time where nothing was measured', () => {
    const set = chartsOf(series(['all']), same, 'p50');
    expect(set.times).toEqual([0, 60_000, 120_000]);
    expect(chart(set, 'tokens')?.lines).toEqual([
      { name: 'Input', values: [0, 40, 0] },
      { name: 'Output', values: [0, 4, 0] },
    ]);
    expect(chart(set, 'latency')?.lines).toEqual([
      { name: 'p50', values: [null, 100, null] },
      { name: 'p90', values: [null, 200, null] },
      { name: 'p99', values: [null, 300, null] },
    ]);
    expect(chart(set, 'throughput')?.lines).toEqual([{ name: 'Streamed answers', values: [null, 100, null] }]);
    expect(chart(set, 'cost')?.lines).toEqual([{ name: 'Cost', values: [0, 1.5, 0] }]);
  });

  it('show one line for each part, under the name it is known by', () => {
    const set = chartsOf(series(['k1', 'k2']), (line) => (line === 'k1' ? 'Notes' : line), 'p90');
    expect(chart(set, 'requests')?.lines.map(({ name }) => name)).toEqual(['Notes', 'k2']);
    expect(chart(set, 'latency')).toMatchObject({ title: 'Latency, p90', lines: [{ values: [null, 200, null] }, {}] });
  });

  it('tell answers of the response cache apart, where there are any', () => {
    const line = {
      name: 'all',
      totals: counters(4, 100),
      points: [{ at: 60_000, ...counters(4, 100), cachedRequests: 3 }],
    };
    const set = chartsOf(
      { ...series([]), totals: { ...counters(4, 100), cachedRequests: 3 }, lines: [line] },
      same,
      'p50',
    );
    expect(chart(set, 'requests')?.lines).toEqual([
      { name: 'Not cached', values: [0, 1, 0] },
      { name: 'From the cache', values: [0, 3, 0] },
    ]);
  });

  it('of nothing have their lines and only zeros', () =>
    expect(chart(chartsOf(series([]), same, 'p50'), 'requests')?.lines).toEqual([
      { name: 'Requests', values: [0, 0, 0] },
    ]));
});

it('stacks lines so that each reaches the sum of itself and those after it', () =>
  expect(
    stacked([
      [1, 2],
      [10, null],
      [100, 200],
    ]),
  ).toEqual([
    [111, 202],
    [110, 200],
    [100, 200],
  ]));
