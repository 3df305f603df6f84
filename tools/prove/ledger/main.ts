import { startValkey } from '@tollgate/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildServices } from '../../stack/build';
import { startStack } from '../../stack/stack';
import { ledgerReport } from './ledger-report';
import { proveLedger } from './prove-ledger';

/** `npm run prove:ledger`: exits with 0 when the proof holds. `--keep` leaves databases and logs for a look; `--seed` repeats an order of strikes. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '100000' },
      'per-second': { type: 'string', default: '200' },
      'calm-ms': { type: 'string', default: '5000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      keep: { type: 'boolean', default: false },
    },
  });
  const onProgress = (line: string) => console.log(line);
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-ledger-'));
  await buildServices();
  const valkey = await startValkey();
  const stack = await startStack({
    dataFolder,
    onProgress,
    instances: { edge: 2, inference: 2, metering: 2 },
    environment: { TOLLGATE_SANDBOX: 'on', VALKEY_URL: valkey.url },
  });
  try {
    const proof = await proveLedger(stack, valkey, {
      requests: Number(values.requests),
      perSecond: Number(values['per-second']),
      calmMs: Number(values['calm-ms']),
      seed: Number(values.seed),
      onProgress,
    });
    console.log(ledgerReport(proof));
    process.exitCode = proof.holds ? 0 : 1;
  } finally {
    await stack.stop();
    await valkey.stop();
    if (values.keep) console.log(`Kept: ${dataFolder}`);
    else rmSync(dataFolder, { recursive: true, force: true });
  }
}

void main();
