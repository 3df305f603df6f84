import type { AbortsProof } from './prove-aborts';
import type { OverloadProof } from './prove-overload';
import type { SlowPeersProof } from './prove-slow-peers';

/** The proofs as texts for people. */
export function abortsReport(proof: AbortsProof): string {
  const files = proof.filesGained === null ? 'not told by this system' : `${proof.filesGained} more than before`;
  return [
    `${proof.left} callers left, ${proof.underWay} of them while the provider was answering`,
    `the provider's connection ended ${ms(proof.closedP50Ms)} later at the median, ${ms(proof.closedP99Ms)} at the 99th percentile; never: ${proof.neverClosed}`,
    `afterwards: ${proof.stillOpen} generations open, files and sockets ${files}, memory ${mebibytes(proof.memoryGainedBytes)} more at most`,
    verdict(proof.holds, 'a caller who leaves ends the upstream request within a second, and leaves nothing behind'),
  ].join('\n');
}

export function overloadReport(proof: OverloadProof): string {
  const recovered = proof.recoveredMs === null ? 'not within 30 s' : `after ${ms(proof.recoveredMs)}`;
  return [
    `at most ${rate(proof.peak)} can be answered; ${rate(proof.offered)} were asked for`,
    `answered ${rate(proof.goodput)} (${((100 * proof.goodput) / proof.peak).toFixed(1)} % of the most)`,
    `refused ${proof.refused} with 503 and Retry-After, in ${ms(proof.refusedP50Ms)} at the median, ${ms(proof.refusedP99Ms)} at the 99th percentile; anything else: ${proof.strange}`,
    `memory ${mebibytes(proof.memoryGainedBytes)} more at most; nobody refused any more ${recovered}`,
    verdict(proof.holds, 'overload is shed, and what can be answered is'),
  ].join('\n');
}

export function slowPeersReport(proof: SlowPeersProof): string {
  return [
    `${proof.readers} readers of a byte a second and ${proof.halfOpen} half-open requests`,
    `an ordinary caller's 99th percentile: ${ms(proof.quietP99Ms)} without them, ${ms(proof.besideP99Ms)} beside them; memory ${mebibytes(proof.memoryGainedBytes)} more at most`,
    verdict(proof.holds, 'slow callers hurt nobody'),
  ].join('\n');
}

function verdict(holds: boolean, promise: string): string {
  return holds ? `Proved: ${promise}.` : 'NOT proved.';
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function rate(perSecond: number): string {
  return `${perSecond.toFixed(1)} requests/s`;
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
