import type { History } from './history';
import type { AnswerTimes } from './report-latency';
import type { Sizes } from './sizes';

/** What was measured with so many events in the ledger. Latency by question. */
export interface ScalePoint {
  events: number;
  bytes: Sizes;
  latency: Record<string, AnswerTimes>;
  ingestPerS: number;
}

/** The figures as Markdown tables: a column for each size of the ledger. */
export function scaleReport({ keys, models, lengthMs }: History, points: readonly ScalePoint[]): string {
  const header = ['', ...points.map(({ events }) => `${events / 1e6} M`)];
  const gigabytes = (name: keyof ScalePoint['bytes']) => points.map(({ bytes }) => (bytes[name] / 1e9).toFixed(2));
  const names = Object.keys(points[0]?.latency ?? {});
  return [
    `${keys} keys, ${models.length} models, ${lengthMs / 86_400_000} days.`,
    table(header, [
      ['ingest, events/s', ...points.map(({ ingestPerS }) => ingestPerS.toFixed(0))],
      ['events, GB', ...gigabytes('events')],
      ['sums by hour, GB', ...gigabytes('hours')],
      ['sums by minute (three months and this one), GB', ...gigabytes('minutes')],
    ]),
    'Answers over NATS, p50 / p95 in milliseconds:',
    table(
      header,
      names.map((name) => [name, ...points.map(({ latency }) => times(latency[name]))]),
    ),
  ].join('\n\n');
}

function times(latency: AnswerTimes | undefined): string {
  if (!latency) return '';
  const { p50, p95, gaveUp } = latency;
  return `${p50.toFixed(1)} / ${p95.toFixed(1)}${gaveUp === 0 ? '' : ` (${gaveUp} given up on)`}`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
