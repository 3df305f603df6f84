import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildServices } from '../../stack/build';
import { startStack } from '../../stack/stack';
import { proveInput } from './prove-input';

/** `npm run prove:input`: exits with 0 when no hostile request is answered with a 5xx or without the error object, and nothing crashes. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '100000' },
      lanes: { type: 'string', default: '24' },
      seed: { type: 'string', default: '1' },
    },
  });
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-input-'));
  await buildServices();
  const stack = await startStack({
    dataFolder,
    durable: false,
    environment: { TOLLGATE_SANDBOX: 'on', LOG_LEVEL: 'warn' },
  });
  try {
    const proof = await proveInput(stack, {
      requests: Number(values.requests),
      lanes: Number(values.lanes),
      seed: Number(values.seed),
      onProgress: (line) => console.log(line),
    });
    for (const problem of proof.crashes) console.log(`  ${problem}`);
    console.log(`Answers by status: ${JSON.stringify(proof.byStatus)}`);
    console.log(
      `${proof.requests} hostile requests to ${proof.endpoints} endpoints in ${proof.seconds.toFixed(0)} s: ` +
        `${proof.faultCount} faults, ${proof.shed} shed for load and answered when asked again, ${proof.crashes.length} crashes or errors of ours (seed ${values.seed})`,
    );
    process.exitCode = proof.faultCount + proof.crashes.length === 0 ? 0 : 1;
  } finally {
    await stack.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

void main();
