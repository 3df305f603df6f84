import { startValkey } from '@tollgate/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildServices } from '../../stack/build';
import { startStack } from '../../stack/stack';
import { proveQuota } from './prove-quota';
import { quotaReport } from './quota-report';

/** `npm run prove:quota`: exits with 0 when the proof holds. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { crowd: { type: 'string', default: '200' }, 'in-flight': { type: 'string', default: '10000' } },
  });
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-quota-'));
  await buildServices();
  const valkey = await startValkey();
  const stack = await startStack({
    dataFolder,
    durable: false,
    instances: { edge: 3, inference: 2, metering: 2 },
    environment: {
      TOLLGATE_SANDBOX: 'on',
      VALKEY_URL: valkey.url,
      LOG_LEVEL: 'warn',
      INFERENCE_MAX_IN_FLIGHT: values['in-flight'],
      INFERENCE_UPSTREAM_CONNECTIONS: values['in-flight'],
    },
  });
  try {
    const onProgress = (line: string) => console.log(line);
    const proof = await proveQuota(stack, {
      crowd: Number(values.crowd),
      inFlight: Number(values['in-flight']),
      onProgress,
    });
    console.log(quotaReport(proof));
    process.exitCode = proof.holds ? 0 : 1;
  } finally {
    await stack.stop();
    await valkey.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
  process.exit();
}

void main();
