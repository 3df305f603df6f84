import { median } from '../../bench/percentiles';
import type { Endings } from './attack';
import type { VictimRound } from './victim';

/** What was seen of one kind of attacker. */
export interface Observation {
  attack: string;
  endings: Endings;
  quiet: VictimRound[];
  beside: VictimRound[];
  /** The most memory of an edge or inference process, bytes. */
  memoryBytes: number;
  /** From the end of the attack until the victim was well again, milliseconds; null: not within the patience. */
  wellAfterMs: number | null;
}

/** What a victim may notice of its neighbour. `extraMs` null: times are not judged. */
export interface Bounds {
  extraMs: number | null;
  memoryBytes: number;
}

/** What the 99th percentile of a victim may be above its own level, and the most memory of one edge or inference process. */
export const mostExtraMs = 5;
export const mostMemoryBytes = 1024 * 1024 * 1024;

/** The 99th percentiles of the victim, milliseconds: the median of the rounds. `machineMs`: what requests past the gateway lost meanwhile. */
export interface Levels {
  quietMs: number;
  besideMs: number;
  machineMs: number;
}

export function levelsOf({ quiet, beside }: Pick<Observation, 'quiet' | 'beside'>): Levels {
  const middle = (rounds: readonly VictimRound[], of: 'p99Ms' | 'directP99Ms') =>
    median(rounds.map((round) => round[of]));
  return {
    quietMs: middle(quiet, 'p99Ms'),
    besideMs: middle(beside, 'p99Ms'),
    machineMs: Math.max(0, middle(beside, 'directP99Ms') - middle(quiet, 'directP99Ms')),
  };
}

/** A sentence for each thing that the victim should not have noticed. */
export function complaints(seen: Observation, bounds: Bounds): string[] {
  const { memoryBytes, wellAfterMs } = seen;
  const told: string[] = [];
  for (const [when, rounds] of [
    ['beside it', seen.beside],
    ['after it', seen.quiet],
  ] as const) {
    const failures = new Map<string, number>();
    for (const round of rounds)
      for (const [problem, count] of Object.entries(round.failures))
        failures.set(problem, (failures.get(problem) ?? 0) + count);
    const requests = rounds.reduce((sum, round) => sum + round.requests, 0);
    for (const [problem, count] of failures) told.push(`${count} of ${requests} failed ${when}: ${problem}`);
    const rerouted = rounds.reduce((sum, round) => sum + round.rerouted, 0);
    if (rerouted > 0) told.push(`${rerouted} of ${requests} came by another route ${when}`);
  }
  if (wellAfterMs === null) told.push('the victim was not well again');
  if (memoryBytes > bounds.memoryBytes) told.push(`${mebibytes(memoryBytes)} of memory in one process`);
  const { quietMs, besideMs, machineMs } = levelsOf(seen);
  const lostMs = besideMs - quietMs - machineMs;
  if (bounds.extraMs !== null && lostMs > bounds.extraMs) told.push(`p99 ${lostMs.toFixed(1)} ms above its own level`);
  return told;
}

export function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
