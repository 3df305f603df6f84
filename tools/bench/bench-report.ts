import { busyStreams, pacedPerS, saturatedConnections } from './bench-plan';
import { sum, type TargetFigures } from './bench-figures';
import type { Percentiles } from './percentiles';
import { memoryMeasure } from './process-cost';

type Row = readonly string[];

/** The figures as Markdown tables, with the gateway's ratio to the raw proxy. */
export function benchReport(figures: readonly TargetFigures[], heldStreams: number): string {
  const direct = figures.find(({ name }) => name === 'direct');
  const sections = [
    section(`Latency at ${pacedPerS} requests/s, added to that of the provider itself`, [
      ['', 'p50', 'p95', 'p99', 'first chunk p50', 'p95', 'p99'],
      ...figures.map((one) => latencyRow(one, direct)),
    ]),
    section(`Saturated, ${saturatedConnections} connections, answers of 1.2 kB`, [
      ['', 'requests/s', 'CPU µs/request', `CPU µs/request at ${pacedPerS}/s`],
      ...withRatio(figures, (one) => [one.requestsPerS, sum(one.cpuUsPerRequest), one.pacedCpuUsPerRequest]),
    ]),
    section(`${busyStreams} busy streams, and ${heldStreams} open ones`, [
      ['', 'chunks/s', 'CPU µs/chunk', 'CPU µs/chunk (open)', 'memory MB (open)'],
      ...withRatio(figures, (one) => [
        one.chunksPerS,
        sum(one.cpuUsPerChunk),
        one.heldCpuUsPerChunk,
        sum(one.heldMemoryBytes) / 1e6,
      ]),
    ]),
    section('The gateway by process', processRows(figures)),
  ];
  const failed = figures.filter(({ errors }) => errors > 0);
  const warnings = failed.map(({ name, errors, firstError }) => `${name}: ${errors} requests failed (${firstError})`);
  return [...sections, `Memory: ${memoryMeasure}.`, ...warnings].join('\n\n');
}

function latencyRow(one: TargetFigures, direct: TargetFigures | undefined): Row {
  const added = one === direct ? undefined : direct;
  const name = added ? `${one.name} (added)` : one.name;
  return [name, ...cells(one.latencyMs, added?.latencyMs), ...cells(one.firstChunkMs, added?.firstChunkMs)];
}

function cells(value: Percentiles, base: Percentiles | undefined): string[] {
  const { p50, p95, p99 } = base ?? { p50: 0, p95: 0, p99: 0 };
  return [value.p50 - p50, value.p95 - p95, value.p99 - p99].map((ms) => `${ms.toFixed(2)} ms`);
}

function withRatio(figures: readonly TargetFigures[], values: (one: TargetFigures) => number[]): Row[] {
  const rows = figures.map((one) => [one.name, ...values(one).map(figure)]);
  const proxy = figures.find(({ name }) => name === 'raw proxy');
  const gateway = figures.find(({ name }) => name === 'gateway');
  if (!proxy || !gateway) return rows;
  const base = values(proxy);
  const ratios = values(gateway).map((value, index) => ratio(value, base[index] ?? 0));
  return [...rows, ['gateway / raw proxy', ...ratios]];
}

function processRows(figures: readonly TargetFigures[]): Row[] {
  const gateway = figures.find(({ name }) => name === 'gateway');
  if (!gateway) return [];
  const { cpuUsPerRequest, cpuUsPerChunk, heldMemoryBytes } = gateway;
  return [
    ['', 'CPU µs/request', 'CPU µs/chunk', 'memory MB (open streams)'],
    ...[...cpuUsPerRequest].map(([name, us]) => [
      name,
      figure(us),
      figure(cpuUsPerChunk.get(name) ?? 0),
      figure((heldMemoryBytes.get(name) ?? 0) / 1e6),
    ]),
  ];
}

function section(title: string, rows: readonly Row[]): string {
  return [`### ${title}`, '', figureTable(rows)].join('\n');
}

/** Figures beside their names, as Markdown. The first row is the head. */
export function figureTable([header = [], ...rest]: readonly (readonly string[])[]): string {
  const lines = [header, header.map((_, index) => (index === 0 ? '---' : '---:')), ...rest];
  return lines.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** A figure as it is shown: whole from a hundred on. */
export function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1);
}

/** How many times the base it is; nothing where there is none. */
export function ratio(value: number, base: number): string {
  return base === 0 ? '' : `${(value / base).toFixed(2)}x`;
}
