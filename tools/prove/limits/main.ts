import { startValkey } from '@tollgate/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildServices } from '../../stack/build';
import { startStack } from '../../stack/stack';
import { watchBystanders } from './bystanders';
import { limitsReport } from './limits-report';
import { proveLimits } from './prove-limits';

const onProgress = (line: string) => console.log(line);

/** One scene: a stack with so many edges, with a Valkey (which may be killed) where there are several. Returns whether its proof holds. */
async function play(edges: number, restarts: boolean, seconds: number): Promise<boolean> {
  const title = `${edges === 1 ? 'One edge' : `${edges} edges`}${restarts ? ', Valkey restarts' : ''}`;
  onProgress(`\n${title}: starting`);
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-limits-'));
  const valkey = edges > 1 ? await startValkey() : null;
  const environment = { TOLLGATE_SANDBOX: 'on', ...(valkey ? { VALKEY_URL: valkey.url } : {}) };
  const stack = await startStack({ dataFolder, durable: false, instances: { edge: edges }, environment });
  try {
    const victim = restarts ? valkey : null;
    const proof = await proveLimits(stack, { limit: 60, durationMs: seconds * 1_000, victim, onProgress });
    onProgress(limitsReport(title, proof));
    if (!restarts) {
      const { quietP99Ms, floodedP99Ms, refusals } = await watchBystanders(stack);
      const figures = `${quietP99Ms.toFixed(1)} ms, beside a flood of ${refusals} refusals ${floodedP99Ms.toFixed(1)} ms`;
      onProgress(`  p99 of a caller without a limit: ${figures}`);
    }
    return proof.holds;
  } finally {
    await stack.stop();
    await valkey?.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

const scenes = { one: [1, false], three: [3, false], restarts: [3, true] } as const;

/** `npm run prove:limits`: exits with 0 when every proof holds. `--scene one`, `three` or `restarts` plays only that. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '150' }, scene: { type: 'string', multiple: true } },
  });
  const chosen = Object.entries(scenes).filter(([name]) => values.scene?.includes(name) ?? true);
  await buildServices();
  const held: boolean[] = [];
  for (const [, [edges, restarts]] of chosen) held.push(await play(edges, restarts, Number(values.seconds)));
  process.exitCode = held.length > 0 && held.every((holds) => holds) ? 0 : 1;
}

void main();
