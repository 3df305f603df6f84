import { startValkey } from '@tollgate/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildServices } from '../../stack/build';
import { startStack } from '../../stack/stack';
import { everything, proveRestarts, restartEnvironment } from './prove-restarts';
import { restartsReport } from './restarts-report';

/** `npm run prove:restarts`: exits with 0 when the proof holds. `--keep` leaves databases and logs for a look. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      times: { type: 'string', default: '10' },
      'per-second': { type: 'string', default: '20' },
      keep: { type: 'boolean', default: false },
    },
  });
  const onProgress = (line: string) => console.log(line);
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-restarts-'));
  await buildServices();
  const valkey = await startValkey();
  const stack = await startStack({
    dataFolder,
    onProgress,
    instances: everything.instances,
    environment: { TOLLGATE_SANDBOX: 'on', VALKEY_URL: valkey.url, ...restartEnvironment },
  });
  try {
    const proof = await proveRestarts(stack, {
      ...everything,
      times: Number(values.times),
      perSecond: Number(values['per-second']),
      onProgress,
    });
    console.log(restartsReport(proof));
    process.exitCode = proof.holds ? 0 : 1;
  } finally {
    await stack.stop();
    await valkey.stop();
    if (values.keep) console.log(`Kept: ${dataFolder}`);
    else rmSync(dataFolder, { recursive: true, force: true });
  }
}

void main();
