import { pacedPerS } from '../bench-plan';
import type { Measurement } from '../measurement';
import { median } from '../percentiles';
import type { Kind } from '../ways';

/** What was measured of a way: a measurement of each kind for each round, and its memory before all of them. */
export interface PeerMeasurements extends Record<Kind, Measurement[]> {
  idleBytes: number;
}

/** Figures of a way, medians over the rounds; NaN: nothing was answered. Times in milliseconds or µs. */
export interface PeerFigures {
  requestsPerS: number;
  cpuUsPerRequest: number;
  /** At 200 requests a second. */
  p50Ms: number;
  p99Ms: number;
  pacedCpuUsPerRequest: number;
  /** What it answered a second of the 200 that were asked. */
  answeredPerS: number;
  cpuUsPerChunk: number;
  firstChunkMs: number;
  idleBytes: number;
  /** The most that was seen under load. */
  mostBytes: number;
  errors: number;
  firstError: string | null;
}

/** Less of the asked rate than this: its queue grew all the while, so its times tell the length of the run. */
const keptUpShare = 0.9;

/** Whether it answered as fast as it was asked. */
export function keptUp({ answeredPerS }: PeerFigures): boolean {
  return answeredPerS >= pacedPerS * keptUpShare;
}

export function peerFigures({ idleBytes, saturated, paced, streams }: PeerMeasurements): PeerFigures {
  const all = [...saturated, ...paced, ...streams];
  const requests = ({ load }: Measurement): number => load.requests;
  return {
    requestsPerS: middle(saturated, ({ load }) => load.requests / load.elapsedS),
    cpuUsPerRequest: middle(saturated, (one) => cpuUs(one) / requests(one)),
    p50Ms: middle(paced, ({ load }) => load.latencyMs.p50),
    p99Ms: middle(paced, ({ load }) => load.latencyMs.p99),
    pacedCpuUsPerRequest: middle(paced, (one) => cpuUs(one) / requests(one)),
    answeredPerS: middle(paced, ({ load }) => load.requests / load.elapsedS),
    cpuUsPerChunk: middle(streams, (one) => cpuUs(one) / one.load.chunks),
    firstChunkMs: middle(streams, ({ load }) => load.firstByteMs.p50),
    idleBytes,
    mostBytes: Math.max(idleBytes, ...all.map(memoryBytes)),
    errors: all.reduce((sum, { load }) => sum + load.errors, 0),
    firstError: all.find(({ load }) => load.firstError !== null)?.load.firstError ?? null,
  };
}

/** The median of the measurements in which something was answered; NaN where there is none. */
function middle(measurements: readonly Measurement[], figure: (one: Measurement) => number): number {
  const answered = measurements.filter(({ load }) => load.requests > 0);
  return answered.length === 0 ? Number.NaN : median(answered.map(figure));
}

function cpuUs({ costs }: Measurement): number {
  return [...costs.values()].reduce((sum, cost) => sum + cost.cpuUs, 0);
}

function memoryBytes({ costs }: Measurement): number {
  return [...costs.values()].reduce((sum, cost) => sum + cost.memoryBytes, 0);
}
