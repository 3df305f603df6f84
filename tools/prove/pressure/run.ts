import { StackError } from '../../stack/stack-error';
import type { Stack } from '../../stack/stack';
import type { ProofValues, Say } from '../proof';
import { withStack } from '../with-stack';
import { abortsReport, overloadReport, slowPeersReport } from './pressure-report';
import { proveAborts } from './prove-aborts';
import { proveOverload } from './prove-overload';
import { proveSlowPeers } from './prove-slow-peers';

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
