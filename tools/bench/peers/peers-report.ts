import { tableText } from '../../prove/write-page';
import { pacedPerS, saturatedConnections } from '../bench-plan';
import { figure, figureTable, ratio } from '../bench-report';
import { pacedStreams } from '../ways';
import type { SwitchedOn } from './peer';
import { keptUp, type PeerFigures } from './peer-figures';

/** A line of the table: a way with its figures, or why there are none. */
export type PeerLine = { name: string; on: SwitchedOn } & ({ figures: PeerFigures } | { absent: string });

const heads = [
  `requests/s, ${saturatedConnections} connections`,
  'CPU µs/request',
  `p50 ms at ${pacedPerS}/s`,
  'p99 ms',
  `CPU µs/request at ${pacedPerS}/s`,
  `CPU µs/chunk, ${pacedStreams} streams`,
  'first chunk p50 ms',
  'memory idle MB',
  'memory most MB',
];

/** How much is told of why one is not there, letters. */
const toldLetters = 300;

/**
 * What each way has switched on and what it cost, as Markdown, with multiples of the raw proxy of the same
 * run in brackets. The raw proxy is the first line.
 */
export function peersReport(lines: readonly PeerLine[]): string {
  const [raw] = lines;
  const base = raw && 'figures' in raw ? cellValues(raw.figures) : [];
  const conditions = lines.map(({ name, on }) => [name, on.keys, on.limits, on.metering, on.database]);
  const failed = lines.flatMap((line) =>
    'figures' in line && line.figures.errors > 0
      ? [`${line.name}: ${line.figures.errors} requests failed (${line.figures.firstError}).`]
      : [],
  );
  return [
    tableText([['switched on', 'keys', 'limits', 'metering', 'database'], ...conditions]),
    figureTable([['', ...heads], ...lines.map((line) => [line.name, ...cellsOf(line, line === raw ? [] : base)])]),
    ...failed,
  ].join('\n\n');
}

function cellsOf(line: PeerLine, base: readonly number[]): string[] {
  return 'figures' in line ? figureCells(line.figures, base) : absentCells(line);
}

function cellValues(figures: PeerFigures): number[] {
  return [
    figures.requestsPerS,
    figures.cpuUsPerRequest,
    figures.p50Ms,
    figures.p99Ms,
    figures.pacedCpuUsPerRequest,
    figures.cpuUsPerChunk,
    figures.firstChunkMs,
    figures.idleBytes / 1e6,
    figures.mostBytes / 1e6,
  ];
}

function figureCells(figures: PeerFigures, base: readonly number[]): string[] {
  const cells = cellValues(figures).map((value, index) => timesBase(value, base[index] ?? 0));
  if (keptUp(figures) || Number.isNaN(figures.answeredPerS)) return cells;
  return cells.with(2, `did not keep up: ${figure(figures.answeredPerS)}/s`).with(3, '-');
}

function timesBase(value: number, base: number): string {
  if (Number.isNaN(value)) return '-';
  const times = Number.isNaN(base) ? '' : ratio(value, base);
  return times === '' ? shown(value) : `${shown(value)} (${times})`;
}

/** A figure as it is shown; small times need their hundredths. */
function shown(value: number): string {
  return value < 10 ? value.toFixed(2) : figure(value);
}

/** The reason in the first cell, in one line, and nothing in the others. */
function absentCells({ absent }: { absent: string }): string[] {
  const reason = absent
    .replace(/^Error: Command failed: /, '')
    .replaceAll(/[\s|]+/g, ' ')
    .trim();
  const told = reason.length > toldLetters ? `${reason.slice(0, toldLetters)}…` : reason;
  return heads.map((_, index) => (index === 0 ? `not here: ${told}` : ''));
}
