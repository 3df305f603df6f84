import type { Percentiles } from '../percentiles';
import type { History } from './history';

/** What was measured with so many events in the ledger. Bytes hold indexes too; latency in milliseconds by question. */
export interface ScalePoint {
  events: number;
  bytes: { events: number; minutes: number; hours: number };
  latency: ReadonlyMap<string, Percentiles>;
  ingestPerS: number;
}

/** The figures as Markdown tables: a column for each size of the ledger. */
export function scaleReport({ keys, models, lengthMs }: History, points: readonly ScalePoint[]): string {
  const header = ['', ...points.map(({ events }) => `${events / 1e6} M`)];
  const gigabytes = (name: keyof ScalePoint['bytes']) => points.map(({ bytes }) => (bytes[name] / 1e9).toFixed(2));
  const names = [...(points[0]?.latency.keys() ?? [])];
  return [
    `${keys} keys, ${models.length} models, ${lengthMs / 86_400_000} days.`,
    table(header, [
      ['ingest, events/s', ...points.map(({ ingestPerS }) => ingestPerS.toFixed(0))],
      ['events, GB', ...gigabytes('events')],
      ['sums by hour, GB', ...gigabytes('hours')],
      ['sums by minute (90 days), GB', ...gigabytes('minutes')],
    ]),
    'Answers over NATS, p50 / p95 in milliseconds:',
    table(
      header,
      names.map((name) => [name, ...points.map(({ latency }) => times(latency.get(name)))]),
    ),
  ].join('\n\n');
}

function times(latency: Percentiles | undefined): string {
  return latency ? `${latency.p50.toFixed(1)} / ${latency.p95.toFixed(1)}` : '';
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
