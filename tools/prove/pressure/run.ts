import type { Stack } from '../../stack/stack';
import { StackError } from '../../stack/stack-error';
import type { ProofValues, Say } from '../proof';
import { withStack } from '../with-stack';
import { type AbortsProof, proveAborts } from './prove-aborts';
import { type OverloadProof, proveOverload } from './prove-overload';
import { proveSlowPeers, type SlowPeersProof } from './prove-slow-peers';

/** Two instances that take 60 calls each, of half a second. */
const capacity = { calls: 120, answerMs: 500 };

/** `--scene aborts`, `overload` or `slow` plays only that. */
export const pressureOptions = {
  scene: { type: 'string', default: 'all' },
  aborts: { type: 'string', default: '10000' },
  seconds: { type: 'string', default: '300' },
  readers: { type: 'string', default: '100' },
  'half-open': { type: 'string', default: '5000' },
} as const;
type Values = ProofValues<typeof pressureOptions>;

interface Scene {
  environment: NodeJS.ProcessEnv;
  play: (stack: Stack, values: Values) => Promise<{ report: string; holds: boolean }>;
}

const scenes: Readonly<Record<string, Scene>> = {
  aborts: {
    environment: {},
    async play(stack, values) {
      const proof = await proveAborts(stack, Number(values.aborts));
      return { report: abortsReport(proof), holds: proof.holds };
    },
  },
  overload: {
    environment: { INFERENCE_MAX_IN_FLIGHT: String(capacity.calls / 2) },
    async play(stack, values) {
      const proof = await proveOverload(stack, capacity, Number(values.seconds));
      return { report: overloadReport(proof), holds: proof.holds };
    },
  },
  slow: {
    environment: {},
    async play(stack, values) {
      const proof = await proveSlowPeers(stack, Number(values.readers), Number(values['half-open']));
      return { report: slowPeersReport(proof), holds: proof.holds };
    },
  },
};

/** Holds when every scene does: callers who leave, overload, slow callers. */
export async function runPressure(values: Values, say: Say): Promise<boolean> {
  const chosen = Object.entries(scenes).filter(([name]) => values.scene === 'all' || values.scene === name);
  if (chosen.length === 0) throw new StackError(`--scene is one of ${Object.keys(scenes).join(', ')} and all.`);
  const verdicts: boolean[] = [];
  for (const [, { environment, play }] of chosen) {
    const options = { durable: false, instances: { edge: 1, inference: 2 } };
    await withStack({ ...options, environment: { LOG_LEVEL: 'warn', ...environment } }, async (stack) => {
      const { report, holds } = await play(stack, values);
      say(`\n${report}`);
      verdicts.push(holds);
    });
  }
  return verdicts.every(Boolean);
}

/** The proofs as texts for people. */
function abortsReport(proof: AbortsProof): string {
  const files = proof.filesGained === null ? 'not told by this system' : `${proof.filesGained} more than before`;
  return [
    `${proof.left} callers left, ${proof.underWay} of them while the provider was answering`,
    `the provider's connection ended ${ms(proof.closedP50Ms)} later at the median, ${ms(proof.closedP99Ms)} at the 99th percentile; never: ${proof.neverClosed}`,
    `afterwards: ${proof.stillOpen} generations open, files and sockets ${files}, memory ${mebibytes(proof.memoryGainedBytes)} more at most`,
    verdict(proof.holds, 'a caller who leaves ends the upstream request within a second, and leaves nothing behind'),
  ].join('\n');
}

function overloadReport(proof: OverloadProof): string {
  const recovered = proof.recoveredMs === null ? 'not within 30 s' : `after ${ms(proof.recoveredMs)}`;
  return [
    `at most ${rate(proof.peak)} can be answered; ${rate(proof.offered)} were asked for`,
    `answered ${rate(proof.goodput)} (${((100 * proof.goodput) / proof.peak).toFixed(1)} % of the most)`,
    `refused ${proof.refused} with 503 and Retry-After, in ${ms(proof.refusedP50Ms)} at the median, ${ms(proof.refusedP99Ms)} at the 99th percentile; anything else: ${proof.strange}`,
    `memory ${mebibytes(proof.memoryGainedBytes)} more at most; nobody refused any more ${recovered}`,
    verdict(proof.holds, 'overload is shed, and what can be answered is'),
  ].join('\n');
}

function slowPeersReport(proof: SlowPeersProof): string {
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
