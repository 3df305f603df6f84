import type { BenchTarget } from './bench-target';
import type { MeasurementKind, TargetMeasurements } from './bench-run';
import type { LoadResult } from './load/job';
import type { Measurement } from './measurement';
import { median, type Percentiles } from './percentiles';

/**
 * The figures of one target, medians over the rounds. CPU in microseconds by process, memory in bytes by
 * process.
 */
export interface TargetFigures {
  name: BenchTarget['name'];
  latencyMs: Percentiles;
  firstChunkMs: Percentiles;
  requestsPerS: number;
  cpuUsPerRequest: Map<string, number>;
  /** At 200 requests a second, where nothing is gathered. */
  pacedCpuUsPerRequest: number;
  cpuUsPerChunk: Map<string, number>;
  chunksPerS: number;
  heldCpuUsPerChunk: number;
  heldMemoryBytes: Map<string, number>;
  errors: number;
  firstError: string | null;
}

/** Puts the measurements of one target together. Only its own processes count. */
export function targetFigures(target: BenchTarget, measured: TargetMeasurements): TargetFigures {
  const all = Object.values(measured).flat();
  const cpu = (kind: MeasurementKind, per: (load: LoadResult) => number): Map<string, number> =>
    new Map(
      target.processes.map((name) => [name, median(measured[kind].map((one) => cpuPer(one, name, per(one.load))))]),
    );
  return {
    name: target.name,
    latencyMs: medianPercentiles(measured.paced.map(({ load }) => load.latencyMs)),
    firstChunkMs: medianPercentiles(measured.firstChunk.map(({ load }) => load.firstByteMs)),
    requestsPerS: median(measured.saturated.map(({ load }) => load.requests / load.elapsedS)),
    cpuUsPerRequest: cpu('saturated', ({ requests }) => requests),
    pacedCpuUsPerRequest: sum(cpu('paced', ({ requests }) => requests)),
    cpuUsPerChunk: cpu('streams', ({ chunks }) => chunks),
    chunksPerS: median(measured.streams.map(({ load }) => load.chunks / load.elapsedS)),
    heldCpuUsPerChunk: sum(cpu('held', ({ chunks }) => chunks)),
    heldMemoryBytes: new Map(
      target.processes.map((name) => [name, Math.max(0, ...measured.held.map((one) => memoryOf(one, name)))]),
    ),
    errors: all.reduce((total, { load }) => total + load.errors, 0),
    firstError: all.find(({ load }) => load.firstError !== null)?.load.firstError ?? null,
  };
}

/** The sum over all processes. */
export function sum(values: ReadonlyMap<string, number>): number {
  return [...values.values()].reduce((total, value) => total + value, 0);
}

function cpuPer({ costs }: Measurement, name: string, count: number): number {
  return count === 0 ? 0 : (costs.get(name)?.cpuUs ?? 0) / count;
}

function memoryOf({ costs }: Measurement, name: string): number {
  return costs.get(name)?.memoryBytes ?? 0;
}

function medianPercentiles(list: readonly Percentiles[]): Percentiles {
  return {
    p50: median(list.map(({ p50 }) => p50)),
    p95: median(list.map(({ p95 }) => p95)),
    p99: median(list.map(({ p99 }) => p99)),
  };
}
