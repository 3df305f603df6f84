import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchProcess } from '../child-process';
import { measure } from '../measurement';
import { processCosts } from '../process-cost';
import { jobOf, kinds, type Way } from '../ways';
import type { PeerMeasurements } from './peer-figures';

/** How long and how often is measured. */
export interface PeersPlan {
  rounds: number;
  /** Of each measurement. One that falls behind takes longer: what was asked is waited for. */
  seconds: number;
  /** Seconds before the first round, in which each way is asked as fast as it goes. */
  warmUpS: number;
}

/** From the start of the last until memory is looked at. */
const idleMs = 5_000;

/**
 * Measures the ways in turns, every other round in reverse order, so that whatever else the machine does
 * falls on all of them alike.
 */
export async function measurePeers(
  ways: readonly Way[],
  generator: BenchProcess,
  { rounds, seconds, warmUpS }: PeersPlan,
  progress: (line: string) => void,
): Promise<Map<Way, PeerMeasurements>> {
  await sleep(idleMs);
  const measured = new Map<Way, PeerMeasurements>(
    ways.map((way) => [way, { idleBytes: idleBytes(way), saturated: [], paced: [], streams: [] }]),
  );
  progress('warming up');
  for (const way of ways) await measure(generator, jobOf('saturated', way, warmUpS), way.pids);
  for (let round = 0; round < rounds; round++) {
    progress(`round ${round + 1} of ${rounds}`);
    for (const kind of kinds)
      for (const way of round % 2 === 0 ? ways : ways.toReversed())
        measured.get(way)?.[kind].push(await measure(generator, jobOf(kind, way, seconds), way.pids));
  }
  return measured;
}

function idleBytes({ pids }: Way): number {
  return [...processCosts(pids()).values()].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
}
