import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildServices } from '../stack/build';
import { startStack } from '../stack/stack';
import { crashReport } from './crash-report';
import { proveCrash } from './prove-crash';

/** `npm run prove:crash`: exits with 0 when the proof holds. `--keep` leaves databases and logs for a look. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '2000' },
      'per-second': { type: 'string', default: '80' },
      keep: { type: 'boolean', default: false },
    },
  });
  const onProgress = (line: string) => console.log(line);
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-crash-'));
  await buildServices();
  const stack = await startStack({ dataFolder, onProgress, environment: { TOLLGATE_SANDBOX: 'on' } });
  try {
    const proof = await proveCrash(stack, {
      requests: Number(values.requests),
      perSecond: Number(values['per-second']),
      onProgress,
    });
    console.log(crashReport(proof));
    process.exitCode = proof.holds ? 0 : 1;
  } finally {
    await stack.stop();
    if (values.keep) console.log(`Kept: ${dataFolder}`);
    else rmSync(dataFolder, { recursive: true, force: true });
  }
}

void main();
