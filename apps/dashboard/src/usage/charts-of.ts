import type { Percentiles, Series, SeriesCounters, SeriesLine } from '@tollgate/contracts/metering';
import { formatMoney, toChartUsd } from '../format/money';
import { formatCompact, formatRate } from '../format/number';
import { formatDuration } from '../format/time';
import { timesOf } from './range';

interface ChartLine {
  name: string;
  /** One for each time; null: nothing was measured. */
  values: (number | null)[];
}

/** `stack`: the lines are parts of a whole. */
export interface ChartSpec {
  id: string;
  title: string;
  kind: 'stack' | 'lines';
  lines: ChartLine[];
  format: (value: number) => string;
  /** Which of the eight line colours each line has, from 0; null: in their order. */
  colors: number[] | null;
  /** Its axis has whole numbers only. */
  whole: boolean;
  /** What is said where all is empty, if that is not plain. */
  nothing?: string;
}

export interface ChartSet {
  times: number[];
  step: Series['step'];
  charts: ChartSpec[];
}

type Percentile = keyof NonNullable<Percentiles>;
type Measure = (counters: SeriesCounters) => number | null;
type Point = SeriesLine['points'][number];

const percentileNames: Percentile[] = ['p50', 'p90', 'p99'];
const formatUsd = (usd: number) => formatMoney(String(Math.round(usd * 1e9)));

/**
 * The charts of a series. Undivided it shows the parts of each figure; divided (by model, key, ...) one line
 * for each part, and one percentile.
 */
export function chartsOf(series: Series, nameOf: (line: string) => string, percentile: Percentile): ChartSet {
  const times = timesOf(series);
  const only = series.lines.length === 1 && series.lines[0]?.name === 'all' ? series.lines[0] : null;
  const divided = !only && series.lines.length > 0;
  const pointsByLine = new Map<SeriesLine, Map<number, Point>>(
    series.lines.map((line) => [line, new Map(line.points.map((point) => [point.at, point]))]),
  );
  const values = (line: SeriesLine | null, measure: Measure, absent: number | null) =>
    times.map((at) => {
      const point = line && pointsByLine.get(line)?.get(at);
      return point ? measure(point) : absent;
    });
  const byLine = (measure: Measure, absent: number | null): ChartLine[] =>
    series.lines.map((line) => ({ name: nameOf(line.name), values: values(line, measure, absent) }));
  const parts = (measures: [string, Measure][], absent: number | null): ChartLine[] =>
    measures.map(([name, measure]) => ({ name, values: values(only, measure, absent) }));

  const counted = (
    id: string,
    title: string,
    sum: Measure,
    of: [string, Measure][],
    format = formatCompact,
  ): ChartSpec => ({
    id,
    title,
    kind: 'stack',
    lines: divided ? byLine(sum, 0) : parts(of, 0),
    format,
    colors: id === 'errors' && !divided ? [7, 2] : null,
    whole: id !== 'cost',
  });
  const throughput: ChartSpec = {
    id: 'throughput',
    title: 'Throughput, tokens per second',
    kind: 'lines',
    lines: divided ? byLine(speedOf, null) : parts([['Streamed answers', speedOf]], null),
    format: formatRate,
    colors: null,
    whole: false,
    nothing:
      'Nothing in this time. Only streamed answers have a speed, and only those since the upgrade that began to measure it.',
  };
  const timed = (id: 'latency' | 'firstToken', title: string): ChartSpec => ({
    id,
    title: divided ? `${title}, ${percentile}` : title,
    kind: 'lines',
    lines: divided
      ? byLine((counters) => counters[id]?.[percentile] ?? null, null)
      : parts(
          percentileNames.map((name) => [name, (counters) => counters[id]?.[name] ?? null]),
          null,
        ),
    format: formatDuration,
    colors: null,
    whole: true,
  });

  return {
    times,
    step: series.step,
    charts: [
      counted('requests', 'Requests', ({ requests }) => requests, requestParts(series.totals)),
      counted('tokens', 'Tokens', ({ inputTokens, outputTokens }) => inputTokens + outputTokens, [
        ['Input', ({ inputTokens }) => inputTokens],
        ['Output', ({ outputTokens }) => outputTokens],
      ]),
      counted('cost', 'Cost', costOf, [['Cost', costOf]], formatUsd),
      counted('errors', 'Errors', ({ failed }) => failed, [
        ['Failed', ({ failed }) => failed],
        ['Cancelled', ({ cancelled }) => cancelled],
      ]),
      timed('latency', 'Latency'),
      timed('firstToken', 'First token'),
      throughput,
    ],
  };
}

/** Where the response cache answered something, its answers are told apart. */
const requestParts = ({ cachedRequests }: SeriesCounters): [string, Measure][] =>
  cachedRequests === 0
    ? [['Requests', ({ requests }) => requests]]
    : [
        ['Not cached', (counters) => counters.requests - counters.cachedRequests],
        ['From the cache', (counters) => counters.cachedRequests],
      ];

const speedOf = ({ tokensPerSecond }: SeriesCounters) => tokensPerSecond;

const costOf = ({ costNanoUsd }: SeriesCounters) => toChartUsd(costNanoUsd);
