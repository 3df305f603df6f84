import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildServices } from '../../stack/build';
import { startStack } from '../../stack/stack';
import type { Stack } from '../../stack/stack';
import { abortsReport, overloadReport, slowPeersReport } from './pressure-report';
import { proveAborts } from './prove-aborts';
import { proveOverload } from './prove-overload';
import { proveSlowPeers } from './prove-slow-peers';

/** Two instances that take 60 calls each, of half a second. */
const capacity = { calls: 120, answerMs: 500 };
const options = {
  scene: { type: 'string', default: 'all' },
  aborts: { type: 'string', default: '10000' },
  seconds: { type: 'string', default: '300' },
  readers: { type: 'string', default: '100' },
  'half-open': { type: 'string', default: '5000' },
} as const;

/** `npm run prove:pressure`: callers who leave, overload, slow callers. `--scene aborts|overload|slow` runs one of them. Exits with 0 when all hold. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  const is = (scene: string) => values.scene === 'all' || values.scene === scene;
  await buildServices();
  const verdicts: boolean[] = [];
  const tell = (report: string, holds: boolean) => {
    console.log(`\n${report}`);
    verdicts.push(holds);
  };
  if (is('aborts'))
    await withStack({}, async (stack) => {
      const proof = await proveAborts(stack, Number(values.aborts));
      tell(abortsReport(proof), proof.holds);
    });
  if (is('overload'))
    await withStack({ INFERENCE_MAX_IN_FLIGHT: String(capacity.calls / 2) }, async (stack) => {
      const proof = await proveOverload(stack, capacity, Number(values.seconds));
      tell(overloadReport(proof), proof.holds);
    });
  if (is('slow'))
    await withStack({}, async (stack) => {
      const proof = await proveSlowPeers(stack, Number(values.readers), Number(values['half-open']));
      tell(slowPeersReport(proof), proof.holds);
    });
  if (verdicts.length === 0) throw new Error('--scene is one of aborts, overload, slow and all.');
  process.exit(verdicts.every(Boolean) ? 0 : 1);
}

async function withStack(environment: NodeJS.ProcessEnv, work: (stack: Stack) => Promise<void>): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-pressure-'));
  const stack = await startStack({
    dataFolder,
    durable: false,
    instances: { edge: 1, inference: 2 },
    environment: { TOLLGATE_SANDBOX: 'on', LOG_LEVEL: 'warn', ...environment },
  });
  try {
    await work(stack);
  } finally {
    await stack.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

void main();
