import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildServices } from '../../stack/build';
import { startStack } from '../../stack/stack';
import { proveUrls } from './prove-urls';

/** `npm run prove:urls`: exits with 0 when no address in any field of any surface is ever connected to. */
async function main(): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-urls-'));
  await buildServices();
  const stack = await startStack({ dataFolder, durable: false, environment: { TOLLGATE_SANDBOX: 'on' } });
  try {
    const { requests, models, byStatus, connections, failures } = await proveUrls(stack, { everyUrl: true });
    for (const failure of failures) console.log(`  ${failure}`);
    console.log(`Answers by status: ${JSON.stringify(byStatus)}`);
    console.log(
      `${requests} requests with addresses of ours, to models of ${models} dialects: ${connections} connections`,
    );
    process.exitCode = connections === 0 && !Object.keys(byStatus).some((status) => status >= '500') ? 0 : 1;
  } finally {
    await stack.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

void main();
